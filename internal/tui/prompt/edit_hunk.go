package prompt

import (
	"errors"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
)

// hunkEdited reports that the editor exited and left text in the place of a hunk.
type hunkEdited struct {
	hunk dialog.Hunk
	text string
	err  error
}

// EditHunk opens the new lines of a hunk in the user's editor, byte for byte.
func (x *External) EditHunk(h dialog.Hunk) tea.Cmd {
	if x.Options.Files.Editor == nil {
		x.say("Cannot open an editor: $VISUAL and $EDITOR are not set. The hunk is unchanged.")
		return nil
	}
	if x.Editing {
		return nil
	}
	file, err := writeTemp("hunk-*"+extension(h.Path), h.Text)
	if err != nil {
		x.say("Cannot open the editor: " + err.Error() + ". The hunk is unchanged.")
		return nil
	}
	x.Editing = true
	x.popup.close()
	return x.Lend(x.Options.Files.Editor(file), "The hunk is open in your editor. Close the editor to continue. An empty file rejects the hunk.", func(err error) tea.Msg {
		edited, readErr := os.ReadFile(file)
		return hunkEdited{h, string(edited), errors.Join(err, readErr, os.Remove(file))}
	})
}

// extension returns the extension of a path for the editor's syntax highlighting; empty
// if it has characters that are unusual in one.
func extension(name string) string {
	ext := path.Ext(name)
	if len(ext) > 12 || strings.Trim(ext, ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-") != "" {
		return ""
	}
	return ext
}

// takeHunk puts the edited text into its question, or into the prompt if the question was
// withdrawn meanwhile. It counts as a key press, as take does.
func (x *External) takeHunk(msg hunkEdited) {
	x.Editing, x.LastKey = false, x.Now()
	switch {
	case msg.err != nil:
		x.say(ink.SanitizeLine(strings.TrimRight(editorError(msg.err), ".")) + ". The hunk is unchanged.")
	case !utf8.ValidString(msg.text) || strings.ContainsRune(msg.text, 0):
		x.say("The edited text is not UTF-8 text. The hunk is unchanged.")
	case x.dialog.SetHunk(msg.hunk, msg.text):
	case msg.text != msg.hunk.Text:
		x.editor.Prepend(strings.TrimSuffix(msg.text, "\n"))
		x.say("The change is no longer waiting for an answer. Your edited text is in the prompt.")
	}
}
