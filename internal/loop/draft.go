package loop

import (
	"encoding/json"
	"slices"

	"agent/internal/loop/event"
)

// unsent is what would be lost if the program crashed now: what the user has not
// sent yet, and what the user sent to steer a turn and the model has yet to get.
// The zero value is ready to use. It is not safe for concurrent use.
type unsent struct {
	draft   event.Draft     // of the front end, whose queue may hold some of waiting
	waiting []event.Waiting // for the next step
	failed  bool            // it could not be saved
}

// wait takes what was sent and waits for the model.
func (u *unsent) wait(p event.Prompt) {
	drop(&u.draft, p.Text)
	u.waiting = append(u.waiting, event.Waiting{Text: p.Text, Images: p.Images})
}

// giveBack makes what waited the front end's again, whose next draft has it.
func (u *unsent) giveBack(p event.Prompt) {
	u.waiting = without(u.waiting, p.Text)
	if at(u.draft.Queue, p.Text) < 0 {
		u.draft.Queue = append(slices.Clone(u.draft.Queue), event.Waiting{Text: p.Text, Images: p.Images})
	}
}

// sent forgets what is on record now.
func (u *unsent) sent(text string) {
	u.waiting = without(u.waiting, text)
	drop(&u.draft, text)
}

// all is what would be lost.
func (u *unsent) all() event.Draft {
	d := u.draft
	for _, w := range u.waiting {
		d.Queue = without(d.Queue, w.Text)
	}
	d.Queue = slices.Concat(u.waiting, d.Queue)
	return d
}

// save hands save the draft, as JSON; nothing if there is none. It returns the
// first error only.
func (u *unsent) save(save func([]byte) error) error {
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
	if err == nil || u.failed {
		return nil
	}
	u.failed = true
	return err
}

// drop removes text that was sent.
func drop(d *event.Draft, text string) {
	if at(d.Queue, text) >= 0 {
		d.Queue = without(d.Queue, text)
	} else if d.Text == text {
		d.Text, d.Images, d.Pasted = "", nil, nil
	}
}

// at returns where text waits; below 0 if it does not.
func at(all []event.Waiting, text string) int {
	return slices.IndexFunc(all, func(w event.Waiting) bool { return w.Text == text })
}

// without returns all but the first that is text, in a slice of its own.
func without(all []event.Waiting, text string) []event.Waiting {
	if i := at(all, text); i >= 0 {
		return slices.Delete(slices.Clone(all), i, i+1)
	}
	return all
}
