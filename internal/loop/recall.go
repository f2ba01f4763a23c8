package loop

import (
	"fmt"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/session"
	"agent/internal/loop/window"
)

// recall makes true what the session amounts to, which takes up to a second:
// not before it is needed. Once it was done it does nothing. It is called by
// whoever owns what a turn owns.
func (a *Agent) recall() error {
	if a.recalled {
		return nil
	}
	f, n := session.NewFolding(), a.rec.places.Count()
	err := a.read(&f, 0, n)
	if err == nil {
		err = a.resume(&f, n)
	}
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	a.recalled = true
	return nil
}

// read folds the events from number from up to, and without, to.
func (a *Agent) read(f *session.Folding, from, to int) error {
	p, err := a.rec.places.Page(from, to)
	if err != nil {
		return err
	}
	for record, err := range p.Records(a.o.Log) {
		if err != nil {
			return err
		}
		e, err := event.Decode(record)
		if err != nil {
			return err
		}
		f.Add(e)
	}
	return nil
}

// resume takes over the first n events, which were folded, and those that came
// meanwhile: a command of the person's may have ended.
func (a *Agent) resume(f *session.Folding, n int) error {
	var err error
	a.rec.do(func() { err = a.catchUp(f, n) })
	return err
}

// catchUp is resume in the recorder's goroutine, so that nothing is put on record
// meanwhile.
func (a *Agent) catchUp(f *session.Folding, n int) error {
	if err := a.read(f, n, a.rec.places.Count()); err != nil {
		return err
	}
	f.Abandon() // where a turn broke down
	a.heard(f.Unsent())
	a.msgs, a.steps, a.filled = f.Messages, f.Steps, f.Meter().Measured(f.Messages)
	a.know(window.Remaining(f.Readings(), f.Messages))
	a.planning = toldToPlan(f.Messages)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.named = address{f.Model, f.BaseURL}
	a.policy = policy.Policy{Mode: a.policy.Mode}
	for _, g := range a.valid(f.Grants) {
		a.policy.Allow(g)
	}
	return nil
}

// know makes reads all that the model knows of files.
func (a *Agent) know(reads []window.Reading) {
	a.reads = reads
	a.o.Ledger.Reset()
	for _, r := range reads {
		a.o.Ledger.Add(r.Step, restored(r.Files)...)
	}
}
