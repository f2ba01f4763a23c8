package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// registers are what was cut or copied, by name: letters, 0 for what was
// copied last, 1 to 9 for what was cut, - for what was cut within a line. The
// one without a name is the latest of the buffer's kills.
type registers map[string]text.Kill

// nowhere is the register that keeps nothing.
const nowhere = "_"

// chooseRegister takes the name of the register that the command is about.
func (v *Vi) chooseRegister(name string) {
	const known = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"-_+*`
	if v.operator != "" || len(name) != 1 || !strings.Contains(known, name) {
		v.reset()
		return
	}
	if name == `"` {
		name = ""
	}
	v.register = strings.Replace(name, "*", "+", 1)
}

// content is what the register of the command holds.
func (v *Vi) content() text.Kill {
	if v.register == "" {
		return v.b.LastKill()
	}
	return v.registers[strings.ToLower(v.register)]
}

// keep puts what an operator cuts or copies into registers. big is cut text
// that goes over a line, or was found by a motion that may.
func (v *Vi) keep(k text.Kill, cut, big bool) {
	name := v.register
	switch {
	case name == nowhere:
		return
	case name == "+":
		v.copied = &k.Text
		v.registers[name] = k
	case name != "":
		k = v.add(name, k)
	case !cut:
		v.registers["0"] = k
	}
	if cut && big {
		for n := '9'; n > '1'; n-- {
			if k, ok := v.registers[string(n-1)]; ok {
				v.registers[string(n)] = k
			}
		}
		v.registers["1"] = k
	}
	if cut && name == "" && !k.Lines && !strings.Contains(k.Text, "\n") {
		v.registers["-"] = k
	}
	v.b.Keep(k)
}

// add sets a register; named by a capital, it adds to it. It returns all that
// is in it then.
func (v *Vi) add(name string, k text.Kill) text.Kill {
	low := strings.ToLower(name)
	if old := v.registers[low]; low != name && old.Text != "" {
		switch {
		case old.Lines && !k.Lines:
			k.Text += "\n"
		case k.Lines && !old.Lines:
			old.Text += "\n"
		}
		k = text.Kill{Text: old.Text + k.Text, Lines: old.Lines || k.Lines}
	}
	v.registers[low] = k
	return k
}

// Copied returns what was copied for other programs since it was asked last.
func (v *Vi) Copied() (text string, ok bool) {
	if v.copied == nil {
		return "", false
	}
	text, v.copied = *v.copied, nil
	return text, true
}

// Clipboard tells what the clipboard holds.
func (v *Vi) Clipboard(copied string) {
	v.registers["+"] = text.Kill{Text: copied, Lines: strings.HasSuffix(copied, "\n")}
}

// fits is how often text is put at most.
func fits(k text.Kill, times int) int {
	const most = 1 << 20
	return min(times, max(most/max(len(k.Text), 1), 1))
}

// putAt is p and its like: what a register holds goes behind the caret or
// before it.
func (v *Vi) putAt(key string) {
	b, k := v.b, v.content()
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

// putLetters puts text into the line, and leaves the caret at its end, or at
// its start if it is of several lines.
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

// putLines puts whole lines below the caret's line or above it.
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
