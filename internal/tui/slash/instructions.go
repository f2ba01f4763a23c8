package slash

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// instructionsWritten is the result of a change of an instruction file.
type instructionsWritten struct {
	change event.Diff
	err    error
}

// Written is an item with the diff of a file that a command wrote.
type Written struct{ Diff event.Diff }

// maxWritten is the maximum number of lines of a diff.
const maxWritten = 40

// Title describes the change in one line.
func (w *Written) Title() string {
	verb := "Changed "
	if w.Diff.Created {
		verb = "Created "
	}
	return verb + ink.SanitizeLine(w.Diff.Path) + " (" + diff.Stat(w.Diff) + ")"
}

// Draw implements transcript.Item.
func (w *Written) Draw(c transcript.Canvas) []string {
	lines := ink.Wrap(w.Title(), c.Inner())
	return ink.Hang(" ", append(lines, diff.Lines(c.Styles, w.Diff, max(c.Inner(), 2), maxWritten)...))
}

// initCommand lets the model write AGENTS.md; without a model, the program does.
func initCommand(s *Session, _ string) (tea.Cmd, error) {
	if s.Options.Instructions.Init == nil {
		s.Say(noInstructions)
		return nil, nil
	}
	if (screen.Status{Model: s.feed.State.Model}).Offline() == "" && s.feed.State.Model != "" {
		s.agent.SendPrompt(event.Prompt{Text: s.Options.Instructions.InitPrompt})
		return nil, nil
	}
	return func() tea.Msg {
		d, err := s.Options.Instructions.Init()
		return instructionsWritten{d, err}
	}, nil
}

// noInstructions is shown if the session has no instruction files, as in the demo.
const noInstructions = "This session does not use instruction files."

// memoryCommand opens an instruction file in the user's editor, or adds a line to
// the project's.
func memoryCommand(s *Session, arg string) (tea.Cmd, error) {
	o := s.Options.Instructions
	if o.Add == nil {
		s.Say(noInstructions)
		return nil, nil
	}
	word, text, _ := strings.Cut(arg, " ")
	switch text = strings.TrimSpace(text); {
	case word == "add" && text != "":
		return func() tea.Msg {
			d, err := o.Add(text)
			return instructionsWritten{d, err}
		}, nil
	case word != "":
		return nil, errors.New("usage: /memory to edit an instruction file, or /memory add TEXT to add a line")
	}
	return s.chooseInstructions(o.Files()), nil
}

// chooseInstructions opens the list of instruction files. In plain mode, which has no
// editor, it prints them.
func (s *Session) chooseInstructions(files []screen.InstructionFile) tea.Cmd {
	if s.Front.Screen == nil {
		f := &Properties{}
		for _, file := range files {
			f.Rows = append(f.Rows, [2]string{ink.SanitizeLine(file.Name), ink.SanitizeLine(file.What)})
		}
		s.Show(f)
		s.Say("To add a line to the project's file: /memory add TEXT")
		return nil
	}
	u := &list.Menu{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles}, Head: "Instruction files", None: "No matching file.",
		Hint: "type to search · enter edit · esc close", Chose: func(o list.Option) tea.Cmd {
			s.Front.Lists.Close()
			return s.Front.Screen.EditFile(o.ID)
		}}
	var all []list.Option
	for _, file := range files {
		all = append(all, list.Option{ID: file.Path, Name: ink.SanitizeLine(file.Name), What: ink.SanitizeLine(file.What)})
	}
	u.Fill(all)
	return s.Front.Lists.Show(u)
}

// showWritten shows the result of a change of an instruction file.
func (s *Session) showWritten(w instructionsWritten) {
	if w.err != nil {
		s.Show(&transcript.Problem{Text: w.err.Error()})
	} else {
		s.Show(&Written{w.change})
	}
}
