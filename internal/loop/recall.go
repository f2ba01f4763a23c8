package loop

import (
	"fmt"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/session"
)

// recall folds the session into c, unless c holds it already. It takes up to a
// second, so it is called when the conversation is first needed.
func (a *Agent) recall(c *conversation) error {
	if c.folded {
		return nil
	}
	f, n := session.NewFolding(), a.rec.places.Count()
	err := a.read(&f, 0, n)
	if err == nil {
		a.rec.do(func() { err = a.catchUp(c, &f, n) })
	}
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	c.folded = true
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

// catchUp folds the events that were recorded since the first n were folded, as a
// typed command may have ended, and takes the session over. It runs in the
// recorder's goroutine, so that nothing is put on record meanwhile.
func (a *Agent) catchUp(c *conversation, f *session.Folding, n int) error {
	if err := a.read(f, n, a.rec.places.Count()); err != nil {
		return err
	}
	f.Abandon() // where a turn broke down
	a.heard(f.Unsent())
	c.take(f, a.o.Ledger)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.named = address{f.Model, f.BaseURL}
	a.policy = policy.Policy{Mode: a.policy.Mode}
	for _, g := range a.valid(f.Grants) {
		a.policy.Allow(g)
	}
	return nil
}
