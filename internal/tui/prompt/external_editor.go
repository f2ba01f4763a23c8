package prompt

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/scratch"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// The messages about the draft in an external editor.
type (
	// draftWritten reports that the draft is in the file path.
	draftWritten struct {
		text, path string
		err        error
	}
	// fileEdited reports that the editor of an instruction file exited.
	fileEdited struct {
		err error
		now string // what the user must know
	}
	// draftEdited reports that the editor exited and left text in the place of old.
	draftEdited struct {
		old, text string
		err       error
	}
)

// noEditor is the notice if no editor is configured.
const noEditor = "Cannot open an editor: $VISUAL and $EDITOR are not set. Your draft is unchanged."

// editorNote is shown on the terminal until the editor draws, or while it has a
// window of its own.
const editorNote = "The draft is open in your editor. Close the editor to continue."

// noFileEditor and fileNote are noEditor and editorNote for an instruction file.
const (
	noFileEditor = "Cannot open an editor: $VISUAL and $EDITOR are not set. The file is "
	fileNote     = "The file is open in your editor. Close the editor to continue."
)

// External edits the draft in the user's editor.
type External struct {
	*screen.Window
	say    func(text string)   // shows a notice
	send   func(event.Command) // to the agent
	editor *editor.Editor
	dialog *dialog.Dialog
	popup  *Suggestions
	// Lend runs a program on the terminal, as terminal.Lend does.
	Lend    func(c *exec.Cmd, note string, done func(error) tea.Msg) tea.Cmd
	Editing bool // the draft is open in the user's editor, or about to be
}

// Start opens the draft in the user's editor, in a file that only the user can read.
// It does nothing if the draft is open there already.
func (x *External) Start() tea.Cmd {
	if x.Options.Files.Editor == nil {
		x.say(noEditor)
		return nil
	}
	if x.Editing {
		return nil
	}
	x.Editing = true
	x.popup.close()
	text := x.editor.Text()
	return func() tea.Msg {
		path, err := writeDraft(text)
		return draftWritten{text, path, err}
	}
}

// EditFile opens an instruction file in the user's editor.
func (x *External) EditFile(path string) tea.Cmd {
	if x.Options.Files.Editor == nil {
		x.say(noFileEditor + ink.SanitizeLine(path) + ".")
		return nil
	}
	if x.Editing {
		return nil
	}
	x.Editing = true
	x.popup.close()
	return x.Lend(x.Options.Files.Editor(path), fileNote, func(err error) tea.Msg {
		return fileEdited{err, x.Options.Instructions.Edited()}
	})
}

// takeFile ends the editing of an instruction file.
func (x *External) takeFile(msg fileEdited) {
	x.Editing, x.LastKey = false, x.Now()
	if msg.err != nil {
		x.say(ink.SanitizeLine(strings.TrimRight(editorError(msg.err), ".")) + ".")
	}
	if msg.now != "" {
		x.say(msg.now)
	}
}

// summaryEdited reports that the editor exited and left the text of the summary.
type summaryEdited struct {
	old, text string
	err       error
}

// EditSummary opens the summary of the conversation in the user's editor.
func (x *External) EditSummary(text string) tea.Cmd {
	if x.Options.Files.Editor == nil {
		x.say("Cannot open an editor: $VISUAL and $EDITOR are not set. The summary is unchanged.")
		return nil
	}
	path, err := writeDraft(text)
	if err != nil {
		x.say("Cannot open the editor: " + err.Error() + ". The summary is unchanged.")
		return nil
	}
	return x.Lend(x.Options.Files.Editor(path), "The summary is open in your editor. Close the editor to continue.", func(err error) tea.Msg {
		edited, readErr := os.ReadFile(path)
		return summaryEdited{text, string(edited), errors.Join(err, readErr, os.Remove(path))}
	})
}

