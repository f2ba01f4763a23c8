package vi

import (
	"strings"

	"agent/internal/tui/editor/text"
)

// registers holds the named registers: letters, 0 for the last yank, 1 to 9 for the
// last deletions, - for the last deletion within a line. The unnamed register is the
// buffer's latest kill.
type registers map[string]text.Kill

// nowhere is the black hole register.
const nowhere = "_"

// chooseRegister sets the register of the command.
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

// content returns the content of the command's register.
func (v *Vi) content() text.Kill {
	if v.register == "" {
		return v.b.LastKill()
	}
	return v.registers[strings.ToLower(v.register)]
}

// keep stores deleted or yanked text in registers. big says that deleted text goes to
// the numbered registers.
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

// add sets a register, or appends to it if its name is uppercase. It returns the new
// content.
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

// Copied returns the text yanked to the clipboard register since the last call.
func (v *Vi) Copied() (text string, ok bool) {
	if v.copied == nil {
		return "", false
	}
	text, v.copied = *v.copied, nil
	return text, true
}

// Clipboard sets the content of the clipboard register.
func (v *Vi) Clipboard(copied string) {
	v.registers["+"] = text.Kill{Text: copied, Lines: strings.HasSuffix(copied, "\n")}
}

// fits limits how often text is put, to bound its size.
func fits(k text.Kill, times int) int {
	const most = 1 << 20
	return min(times, max(most/max(len(k.Text), 1), 1))
}

// putAt implements p, P, gp and gP: it inserts a register after or before the caret.
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
