package vi

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agent/internal/tui/editor/text"
)

// entry describes how insert mode was entered.
type entry struct {
	text     string
	caret    int
	times    int
	again    bool     // . repeats the typed text, too
	lines    bool     // each repetition gets a line of its own
	replaced []string // the characters overwritten in replace mode
}

// begin enters insert mode at the position that the key selects.
func (v *Vi) begin(key string, times int) {
	b := v.b
	b.Join()
	mode := Insert
	switch key {
	case "I":
		b.MoveTo(b.firstLetter(b.lineStart(b.Caret())))
	case "gI":
		b.MoveTo(b.lineStart(b.Caret()))
	case "gi":
		if at, ok := b.Mark("^"); ok {
			b.MoveTo(at)
		}
	case "a":
		b.MoveTo(v.along(1))
	case "A":
		b.MoveTo(b.lineEnd(b.Caret()))
	case "o":
		at := b.lineEnd(b.Caret())
		b.Edit(at, at, "\n")
	case "O":
		at := b.lineStart(b.Caret())
		b.Edit(at, at, "\n")
		b.MoveTo(at)
	case "R":
		mode = Replace
	}
	v.change(mode, times)
	v.entered.lines = key == "o" || key == "O"
	if key == "gi" && !v.playing { // . repeats it at the caret
		v.repeat.keys = append(slices.Clone(v.repeat.keys[:len(v.repeat.keys)-2]), "i")
	}
}

// change enters insert mode at the end of a command that . repeats.
func (v *Vi) change(mode Mode, times int) {
	v.remember()
	v.insert(mode, times)
	v.entered.again = true
}

// insert enters insert mode.
func (v *Vi) insert(mode Mode, times int) {
	if v.mode == Insert || v.mode == Replace {
		return
	}
	v.mode = mode
	v.entered = entry{text: v.b.String(), caret: v.b.Caret(), times: times}
	v.reset()
}

// leaveInsert leaves insert or replace mode for normal mode.
func (v *Vi) leaveInsert() {
	b := v.b
	typed, erased := v.typed()
	if v.entered.again && !v.playing {
		v.repeat.typed, v.repeat.erased = typed, erased
	}
	const most = 1000
	for range min(v.entered.times-1, most) {
		if v.entered.lines {
			at := b.lineEnd(b.Caret())
			b.Edit(at, at, "\n")
		}
		v.enter(typed, erased)
	}
	b.Seal()
	b.SetMark("^", b.Caret())
	if b.Caret() > b.lineStart(b.Caret()) {
		b.MoveTo(text.Previous(b.String(), b.Caret()))
	}
	v.mode, v.column = Normal, -1
	v.reset()
}

// enter deletes characters before the caret and types text, as in the current mode.
func (v *Vi) enter(s string, erased int) {
	b := v.b
	for ; erased > 0 && b.Caret() > 0; erased-- {
		b.Edit(text.Previous(b.String(), b.Caret()), b.Caret(), "")
	}
	if v.mode != Replace {
		b.Insert(s)
		return
	}
	from, to := b.Caret(), b.Caret()
	for i := 0; i < len(s) && to < b.lineEnd(b.Caret()) && s[i] != '\n'; i = text.Next(s, i) {
		to = text.Next(b.String(), to)
	}
	b.Edit(from, to, s)
}

// typed returns the text that was typed in insert mode and the number of characters
// that were deleted before it.
func (v *Vi) typed() (text string, erased int) {
	b := v.b
	was, now := v.entered.text, b.String()
	if v.mode == Replace {
		return now[min(v.entered.caret, b.Caret()):b.Caret()], 0
	}
	same := 0
	for same < min(len(was), len(now)) && was[same] == now[same] {
		same++
	}
	same = min(same, v.entered.caret)
	for same > 0 && same < len(now) && !utf8.RuneStart(now[same]) {
		same--
	}
	after := len(was) - v.entered.caret
	if len(now)-after < same || now[len(now)-after:] != was[v.entered.caret:] {
		return "", 0
	}
	return now[same : len(now)-after], characters(was[same:v.entered.caret])
}

// pressReplace handles a key in replace mode.
func (v *Vi) pressReplace(key string) bool {
	b := v.b
	switch {
	case key == "esc":
		v.leaveInsert()
	case key == "backspace":
		v.backOver()
	case !isLetter(key) || key == "\n":
		return false
	default:
		old := ""
		if b.Caret() < b.lineEnd(b.Caret()) {
			old = b.at(b.Caret())
		}
		v.entered.replaced = append(v.entered.replaced, old)
		b.Edit(b.Caret(), b.Caret()+len(old), key)
	}
	return true
}

// backOver moves back and restores the character that was overwritten last.
func (v *Vi) backOver() {
	b, n := v.b, len(v.entered.replaced)-1
	if b.Caret() <= b.lineStart(b.Caret()) {
		return
	}
	at := text.Previous(b.String(), b.Caret())
	if n >= 0 && at >= v.entered.caret {
		old := v.entered.replaced[n]
		v.entered.replaced = v.entered.replaced[:n]
		b.Edit(at, b.Caret(), old)
	}
	b.MoveTo(at)
}

// repeat is the last change: its keys and the text typed in insert mode.
type repeat struct {
	keys   []string
	area   area // the selection
	typed  string
	erased int // characters deleted before the typed text
}

// remember records the command for repetition by . (dot).
func (v *Vi) remember() {
	if !v.playing {
		v.repeat = repeat{keys: v.keys, area: v.area}
	}
}

// again implements the . command.
func (v *Vi) again() {
	r, count := v.repeat, v.count
	v.reset()
	if len(r.keys) == 0 || v.playing {
		return
	}
	keys := r.keys
	if count > 0 {
		keys = recounted(keys, count)
	}
	if len(keys) > 1 && keys[0] == `"` && keys[1] >= "1" && keys[1] < "9" { // p after "1 to "8 uses the next register
		keys = append([]string{`"`, string(keys[1][0] + 1)}, keys[2:]...)
		v.repeat.keys = keys
	}
	v.playing = true
	v.markLike(r.area)
	for _, k := range keys {
		v.Press(k)
	}
	if v.mode == Insert || v.mode == Replace {
		v.enter(r.typed, r.erased)
		v.leaveInsert()
	}
	v.playing = false
}

// recounted returns the keys of a command with its counts replaced by count.
func recounted(keys []string, count int) []string {
	isCount := func(k string) bool { return len(k) == 1 && k >= "0" && k <= "9" }
	var register, rest []string
	if len(keys) > 1 && keys[0] == `"` {
		register, keys = keys[:2:2], keys[2:]
	}
	for i, k := range keys {
		if k == "0" && (i == 0 || !isCount(keys[i-1])) || !isCount(k) {
			rest = append(rest, k)
		}
	}
	return slices.Concat(register, strings.Split(strconv.Itoa(count), ""), rest)
}
