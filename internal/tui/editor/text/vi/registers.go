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
