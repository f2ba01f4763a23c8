package turn

// prefixModel is what the choice of a prefix depends on.
type prefixModel struct {
	name   string
	window int
}

// setPrefix sets the prefix of the requests to the current model. It emits the
// prefix if it replaces another one. A model switch and a new context window size
// can change it; otherwise it stays, so that providers can cache it.
func (r *run) setPrefix() {
	m := r.Models.Current()
	if now := (prefixModel{m.Name, m.Context}); now != r.conv.prefixFor {
		r.conv.prefixFor = now
		p := r.Turn.Prefix(m)
		if old := r.conv.Prefix; old != nil && old.Basis == p.Basis {
			return
		}
		p.Meta = r.out.meta()
		r.out.emit(&p)
		r.conv.Prefix = &p
	}
}
