package loop

import (
	"encoding/json"
	"slices"
	"sync"
)

// unsent is what would be lost if the program were gone now: what the person
// has not sent yet, and what was sent to steer a turn whose model was not told
// so far. The zero value is ready to use.
type unsent struct {
	mu      sync.Mutex
	of      Draft    // of the front end, which may have in its queue what waits
	waiting []string // to be told
	told    bool     // that it cannot be kept
}

// set takes what the front end has.
func (u *unsent) set(d Draft) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.of = d
}

// wait takes what was sent and waits for the model.
func (u *unsent) wait(text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.of.drop(text)
	u.waiting = append(u.waiting, text)
}

// giveBack makes what waited the front end's again, whose next draft has it.
func (u *unsent) giveBack(text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := slices.Index(u.waiting, text); i >= 0 {
		u.waiting = slices.Delete(u.waiting, i, i+1)
	}
	if !slices.Contains(u.of.Queue, text) {
		u.of.Queue = append(slices.Clone(u.of.Queue), text)
	}
}

// sent forgets what is on record now.
func (u *unsent) sent(text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := slices.Index(u.waiting, text); i >= 0 {
		u.waiting = slices.Delete(u.waiting, i, i+1)
	}
	u.of.drop(text)
}

// all is what would be lost.
func (u *unsent) all() Draft {
	rest := Draft{Queue: u.of.Queue}
	for _, text := range u.waiting {
		rest.drop(text)
	}
	return Draft{Text: u.of.Text, Pasted: u.of.Pasted, Queue: slices.Concat(u.waiting, rest.Queue)}
}

// keep hands save the draft, as JSON; nothing where there is none. The first
// time that this fails it returns why.
func (u *unsent) keep(save func([]byte) error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	d := u.all()
	var text []byte
	if d.Text != "" || len(d.Queue) > 0 {
		b, err := json.Marshal(d)
		if err != nil {
			return nil // which strings never are
		}
		text = b
	}
	err := save(text)
	if err == nil || u.told {
		return nil
	}
	u.told = true
	return err
}

// drop removes text that was sent.
func (d *Draft) drop(text string) {
	if i := slices.Index(d.Queue, text); i >= 0 {
		d.Queue = slices.Delete(slices.Clone(d.Queue), i, i+1)
	} else if d.Text == text {
		d.Text, d.Pasted = "", nil
	}
}

// keepDraft takes what the front end has, and keeps it.
func (a *Agent) keepDraft(d Draft) {
	a.draft.set(d)
	a.tellUnkept(a.saveDraft())
}

func (a *Agent) tellUnkept(err error) {
	if err != nil {
		_ = a.emit(Notice{Text: "What is not sent yet is not kept: " + err.Error()})
	}
}

// saveDraft keeps what would be lost. That it cannot is told once: no turn
// depends on it.
func (a *Agent) saveDraft() error {
	if a.o.Log == nil {
		return nil
	}
	return a.draft.keep(a.o.Log.SaveDraft)
}
