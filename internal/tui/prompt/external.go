package prompt

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// Messages about the draft while it is edited in a program of the person's.
type (
	draftFiled struct { // the draft is in a file
		text, path string
		err        error
	}
	draftEdited struct { // and comes back from there
		was, text string
		err       error
	}
)

// noEditor is said where no editor is known.
const noEditor = "No editor is set. Set VISUAL or EDITOR to the one you want, as in  export EDITOR=vim  before the program is started."

// inTheirEditor is what stands on the terminal until the editor draws there, and
// where its window is elsewhere.
const inTheirEditor = "The draft is in your editor. It comes back when that ends."

// External lends the draft to the user's editor.
type External struct {
	*screen.Conversation
	editor *editor.Editor
	popup  *Suggestions
	// lend lets another program have the terminal, as terminal.Lend does.
	Lend    func(c *exec.Cmd, note string, told func(error) tea.Msg) tea.Cmd
	Editing bool // the draft is in the user's editor, or on its way there
}

// Start hands the draft to the person's editor, in a file that nobody
// else can read. Until it is back, it is not handed over again.
func (x *External) Start() tea.Cmd {
	if x.Options.Files.Editor == nil {
		x.Say(noEditor)
		return nil
	}
	if x.Editing {
		return nil
	}
	x.Editing = true
	x.popup.close()
	text := x.editor.Text()
	return func() tea.Msg {
		path, err := fileDraft(text)
		return draftFiled{text, path, err}
	}
}

// fileDraft writes text to a temporary file.
func fileDraft(text string) (path string, err error) {
	f, err := os.CreateTemp("", "prompt-*.md")
	if err != nil {
		return "", fmt.Errorf("make a file for the draft: %w", err)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" // editors complain of a last line that does not end
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write the draft: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// open lets the editor have the terminal.
func (x *External) open(msg draftFiled) tea.Cmd {
	if msg.err != nil {
		x.Editing = false
		x.Say("The draft is as it was: " + msg.err.Error() + ".")
		return nil
	}
	return x.Lend(x.Options.Files.Editor(msg.path), inTheirEditor, func(err error) tea.Msg {
		text, readErr := os.ReadFile(msg.path)
		if err == nil {
			err = readErr
		}
		if removeErr := os.Remove(msg.path); err == nil && !errors.Is(removeErr, os.ErrNotExist) {
			err = removeErr
		}
		return draftEdited{msg.text, string(text), err}
	})
}

// take takes what the editor left. A question that came meanwhile takes
// no key that was meant for the editor.
func (x *External) take(msg draftEdited) {
	x.Editing, x.LastKey = false, x.Now()
	if msg.err != nil {
		x.Say("The draft is as it was: " + ink.SanitizeLine(strings.TrimRight(whyUnedited(msg.err), ".")) + ".")
		return
	}
	text := strings.TrimSuffix(editor.UnixLines(msg.text), "\n")
	if text == strings.TrimSuffix(msg.was, "\n") {
		return
	}
	// What was not sent came back meanwhile, above the draft.
	if above, ok := strings.CutSuffix(x.editor.Text(), msg.was); ok && above != "" {
		text = strings.TrimSuffix(above, "\n") + "\n" + text
	}
	x.editor.ReplaceAll(text)
}

// whyUnedited says why an editor failed.
func whyUnedited(err error) string {
	const unknown = 127 // a shell's word for a program that it does not find
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == unknown {
		return "the editor that VISUAL or EDITOR names was not found"
	}
	return "the editor ended with " + err.Error()
}
