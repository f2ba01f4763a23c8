package vi

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agent/internal/tui/editor/text"
)

// entry is how insert mode was entered.
type entry struct {
	text     string
	caret    int
	times    int
	again    bool     // . does what is typed, too
	lines    bool     // each time goes on a line of its own
	replaced []string // what was typed over
}

// begin enters insert mode where the key says.
func (v *Vi) begin(key string, times int) {
	b := v.b
	b.Join()
	mode := Insert
	switch key {
	case "I":
		b.MoveTo(b.firstLetter(b.lineStart(b.Caret())))
	case "gI":
		b.LineStart()
	case "gi":
		if at, ok := b.Mark("^"); ok {
			b.MoveTo(at)
		}
	case "a":
		b.MoveTo(v.along(1))
	case "A":
		b.LineEnd()
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
	if key == "gi" && !v.playing { // what is done again is done at the caret
		v.repeat.keys = append(slices.Clone(v.repeat.keys[:len(v.repeat.keys)-2]), "i")
	}
}

// change ends a command in insert mode.
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

// leaveInsert goes to normal mode.
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

// enter does what erasing characters and typing text does in this mode.
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

// typed is what insert mode added at the caret, and how many characters before
// it were erased.
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

// pressReplace takes a key in replace mode: it is typed over what is there.
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

// backOver gives back what was typed over last.
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

// repeat is the last change, as keys, and what was typed in insert mode then.
type repeat struct {
	keys   []string
	area   area // what was marked
	typed  string
	erased int // characters before the caret that were erased first
}

// remember keeps the command as the one that . repeats.
func (v *Vi) remember() {
	if !v.playing {
		v.repeat = repeat{keys: v.keys, area: v.area}
	}
}

// again is .
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
	if len(keys) > 1 && keys[0] == `"` && keys[1] >= "1" && keys[1] < "9" { // the text that was cut before that
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

// recounted is a command with another count in the place of those it has.
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
