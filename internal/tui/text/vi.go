package text

import (
	"strings"
	"unicode/utf8"
)

// Mode is what keys mean to vi.
type Mode string

// The modes.
const (
	Insert      Mode = "insert"
	Normal      Mode = "normal"
	Visual      Mode = "visual"
	VisualLines Mode = "visual lines"
)

// Vi edits a buffer with the keys of vi.
type Vi struct {
	b      *Buffer
	mode   Mode
	anchor int // where a visual mode began

	command
	keys []string // of the command so far
	find found

	entered entry  // how insert mode was entered
	repeat  repeat // what . does
	playing bool   // . does it now
	column  int    // that j and k keep to; negative is none
}

// command is one that is being typed.
type command struct {
	count    int    // 0 is none
	opCount  int    // of the operator
	operator string // d, c or y
	wait     string // the key that wants another one: f, r, g, i …
}

// found is what f and its like look for.
type found struct {
	key  string // f, F, t or T
	what string
}

// entry is how insert mode was entered.
type entry struct {
	text  string
	caret int
	times int
	again bool // . does what is typed, too
}

// repeat is the last change, as keys, and what was typed in insert mode then.
type repeat struct {
	keys   []string
	typed  string
	erased int // characters before the caret that were erased first
}

// NewVi returns the keys of vi for b, in insert mode.
func NewVi(b *Buffer) *Vi {
	v := &Vi{b: b, column: -1}
	v.Begin()
	return v
}

// Mode is the mode.
func (v *Vi) Mode() Mode { return v.mode }

// Pending is what was typed of a command that is not whole yet.
func (v *Vi) Pending() string { return strings.Join(v.keys, "") }

// Begin begins anew, in insert mode: the text is another.
func (v *Vi) Begin() {
	v.reset()
	v.mode = Normal
	v.insert(1)
}

// Replaced goes on after the text was replaced by another, in the same mode as
// far as that can be.
func (v *Vi) Replaced() {
	v.reset()
	if v.mode == Insert {
		v.entered = entry{text: v.b.text, caret: v.b.caret, times: 1}
		return
	}
	v.mode = Normal
	v.hold()
}

func (v *Vi) reset() { v.command, v.keys = command{}, nil }

// Selection is what visual mode has marked.
func (v *Vi) Selection() (from, to int, ok bool) {
	if v.mode != Visual && v.mode != VisualLines {
		return 0, 0, false
	}
	anchor := min(v.anchor, len(v.b.text))
	from, to = min(anchor, v.b.caret), max(anchor, v.b.caret)
	if v.mode == VisualLines {
		return v.b.lineStart(from), v.b.lineEnd(to), true
	}
	if to < len(v.b.text) {
		to = next(v.b.text, to)
	}
	return from, to, true
}

// Press takes a key by its name: "x", "esc", "ctrl+r", "space". It reports
// whether it did; what it leaves, as everything but esc in insert mode, means
// what it means without vi.
func (v *Vi) Press(key string) bool {
	if key == "space" {
		key = " "
	}
	if v.mode == Insert {
		if key != "esc" {
			return false
		}
		v.leaveInsert()
		return true
	}
	if key == "esc" {
		idle := len(v.keys) == 0 && v.mode == Normal
		v.reset()
		v.mode = Normal
		v.hold()
		return !idle
	}
	if utf8.RuneCountInString(key) > 1 && next(key, 0) < len(key) && v.wait == "" && key != "ctrl+r" && key != "backspace" {
		v.reset()
		return false
	}
	v.keys = append(v.keys, key)
	v.take(key)
	return true
}

// take goes on with the command.
func (v *Vi) take(key string) {
	switch {
	case v.wait != "":
		v.waited(v.wait, key)
	case key >= "1" && key <= "9" && len(key) == 1, key == "0" && v.count > 0:
		const most = 10_000
		v.count = min(v.count*10+int(key[0]-'0'), most)
	case strings.Contains("fFtTrg", key), strings.Contains("ia", key) && (v.operator != "" || v.mode != Normal):
		v.wait = key
	default:
		v.run(key)
	}
}

// times is how often the command is to be done.
func (c *command) times() int { return max(c.count, 1) * max(c.opCount, 1) }

// waited takes the key that another one waited for.
func (v *Vi) waited(wait, key string) {
	v.wait = ""
	switch wait {
	case "r":
		v.replaceLetter(key)
	case "g":
		v.run("g" + key)
	case "i", "a":
		from, to, ok := v.object(wait, key)
		v.takeObject(from, to, ok)
	default:
		v.find = found{wait, key}
		v.run(wait)
	}
}

// run carries out a key that is a whole command, or its last.
func (v *Vi) run(key string) {
	if m, ok := v.motion(key); ok {
		v.move(m)
		return
	}
	switch {
	case v.mode != Normal:
		v.runVisual(key)
	case v.operator != "":
		v.doubled(key)
	default:
		v.runNormal(key)
	}
}

// done ends a command. One that changed the text is what . repeats.
func (v *Vi) done(changed bool) {
	if changed {
		v.remember()
	}
	v.reset()
	v.hold()
}

func (v *Vi) remember() {
	if !v.playing {
		v.repeat = repeat{keys: v.keys}
	}
}

// Moved goes on after something else moved the caret.
func (v *Vi) Moved() { v.hold() }

// hold keeps the caret on a character, as normal mode wants it.
func (v *Vi) hold() {
	b := v.b
	if v.mode != Normal {
		return
	}
	if start := b.lineStart(b.caret); b.caret > start && b.caret == b.lineEnd(b.caret) {
		b.moveTo(previous(b.text, b.caret))
	}
}

// insert enters insert mode.
func (v *Vi) insert(times int) {
	if v.mode == Insert {
		return
	}
	v.mode = Insert
	v.entered = entry{text: v.b.text, caret: v.b.caret, times: times}
	v.reset()
}

// leaveInsert goes to normal mode.
func (v *Vi) leaveInsert() {
	b := v.b
	text, erased := v.typed()
	if v.entered.again && !v.playing {
		v.repeat.typed, v.repeat.erased = text, erased
	}
	for range min(v.entered.times-1, 1000) {
		b.Insert(text)
	}
	b.Seal()
	if b.caret > b.lineStart(b.caret) {
		b.MoveTo(previous(b.text, b.caret))
	}
	v.mode = Normal
	v.reset()
}

// typed is what insert mode added at the caret, and how many characters before
// it were erased.
func (v *Vi) typed() (text string, erased int) {
	was, now := v.entered.text, v.b.text
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
