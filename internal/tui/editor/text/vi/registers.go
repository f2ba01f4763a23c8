package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// registers holds the registers of vi. The unnamed register is the latest kill.
type registers struct {
	// named has the registers a to z, 0 for the last yank, 1 to 9 for the last
	// deletions, - for the last deletion within a line, + for the clipboard.
	named  map[string]text.Kill
	kills  *text.Kills
	copied *string // text for the clipboard until takeCopied; nil for none
}

// nowhere is the black hole register.
const nowhere = "_"

// isRegister reports whether a key names a register.
func isRegister(key string) bool {
	const known = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"-_+*`
	return len(key) == 1 && strings.Contains(known, key)
}

// content returns the content of a register; an empty name is the unnamed one.
func (r *registers) content(name string) text.Kill {
	if name == "" {
		return r.kills.Latest()
	}
	return r.named[strings.ToLower(name)]
}

// keep stores text that was deleted (cut) or yanked in a register and in those that
// follow from it. big says that deleted text goes to the numbered registers.
func (r *registers) keep(name string, k text.Kill, cut, big bool) {
	switch {
	case name == nowhere:
		return
	case name == "+":
		r.copied = &k.Text
		r.named[name] = k
	case name != "":
		k = r.add(name, k)
	case !cut:
		r.named["0"] = k
	}
	if cut && big {
		for n := '9'; n > '1'; n-- {
			if k, ok := r.named[string(n-1)]; ok {
				r.named[string(n)] = k
			}
		}
		r.named["1"] = k
	}
	if cut && name == "" && !k.Lines && !strings.Contains(k.Text, "\n") {
		r.named["-"] = k
	}
	r.kills.Keep(k)
}

// add sets a register, or appends to it if its name is uppercase. It returns the new
// content.
func (r *registers) add(name string, k text.Kill) text.Kill {
	low := strings.ToLower(name)
	if old := r.named[low]; low != name && old.Text != "" {
		switch {
		case old.Lines && !k.Lines:
			k.Text += "\n"
		case k.Lines && !old.Lines:
			old.Text += "\n"
		}
		k = text.Kill{Text: old.Text + k.Text, Lines: old.Lines || k.Lines}
	}
	r.named[low] = k
	return k
}

// takeCopied returns the text yanked to the clipboard register since the last call.
func (r *registers) takeCopied() (text string, ok bool) {
	if r.copied == nil {
		return "", false
	}
	text, r.copied = *r.copied, nil
	return text, true
}

// setClipboard sets the content of the clipboard register.
func (r *registers) setClipboard(copied string) {
	r.named["+"] = text.Kill{Text: copied, Lines: strings.HasSuffix(copied, "\n")}
}

// fits limits how often text is put, to bound its size.
func fits(k text.Kill, times int) int {
	const most = 1 << 20
	return min(times, max(most/max(len(k.Text), 1), 1))
}

// putAt implements p, P, gp and gP: it inserts a register after or before the caret.
func (v *Vi) putAt(key string) {
	b, k := v.b, v.registers.content(v.register)
	if k.Text == "" {
		v.done(true)
		return
	}
	times := fits(k, v.times())
	after, beyond := strings.HasSuffix(key, "p"), key[0] == 'g'
	b.Join()
	if k.Lines {
		v.putLines(strings.Repeat(k.Text, times), after, beyond)
	} else {
		v.putLetters(k.Text, times, after, beyond)
	}
	b.Seal()
	v.done(true)
}

// putLetters inserts text in the line. The caret moves to its end, or to its start if
// it has several lines.
func (v *Vi) putLetters(s string, times int, after, beyond bool) {
	b := v.b
	if after && b.Caret() < b.lineEnd(b.Caret()) {
		b.MoveTo(text.Next(b.String(), b.Caret()))
	}
	at := b.Caret()
	b.Insert(strings.Repeat(s, times))
	switch {
	case beyond:
	case strings.Contains(s, "\n"):
		b.MoveTo(at)
	default:
		b.MoveTo(text.Previous(b.String(), b.Caret()))
	}
}

// putLines inserts lines below or above the caret's line.
func (v *Vi) putLines(text string, after, beyond bool) {
	b := v.b
	at := b.lineStart(b.Caret())
	if after {
		at = b.lineEnd(b.Caret())
		text = "\n" + strings.TrimSuffix(text, "\n")
	}
	b.Edit(at, at, text)
	if after {
		at++
	}
	if beyond {
		b.MoveTo(b.lineStart(min(at+len(text), len(b.String()))))
	} else {
		b.MoveTo(b.firstLetter(at))
	}
}
