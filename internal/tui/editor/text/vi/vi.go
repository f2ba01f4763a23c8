// Package vi edits a text.Buffer with vi keys, as vim does. It does no I/O and
// ignores keys that it does not know. Start reading at Vi.Press: it collects keys
// into a command, which run executes as a motion, an operator with a motion, or a
// command of a mode. TestVimCases compares the results with those of vim.
package vi

import (
	"slices"
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
	b      buffer
	mode   Mode
	anchor int // where a visual mode began

	command
	keys   []string // of the command so far
	find   charSearch
	sought pattern

	registers registers
	marked    area // the last visual selection

	entered entry  // how insert mode was entered
	repeat  repeat // the change that . repeats
	playing bool   // . is repeating it now
	column  int    // the column for j and k; negative for none
}

// command is the pending command.
type command struct {
	count    int // 0 for none
	opCount  int // the count before the operator
	register string
	operator string
	force    string // v or V, which makes the motion characterwise or linewise
	wait     string // the key that needs another one: f, r, g, i …
	pattern  string // the search pattern typed so far
	area     area   // the visual selection
}

// New returns a Vi in insert mode that edits b. The latest of kills is its unnamed
// register.
func New(b *text.Buffer, kills *text.Kills) *Vi {
	v := &Vi{b: buffer{b}, column: -1, registers: registers{named: map[string]text.Kill{}, kills: kills}}
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
func (v *Vi) Begin() {
	v.reset()
	v.mode = Normal
	v.insert(Insert, 1)
}

// Replaced must be called after something else replaced the text. It keeps insert
// mode; any other mode becomes normal mode.
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

// Moved must be called after something else moved the caret.
func (v *Vi) Moved() {
	v.column = -1
	v.hold()
}

// Copied returns the text yanked to the clipboard register since the last call.
func (v *Vi) Copied() (text string, ok bool) { return v.registers.takeCopied() }

// Clipboard sets the content of the clipboard register.
func (v *Vi) Clipboard(copied string) { v.registers.setClipboard(copied) }

// buffer adds the searches of motions and text objects to a text.Buffer.
type buffer struct{ *text.Buffer }

func (b buffer) lineStart(at int) int { return text.LineStart(b.String(), at) }

func (b buffer) lineEnd(at int) int { return text.LineEnd(b.String(), at) }

// lineNumber returns the number of the cursor's line, counted from 0.
func (b buffer) lineNumber() int { return strings.Count(b.String()[:b.Caret()], "\n") }

func (v *Vi) reset() { v.command, v.keys = command{}, nil }

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

// Knows reports whether a key can be part of a command.
func (v *Vi) Knows(key string) bool {
	return v.mode != Insert && (key == " " || isLetter(key) || slices.Contains([]string{"backspace", "ctrl+r", "ctrl+a", "ctrl+x"}, key))
}

// isLetter reports whether a key types one character.
func isLetter(key string) bool {
	r, _ := utf8.DecodeRuneInString(key)
	return key != "" && text.Next(key, 0) == len(key) && !text.IsToken(r)
}

// escape cancels a pending command and visual mode. It reports whether there was any.
func (v *Vi) escape() bool {
	idle := len(v.keys) == 0 && v.mode == Normal
	v.leaveVisual()
	v.reset()
	v.hold()
	return !idle
}

// take adds a key to the command.
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

// waits reports whether a key needs another one after it. Some of these commands are
// not supported; they only consume the second key.
func (v *Vi) waits(key string) bool {
	if key == "i" || key == "a" {
		return v.operator != "" || v.mode != Normal
	}
	return len(key) == 1 && strings.Contains("fFtTrgm\"'`[]/?zZq@:", key)
}

// times returns the count of the command, at least 1.
func (c *command) times() int { return max(c.count, 1) * max(c.opCount, 1) }

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
	case `"`:
		if v.operator != "" || !isRegister(key) {
			v.reset()
			return
		}
		v.register = strings.NewReplacer(`"`, "", "*", "+").Replace(key)
	case "m":
		v.setMark(key)
	case "g", "z", "'", "`", "[", "]":
		v.run(wait + key)
	default:
		v.reset()
	}
}

// run executes the command that a key completes.
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

// done ends a command. changed says that it changed the text, so that . repeats it.
func (v *Vi) done(changed bool) {
	if changed {
		v.remember()
	}
	v.reset()
	v.column = -1
	v.hold()
}

// hold keeps the caret on a character in normal mode.
func (v *Vi) hold() {
	if v.mode == Normal {
		v.b.HoldCharacter()
	}
}
