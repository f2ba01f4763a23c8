package headless

import "agent/internal/loop/event"

// denials are the calls of a turn that were denied because no user could approve them, and
// that no later call has replaced. The zero value holds none.
type denials struct {
	reads, edits, others bool // by the effect of the call
}

// left reports whether there are any.
func (d *denials) left() bool { return d.reads || d.edits || d.others }

// add adds a denied call with an effect.
func (d *denials) add(e event.Effect) {
	switch e {
	case event.ReadEffect:
		d.reads = true
	case event.WriteEffect:
		d.edits = true
	default:
		d.others = true
	}
}

// end counts the end of a call. A call that succeeded replaces denied ones of its kind. An
// edit also replaces commands: the model chose it instead.
func (d *denials) end(e *event.ToolEnd) {
	switch {
	case e.Unattended:
		d.add(e.Effect)
	case e.Outcome != event.OK:
	case e.Effect == event.ReadEffect, e.Effect == event.DelegateEffect, e.ReadOnly:
		d.reads = false
	case e.Effect == event.WriteEffect:
		*d = denials{}
	default:
		d.reads, d.others = false, false
	}
}

// changed counts files that a command changed, which replaces edits.
func (d *denials) changed(e *event.FilesChanged) { d.edits = d.edits && e.Files == 0 }
