package loop

import (
	"iter"
	"slices"

	"agent/internal/history"
)

// rewind takes back what was said after the first keep events, while no turn
// runs. Files stay as they are: what is to follow them back needs the kept
// events and those that were taken back, both of which are known here.
func (a *Agent) rewind(keep int) {
	g, err := a.session()
	if err != nil {
		_ = a.emit(Notice{Text: "Nothing was taken back: " + err.Error()})
		return
	}
	keep = boundary(g.events, keep)
	if keep == len(g.events) {
		_ = a.emit(Notice{Text: "There is nothing to take back."})
		return
	}
	asked := slices.ContainsFunc(g.events[keep:], func(e Durable) bool { _, ok := e.(*ModeSet); return ok })
	_ = a.emit(&Rewound{Meta: Meta{Time: a.o.Now()}, Keep: keep})
	g.cut(keep)
	a.resume(g.state())
	if asked { // what is asked about stays as the person set it last
		a.mu.Lock()
		mode := a.policy.Mode
		a.mu.Unlock()
		_ = a.emit(&ModeSet{Meta: Meta{Time: a.o.Now()}, Mode: string(mode)})
	}
}

// session returns the events of the session so far.
func (a *Agent) session() (gathering, error) {
	a.log.Lock()
	defer a.log.Unlock()
	if a.o.Log == nil {
		return a.all, nil
	}
	return gather(a.records())
}

// records yields what the log holds and what it is to get. The caller holds
// a.log.
func (a *Agent) records() iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		for r, err := range a.o.Log.Records() {
			if !yield(r, err) {
				return
			}
		}
		for _, body := range a.unsaved {
			if !yield(history.Record{Body: body}, nil) {
				return
			}
		}
	}
}
