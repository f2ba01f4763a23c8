package loop

import (
	"encoding/json"
	"slices"

	"agent/internal/loop/event"
)

// unsent holds the messages of the user that are not in the log yet: the draft, and
// messages that steer a turn and that the model has not received. The zero value is
// ready to use. It is not safe for concurrent use.
type unsent struct {
	draft   event.Draft     // of the front end; its queue may contain messages of waiting
	waiting []event.Waiting // for the next step
	failed  bool            // saving has failed before
}

// wait moves a sent message from the draft to waiting.
func (u *unsent) wait(p event.Prompt) {
	drop(&u.draft, p.Text)
	u.waiting = append(u.waiting, event.Waiting{Text: p.Text, Images: p.Images})
}

// giveBack moves a message from waiting to the queue of the draft.
func (u *unsent) giveBack(p event.Prompt) {
	u.waiting = without(u.waiting, p.Text)
	if at(u.draft.Queue, p.Text) < 0 {
		u.draft.Queue = append(slices.Clone(u.draft.Queue), event.Waiting{Text: p.Text, Images: p.Images})
	}
}

// sent removes a message that has been recorded.
func (u *unsent) sent(text string) {
	u.waiting = without(u.waiting, text)
	drop(&u.draft, text)
}

// all returns the draft with the waiting messages at the front of its queue.
func (u *unsent) all() event.Draft {
	d := u.draft
	for _, w := range u.waiting {
		d.Queue = without(d.Queue, w.Text)
	}
	d.Queue = slices.Concat(u.waiting, d.Queue)
	return d
}

// save calls save with the draft as JSON, without its secrets, or with nil if it is
// empty. It returns only the first error.
func (u *unsent) save(save func([]byte) error, secrets Secrets) error {
	d := secrets.Draft(u.all())
	var text []byte
	if d.Text != "" || len(d.Queue) > 0 {
		b, err := json.Marshal(d)
		if err != nil {
			return nil // strings can always be encoded
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

// drop removes the message text from d.
func drop(d *event.Draft, text string) {
	if at(d.Queue, text) >= 0 {
		d.Queue = without(d.Queue, text)
	} else if d.Text == text {
		d.Text, d.Images, d.Pasted = "", nil, nil
	}
}

// at returns the index of the message text, -1 if there is none.
func at(all []event.Waiting, text string) int {
	return slices.IndexFunc(all, func(w event.Waiting) bool { return w.Text == text })
}

// without returns all without the first message text, in a new slice.
func without(all []event.Waiting, text string) []event.Waiting {
	if i := at(all, text); i >= 0 {
		return slices.Delete(slices.Clone(all), i, i+1)
	}
	return all
}
