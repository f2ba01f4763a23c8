// Package vi edits a text.Buffer with the keys of vi, as vim understands them. Keys
// go in by name through Vi.Press; edits of the buffer, the mode and the selection
// come out. The package never does I/O, and never acts on a key that it does not
// know. Start reading at Vi.Press: keys are collected into a command, which run
// carries out as a motion, an operator with a motion, or a command of one mode.
// TestVimCases compares it with what vim itself does.
package vi

import (
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/tui/editor/text"
)

// Mode is what keys mean to vi.
type Mode string

// The modes.
const (
	Insert      Mode = "insert"
	Replace     Mode = "replace"
	Normal      Mode = "normal"
	Visual      Mode = "visual"
	VisualLines Mode = "visual lines"
)

// Vi edits a buffer with the keys of vi, as vim understands them. A key that
// it does not know changes nothing. It is for one goroutine.
type Vi struct {
	b      buffer
	mode   Mode
	anchor int // where a visual mode began

	command
	keys   []string // of the command so far
	find   found
	sought sought

	registers registers
	copied    *string // what was copied for others and not taken yet
	marked    area    // what was marked last

	entered entry  // how insert mode was entered
	repeat  repeat // what . does
	playing bool   // . does it now
	column  int    // that j and k keep to; negative is none
}

// command is one that is being typed.
type command struct {
	count    int // 0 is none
	opCount  int // of the operator
	register string
	operator string
	force    string // v or V: what the motion passes over is taken as letters or as lines
	wait     string // the key that wants another one: f, r, g, i …
	pattern  string // what is looked for, as far as it is typed
	area     area   // what was marked
}

// New returns a Vi in insert mode that edits b.
func New(b *text.Buffer) *Vi {
	v := &Vi{b: buffer{b}, column: -1, registers: registers{}}
	v.Begin()
	return v
}

// Mode is the mode.
func (v *Vi) Mode() Mode { return v.mode }

// Pending is what was typed of a command that is not whole yet.
func (v *Vi) Pending() string { return strings.Join(v.keys, "") + v.pattern }

// Asks reports whether a line is typed that enter ends: what is looked for.
func (v *Vi) Asks() bool { return v.wait == "/" || v.wait == "?" }

// Begin begins anew, in insert mode: the text is another.
func (v *Vi) Begin() {
	v.reset()
	v.mode = Normal
	v.insert(Insert, 1)
}

// Replaced goes on after the text was replaced by another, in the same mode as
// far as that can be.
func (v *Vi) Replaced() {
	v.reset()
	if v.mode == Insert || v.mode == Replace {
		v.mode = Normal
		v.insert(Insert, 1)
		return
	}
	v.mode = Normal
	v.hold()
}

// Moved goes on after something else moved the caret.
func (v *Vi) Moved() {
	v.column = -1
	v.hold()
}

// buffer adds to the text what motions and text objects look for in it.
type buffer struct{ *text.Buffer }

func (b buffer) lineStart(at int) int { return text.LineStart(b.String(), at) }

func (b buffer) lineEnd(at int) int { return text.LineEnd(b.String(), at) }

// lineNumber returns the number of the cursor's line, counted from 0.
func (b buffer) lineNumber() int { return strings.Count(b.String()[:b.Caret()], "\n") }

func (v *Vi) reset() { v.command, v.keys = command{}, nil }

// Press takes a key by its name: "x", "esc", "ctrl+r", "space". It reports
// whether it did; what it leaves means what it means without vi.
func (v *Vi) Press(key string) bool {
	if key == "space" {
		key = " "
	}
	switch {
	case v.mode == Insert && key != "esc":
		return false
	case v.mode == Insert:
		v.leaveInsert()
		return true
	case v.mode == Replace:
		return v.pressReplace(key)
	case v.Asks():
		v.ask(key)
		return true
	case key == "esc":
		return v.escape()
	case v.wait == "" && !v.Knows(key):
		v.reset()
		return false
	}
	v.anchor = text.Snap(v.b.String(), v.anchor) // something else may have changed the text
	v.keys = append(v.keys, key)
	v.take(key)
	return true
}

// Knows reports whether a key may belong to a command: a letter, or one of
// those few others that do.
func (v *Vi) Knows(key string) bool {
	return v.mode != Insert && (key == " " || isLetter(key) || slices.Contains([]string{"backspace", "ctrl+r", "ctrl+a", "ctrl+x"}, key))
}

// isLetter reports whether a key types one character.
func isLetter(key string) bool {
	r, _ := utf8.DecodeRuneInString(key)
	return key != "" && text.Next(key, 0) == len(key) && !text.IsToken(r)
}

// escape leaves what is begun. It reports whether anything was.
func (v *Vi) escape() bool {
	idle := len(v.keys) == 0 && v.mode == Normal
	v.leaveVisual()
	v.reset()
	v.hold()
	return !idle
}

// take goes on with the command.
func (v *Vi) take(key string) {
	const most = 10_000
	switch {
	case v.wait != "":
		v.waited(key)
	case len(key) == 1 && (key >= "1" && key <= "9" || key == "0" && v.count > 0):
		v.count = min(v.count*10+int(key[0]-'0'), most)
	case v.waits(key):
		v.wait = key
	default:
		v.run(key)
	}
}

// waits reports whether a key wants another one behind it. Of some, neither
// does anything here: they only keep the second from meaning something else.
func (v *Vi) waits(key string) bool {
	if key == "i" || key == "a" {
		return v.operator != "" || v.mode != Normal
	}
	return len(key) == 1 && strings.Contains("fFtTrgm\"'`[]/?zZq@:", key)
}

// times is how often the command is to be done.
func (c *command) times() int { return max(c.count, 1) * max(c.opCount, 1) }

// waited takes the key that another one waited for.
func (v *Vi) waited(key string) {
	wait := v.wait
	v.wait = ""
	switch wait {
	case "f", "F", "t", "T":
		if !isLetter(key) {
			v.reset()
			return
		}
		v.find = found{wait, key}
		v.run(wait)
	case "r":
		v.replaceLetter(key)
	case "i", "a":
		v.takeObject(wait, key)
	case `"`:
		v.chooseRegister(key)
	case "m":
		v.setMark(key)
	case "g", "z", "'", "`", "[", "]":
		v.run(wait + key)
	default:
		v.reset()
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
		v.pendingKey(key)
	case isOperator(key):
		v.operator, v.opCount, v.count = key, v.count, 0
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
	v.column = -1
	v.hold()
}

// hold keeps the caret on a character, as normal mode wants it.
func (v *Vi) hold() {
	if v.mode == Normal {
		v.b.HoldCharacter()
	}
}
