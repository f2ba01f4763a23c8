// Package vi edits a text.Buffer with vi keys, as vim does. It does no I/O and
// ignores keys that it does not know. Start reading at Vi.Press: it collects keys
// into a command, which run executes as a motion, an operator with a motion, or a
// command of a mode. TestVimCases compares the results with those of vim.
package vi

import (
	"strings"
	"unicode/utf8"

	"agent/internal/tui/editor/text"
)

// Mode is a mode of vi.
type Mode string

// The modes.
const (
	Insert      Mode = "insert"
	Replace     Mode = "replace"
	Normal      Mode = "normal"
	Visual      Mode = "visual"
	VisualLines Mode = "visual lines"
)

// Vi edits a buffer with vi keys. It is not safe for concurrent use.
type Vi struct {
	b    buffer
	mode Mode

	command
	motions
	anchor  int         // where visual mode started; the selection extends to the caret
	kills   *text.Kills // the latest is what p and P put
	entered insertion   // in insert or replace mode
	repeat  repeat
}

// New returns a Vi in insert mode that edits b. It adds deleted and yanked text to kills;
// p and P put the latest.
func New(b *text.Buffer, kills *text.Kills) *Vi {
	on := reader{b}
	v := &Vi{b: buffer{on, b}, motions: motions{b: on, column: -1}, kills: kills}
	v.Begin()
	return v
}

// Mode returns the current mode.
func (v *Vi) Mode() Mode { return v.mode }

// Pending returns the keys of an incomplete command.
func (v *Vi) Pending() string { return strings.Join(v.keys, "") + v.pattern }

// Asks reports whether the user is typing a search pattern.
func (v *Vi) Asks() bool { return v.wait == "/" || v.wait == "?" }

// Begin starts over in insert mode with a new text.
func (v *Vi) Begin() { v.insert(Insert, 1) }

// Replaced must be called after something else replaced the text. It keeps insert
// mode; any other mode becomes normal mode.
func (v *Vi) Replaced() {
	if v.mode == Insert || v.mode == Replace {
		v.insert(Insert, 1)
		return
	}
	v.reset()
	v.mode = Normal
	v.hold()
}

// Moved must be called after something else moved the caret.
func (v *Vi) Moved() {
	v.column = -1
	v.hold()
}

// command is the command that is being typed.
type command struct {
	keys     []string // so far
	count    int      // 0 for none
	opCount  int      // the count before the operator
	operator string
	wait     string // the key that needs another one: f, r, g, i …
	pattern  string // the search pattern typed so far
	area     area   // the visual selection
}

// reset starts a new command.
func (c *command) reset() { *c = command{} }

// waits reports whether a key needs another one after it. Some of these commands are
// not supported; they only consume the second key.
func (c *command) waits(key string, mode Mode) bool {
	if key == "i" || key == "a" {
		return c.operator != "" || mode != Normal
	}
	return len(key) == 1 && strings.Contains("fFtTrgm\"'`[]/?zZq@:", key)
}

// times returns the count of the command, at least 1.
func (c *command) times() int { return max(c.count, 1) * max(c.opCount, 1) }

// readable is what motions and text objects use of a text.Buffer.
type readable interface {
	String() string
	Caret() int
	Rows() *text.Rows
}

// reader finds the targets of motions and the ranges of text objects. It changes nothing.
type reader struct{ readable }

// buffer adds the changes of operators and commands to a text.Buffer.
type buffer struct {
	reader
	doc *text.Buffer
}

func (b reader) lineStart(at int) int { return text.LineStart(b.String(), at) }

func (b reader) lineEnd(at int) int { return text.LineEnd(b.String(), at) }

// lineNumber returns the number of the cursor's line, counted from 0.
func (b reader) lineNumber() int { return strings.Count(b.String()[:b.Caret()], "\n") }

// Press handles a key, given by name: "x", "esc", "ctrl+r", "space". It returns false
// for keys that keep their meaning without vi.
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
		if key == "esc" {
			v.leaveInsert()
			return true
		}
		return v.entered.pressReplace(key)
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
	v.addKey(key)
	return true
}

// Knows reports whether a key can be part of a command.
func (v *Vi) Knows(key string) bool {
	return v.mode != Insert && (key == "backspace" || key == "ctrl+r" || isLetter(key))
}

// isLetter reports whether a key types one character.
func isLetter(key string) bool {
	r, _ := utf8.DecodeRuneInString(key)
	return key != "" && text.Next(key, 0) == len(key) && !text.IsToken(r)
}

// escape cancels a pending command and visual mode. It reports whether there was any.
func (v *Vi) escape() bool {
	idle := len(v.keys) == 0 && v.mode == Normal
	v.mode = Normal
	v.reset()
	v.hold()
	return !idle
}

// addKey adds a key to the command.
func (v *Vi) addKey(key string) {
	const most = 10_000
	switch {
	case v.wait != "":
		v.waited(key)
	case len(key) == 1 && (key >= "1" && key <= "9" || key == "0" && v.count > 0):
		v.count = min(v.count*10+int(key[0]-'0'), most)
	case v.waits(key, v.mode):
		v.wait = key
	default:
		v.run(key)
	}
}

// waited handles the second key of a two-key command.
func (v *Vi) waited(key string) {
	wait := v.wait
	v.wait = ""
	switch wait {
	case "f", "F", "t", "T":
		if !isLetter(key) {
			v.reset()
			return
		}
		v.find = charSearch{wait, key}
		v.run(wait)
	case "r":
		v.replaceLetter(key)
	case "i", "a":
		v.takeObject(wait, key)
	case "g", "z":
		v.run(wait + key)
	default:
		v.reset()
	}
}

// run executes the command that a key completes.
func (v *Vi) run(key string) {
	if m, ok := v.motion(key, &v.command); ok {
		v.move(key, m)
		return
	}
	switch {
	case v.operator == "" && (key == "v" || key == "V"):
		v.mark(key)
	case v.mode != Normal:
		v.runVisual(key)
	case v.operator != "" && v.doubles(key):
		v.applyLines()
	case v.operator != "":
		v.reset()
	case isOperator(key):
		v.operator, v.opCount, v.count = key, v.count, 0
	default:
		v.runNormal(key)
	}
}

// move moves the caret, or applies the pending operator, by the motion of a key.
func (v *Vi) move(key string, m motion) {
	b := v.b
	if m.fails {
		v.reset()
		return
	}
	if v.operator != "" {
		v.operate(m)
		return
	}
	column := v.column
	b.doc.MoveTo(m.to)
	switch key {
	case "j", "k":
	case "$":
		column = endless
	default:
		column = -1
	}
	v.done(false)
	v.column = column
}

// done ends a command. changed says that it changed the text, so that . repeats it.
func (v *Vi) done(changed bool) {
	if changed {
		v.repeat = repeat{keys: v.keys, area: v.area}
	}
	v.reset()
	v.column = -1
	v.hold()
}

// hold keeps the caret on a character in normal mode.
func (v *Vi) hold() {
	if v.mode == Normal {
		v.b.doc.HoldCharacter()
	}
}