// takeSummary sends the edited summary to the agent.
func (x *External) takeSummary(msg summaryEdited) {
	x.LastKey = x.Now()
	text := strings.TrimSpace(editor.UnixLines(msg.text))
	switch {
	case msg.err != nil:
		x.say(ink.SanitizeLine(strings.TrimRight(editorError(msg.err), ".")) + ". The summary is unchanged.")
	case text == "" || text == strings.TrimSpace(msg.old):
		x.say("The summary is unchanged.")
	default:
		x.send(event.EditContext{Step: event.CompactEdit, Text: text})
	}
}

// planEdited reports that the editor exited and left text in the place of the plan old.
type planEdited struct {
	id        string // of the question
	old, text string
	err       error
}

// EditPlan opens the plan of the question with that ID in the user's editor.
func (x *External) EditPlan(id, plan string) tea.Cmd {
	if x.Options.Files.Editor == nil {
		x.say("Cannot open an editor: $VISUAL and $EDITOR are not set. The plan is unchanged.")
		return nil
	}
	if x.Editing {
		return nil
	}
	path, err := writeDraft(plan)
	if err != nil {
		x.say("Cannot open the editor: " + err.Error() + ". The plan is unchanged.")
		return nil
	}
	x.Editing = true
	x.popup.close()
	return x.Lend(x.Options.Files.Editor(path), "The plan is open in your editor. Close the editor to continue.", func(err error) tea.Msg {
		edited, readErr := os.ReadFile(path)
		return planEdited{id, plan, string(edited), errors.Join(err, readErr, os.Remove(path))}
	})
}

// takePlan puts the edited plan into its question, or into the prompt if the question
// was withdrawn meanwhile. It counts as a key press, as take does.
func (x *External) takePlan(msg planEdited) {
	x.Editing, x.LastKey = false, x.Now()
	text := strings.TrimSuffix(editor.UnixLines(msg.text), "\n")
	switch {
	case msg.err != nil:
		x.say(ink.SanitizeLine(strings.TrimRight(editorError(msg.err), ".")) + ". The plan is unchanged.")
	case x.dialog.SetPlan(msg.id, text):
	case text != strings.TrimSuffix(msg.old, "\n"):
		x.editor.Prepend(text)
		x.say("The plan is no longer waiting for an answer. Your edited text is in the prompt.")
	}
}

// writeDraft writes text to a temporary file.
func writeDraft(text string) (path string, err error) {
	return writeTemp("prompt-*.md", phrase.EndLine(text)) // editors warn about a last line without a newline
}

// writeTemp writes text to a temporary file that only the user can read.
func writeTemp(pattern, text string) (path string, err error) {
	f, err := scratch.CreateTemp(pattern)
	if err != nil {
		return "", fmt.Errorf("create a file for the draft: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write the draft: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// open runs the editor on the file of the draft.
func (x *External) open(msg draftWritten) tea.Cmd {
	if msg.err != nil {
		x.Editing = false
		x.say("Cannot open the editor: " + msg.err.Error() + ". Your draft is unchanged.")
		return nil
	}
	return x.Lend(x.Options.Files.Editor(msg.path), editorNote, func(err error) tea.Msg {
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

// apply puts the edited text into the prompt. It counts as a key press, so that a
// question that opened meanwhile takes no key that was meant for the editor.
func (x *External) apply(msg draftEdited) {
	x.Editing, x.LastKey = false, x.Now()
	if msg.err != nil {
		x.say(ink.SanitizeLine(strings.TrimRight(editorError(msg.err), ".")) + ". Your draft is unchanged.")
		return
	}
	text := strings.TrimSuffix(editor.UnixLines(msg.text), "\n")
	if text == strings.TrimSuffix(msg.old, "\n") {
		return
	}
	// Keep unsent messages that were returned above the draft meanwhile.
	if above, ok := strings.CutSuffix(x.editor.Text(), msg.old); ok && above != "" {
		text = strings.TrimSuffix(above, "\n") + "\n" + text
	}
	x.editor.ReplaceAll(text)
}

// editorError describes the failure of an editor.
func editorError(err error) string {
	const notFound = 127 // exit code of a shell for an unknown program
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == notFound {
		return "Cannot open an editor: the program in $VISUAL or $EDITOR was not found"
	}
	return "The editor failed: " + err.Error()
}
