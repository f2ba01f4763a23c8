package vi

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"agent/internal/tui/editor/text"
)

// insertion is what the user does in insert or replace mode.
type insertion struct {
	b        buffer
	over     bool   // in replace mode
	text     string // before it
	caret    int    // before it
	times    int
	again    bool     // . repeats the typed text, too
	lines    bool     // each repetition gets a line of its own
	replaced []string // the characters overwritten in replace mode
}

// begin enters insert mode at the position that the key selects.
func (v *Vi) begin(key string, times int) {
	b := v.b
	b.doc.Join()
	mode := Insert
	switch key {
	case "I":
		b.doc.MoveTo(b.firstLetter(b.lineStart(b.Caret())))
	case "gI":
		b.doc.MoveTo(b.lineStart(b.Caret()))
	case "a":
		b.doc.MoveTo(b.along(1))
	case "A":
		b.doc.MoveTo(b.lineEnd(b.Caret()))
	case "o":
		at := b.lineEnd(b.Caret())
		b.doc.Edit(at, at, "\n")
	case "O":
		at := b.lineStart(b.Caret())
		b.doc.Edit(at, at, "\n")
		b.doc.MoveTo(at)
	case "R":
		mode = Replace
	}
	v.change(mode, times)
	v.entered.lines = key == "o" || key == "O"
}

// change enters insert mode at the end of a command that . repeats.
func (v *Vi) change(mode Mode, times int) {
	v.repeat = repeat{keys: v.keys, area: v.area}
	v.insert(mode, times)
	v.entered.again = true
}

// insert enters insert mode.
func (v *Vi) insert(mode Mode, times int) {
	v.mode = mode
	v.entered = insertion{b: v.b, over: mode == Replace, text: v.b.String(), caret: v.b.Caret(), times: times}
	v.reset()
}

// leaveInsert leaves insert or replace mode for normal mode.
func (v *Vi) leaveInsert() {
	b := v.b
	typed, erased := v.entered.typed()
	if v.entered.again {
		v.repeat.typed, v.repeat.erased = typed, erased
	}
	v.entered.multiply(typed, erased)
	b.doc.Seal()
	if b.Caret() > b.lineStart(b.Caret()) {
		b.doc.MoveTo(text.Previous(b.String(), b.Caret()))
	}
	v.mode, v.column = Normal, -1
	v.reset()
}

// multiply repeats the typed text as the count of the command says.
func (in *insertion) multiply(typed string, erased int) {
	const most = 1000
	for range min(in.times-1, most) {
		if in.lines {
			at := in.b.lineEnd(in.b.Caret())
			in.b.doc.Edit(at, at, "\n")
		}
		in.enter(typed, erased)
	}
}

// enter deletes characters before the caret and types text, as in the current mode.
func (in *insertion) enter(s string, erased int) {
	b := in.b
	for ; erased > 0 && b.Caret() > 0; erased-- {
		b.doc.Edit(text.Previous(b.String(), b.Caret()), b.Caret(), "")
	}
	if !in.over {
		b.doc.Insert(s)
		return
	}
	from, to := b.Caret(), b.Caret()
	for i := 0; i < len(s) && to < b.lineEnd(b.Caret()) && s[i] != '\n'; i = text.Next(s, i) {
		to = text.Next(b.String(), to)
	}
	b.doc.Edit(from, to, s)
}

// typed returns the text that was typed in insert mode and the number of characters
// that were deleted before it.
func (in *insertion) typed() (text string, erased int) {
	b := in.b
	was, now := in.text, b.String()
	if in.over {
		return now[min(in.caret, b.Caret()):b.Caret()], 0
	}
	same := 0
	for same < min(len(was), len(now)) && was[same] == now[same] {
		same++
	}
	same = min(same, in.caret)
	for same > 0 && same < len(now) && !utf8.RuneStart(now[same]) {
		same--
	}
	after := len(was) - in.caret
	if len(now)-after < same || now[len(now)-after:] != was[in.caret:] {
		return "", 0
	}
	return now[same : len(now)-after], characters(was[same:in.caret])
}

// pressReplace handles a key in replace mode except esc. It returns false for keys that
// type nothing.
func (in *insertion) pressReplace(key string) bool {
	b := in.b
	switch {
	case key == "backspace":
		in.backOver()
	case !isLetter(key) || key == "\n":
		return false
	default:
		old := ""
		if b.Caret() < b.lineEnd(b.Caret()) {
			old = b.at(b.Caret())
		}
		in.replaced = append(in.replaced, old)
		b.doc.Edit(b.Caret(), b.Caret()+len(old), key)
	}
	return true
}

// backOver moves back and restores the character that was overwritten last.
func (in *insertion) backOver() {
	b, n := in.b, len(in.replaced)-1
	if b.Caret() <= b.lineStart(b.Caret()) {
		return
	}
	at := text.Previous(b.String(), b.Caret())
	if n >= 0 && at >= in.caret {
		old := in.replaced[n]
		in.replaced = in.replaced[:n]
		b.doc.Edit(at, b.Caret(), old)
	}
	b.doc.MoveTo(at)
}

// repeat is the last change, which . repeats: its keys and the text typed in insert mode.
type repeat struct {
	keys   []string
	area   area // the selection
	typed  string
	erased int // characters deleted before the typed text
}

// again implements the . command.
func (v *Vi) again() {
	r, keys := v.repeat, v.repeat.keys
	if v.count > 0 {
		keys = recounted(keys, v.count)
	}
	v.reset()
	if len(r.keys) == 0 {
		return
	}
	if r.area.mode != "" {
		v.extend(r.area)
	}
	for _, k := range keys {
		v.Press(k)
	}
	if v.mode == Insert || v.mode == Replace {
		v.entered.enter(r.typed, r.erased)
		v.leaveInsert()
	}
	v.repeat = r // with its own count
}

// recounted returns the keys of a command with its counts replaced by count.
func recounted(keys []string, count int) []string {
	isCount := func(k string) bool { return len(k) == 1 && k >= "0" && k <= "9" }
	all := strings.Split(strconv.Itoa(count), "")
	for i, k := range keys {
		if k == "0" && (i == 0 || !isCount(keys[i-1])) || !isCount(k) {
			all = append(all, k)
		}
	}
	return all
}
