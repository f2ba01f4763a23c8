package text

import "slices"

// killLimit is the maximum number of kills.
const killLimit = 60

// Kill is text that was cut or copied.
type Kill struct {
	Text  string
	Lines bool // Text is complete lines and ends with a newline
}

// Kills is a kill ring: the texts that were cut or copied, the latest last, and the one
// that was yanked last. It outlives the text of a Buffer. The zero value is empty.
type Kills struct {
	all []Kill
	at  int // the kill that Select or SelectOlder returned last
}

// Keep adds kill as the latest kill, unless it is empty.
func (k *Kills) Keep(kill Kill) {
	if kill.Text == "" {
		return
	}
	k.all = append(k.all, kill)
	if len(k.all) > killLimit {
		k.all = slices.Delete(k.all, 0, 1)
	}
}

// Prepend puts text before the latest kill, which must exist.
func (k *Kills) Prepend(text string) {
	last := &k.all[len(k.all)-1]
	last.Text = text + last.Text
}

// Append puts text after the latest kill, which must exist.
func (k *Kills) Append(text string) { k.all[len(k.all)-1].Text += text }

// Latest returns the latest kill, an empty one if there is none.
func (k *Kills) Latest() Kill {
	if len(k.all) == 0 {
		return Kill{}
	}
	return k.all[len(k.all)-1]
}

// Select selects the latest kill for a yank and returns it.
func (k *Kills) Select() Kill {
	k.at = len(k.all) - 1
	return k.Latest()
}

// SelectOlder selects the kill before the selected one, and after the oldest the latest.
// It returns that kill. Select must have selected one before.
func (k *Kills) SelectOlder() Kill {
	k.at = (k.at + len(k.all) - 1) % len(k.all)
	return k.all[k.at]
}
