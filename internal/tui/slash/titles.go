package slash

import (
	"slices"
	"strings"

	"agent/internal/tui/keys"
)

// hasCommand reports whether a slash command has the same effect as a. The key of
// /mode differs: it cycles through the modes.
func hasCommand(a keys.Action) bool {
	return a != keys.Mode && slices.ContainsFunc(BuiltIn(), func(c Command) bool { return c.key == a })
}

// actionTitle returns the title of a key's action in the command palette.
func actionTitle(a keys.Action) string {
	switch a {
	case keys.Send:
		return "Send prompt"
	case keys.Queue:
		return "Queue message"
	case keys.Unqueue:
		return "Remove last queued message"
	case keys.Newline:
		return "Insert newline"
	case keys.Interrupt:
		return "Interrupt turn"
	case keys.Clear:
		return "Clear prompt"
	case keys.PrevPrompt:
		return "Previous prompt"
	case keys.NextPrompt:
		return "Next prompt"
	case keys.Search:
		return "Search prompt history"
	case keys.Mode:
		return "Cycle permission mode"
	case keys.Open:
		return "Expand or collapse last output"
	case keys.OpenAll:
		return "Expand or collapse all output"
	case keys.PageUp:
		return "Scroll up"
	case keys.PageDown:
		return "Scroll down"
	case keys.Top:
		return "Jump to beginning"
	case keys.Bottom:
		return "Jump to end"
	case keys.PreviousTurn:
		return "Jump to previous turn"
	case keys.NextTurn:
		return "Jump to next turn"
	case keys.Mouse:
		return "Toggle mouse capture"
	case keys.Suspend:
		return "Suspend"
	case keys.Redraw:
		return "Redraw screen"
	}
	return editorTitle(a)
}

// editorTitle returns the title of an action of the prompt editor.
func editorTitle(a keys.Action) string {
	switch a {
	case keys.DeleteWord:
		return "Delete back to whitespace"
	case keys.DeleteWordLeft:
		return "Delete previous word"
	case keys.DeleteWordRight:
		return "Delete next word"
	case keys.DeleteToStart:
		return "Delete to start of line"
	case keys.DeleteToEnd:
		return "Delete to end of line"
	case keys.Yank:
		return "Paste deleted text"
	case keys.YankOlder:
		return "Paste earlier deleted text"
	case keys.SelectLeft:
		return "Extend selection left"
	case keys.CopySelection:
		return "Copy selection"
	case keys.Upper:
		return "Uppercase word"
	case keys.Lower:
		return "Lowercase word"
	case keys.Capital:
		return "Capitalize word"
	case keys.Expand:
		return "Expand paste at cursor"
	case keys.Attach:
		return "Paste image"
	}
	words := strings.ReplaceAll(string(a), "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
