package slash

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// point is a place to rewind or fork to: before a prompt that began a turn, or the
// end of the session.
type point struct {
	event.PastPrompt
	end bool
}

// choosePoint opens a list of above and the prompts, newest first.
func (s *Session) choosePoint(head, hint string, above []point, chose func(point) tea.Cmd) tea.Cmd {
	all := rewindPoints(s.Conversation)
	switch {
	case s.Feed.Running:
		s.Say(interruptFirst)
		return nil
	case cannotRewind(s.Conversation):
		return nil
	case len(all) == 1:
		s.Say("There are no prompts yet.")
		return nil
	}
	all = all[:len(all)-1]
	slices.Reverse(all)
	p := &list.Choice[point]{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles}, Head: head, None: "No matching prompt.", Chose: chose,
		Hint: "type to search · " + hint + " · esc close", All: append(above, all...), Detail: func(t point, width, height int) []string { return drawPoint(s.Window, t, width, height) },
		Text: func(t point) string { return t.Text },
		Columns: func(t point) (when, what, side string) {
			if t.end {
				return "now", "the end of the session", ""
			}
			return list.ShortTime(t.Time, s.Now()), strings.Join(strings.Fields(ink.Sanitize(t.Text)), " "), transcript.SumText(t.Changes)
		}}
	p.Fill(0)
	return s.lists.Show(p)
}

// drawPoint draws a prompt in at most height lines.
func drawPoint(w *screen.Window, t point, width, height int) []string {
	if t.end {
		return nil
	}
	p := &transcript.Prompt{Text: t.Text}
	p.Open = true
	lines := p.Draw(transcript.Canvas{Styles: w.Styles, Width: width})
	if len(lines) > height {
		lines = append(lines[:height-1:height-1], w.Styles.Dim.Render("  …"))
	}
	return lines
}

func rewindCommand(s *Session, arg string) (tea.Cmd, error) {
	if arg == "" {
		return s.ChooseRewind(), nil
	}
	to, ok := pointBack(s.Conversation, arg)
	if !ok {
		return nil, errors.New("usage: /rewind [N], where N is the number of prompts to rewind")
	}
	return s.rewind(to), nil
}

// ChooseRewind opens the list of prompts to rewind to.
func (s *Session) ChooseRewind() tea.Cmd {
	return s.choosePoint("Rewind the session to before a prompt", "enter rewind", nil, s.rewind)
}

func forkCommand(s *Session, arg string) (tea.Cmd, error) {
	if arg == "" {
		end := point{event.PastPrompt{At: s.Transcript.Events()}, true}
		return s.choosePoint("Fork the session, before a prompt or at its end", "enter fork", []point{end}, s.fork), nil
	}
	to, ok := pointBack(s.Conversation, arg)
	if !ok {
		return nil, errors.New("usage: /fork [N], where N is the number of prompts that the fork leaves out")
	}
	return s.fork(to), nil
}

// cannotRewind reports whether the session cannot be rewound or forked, because it is
// not read yet or cannot be read. Then it shows a notice.
func cannotRewind(s *screen.Conversation) bool {
	switch {
	case s.Broken != "":
		s.Say("Cannot rewind or fork, because the session cannot be read: " + s.Broken)
	case !s.Transcript.Settled:
		s.Say("The session is still being read. Try again in a moment.")
	default:
		return false
	}
	return true
}

// rewindPoints returns the prompts that began a turn, oldest first, and the end.
func rewindPoints(s *screen.Conversation) []point {
	var out []point
	for _, prompt := range s.Feed.TurnPrompts() {
		out = append(out, point{prompt, false})
	}
	return append(out, point{event.PastPrompt{At: s.Transcript.Events()}, true})
}

// pointBack returns the point as many prompts back as arg says in digits; the end
// for 0.
func pointBack(s *screen.Conversation, arg string) (point, bool) {
	points := rewindPoints(s)
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 || n >= len(points) {
		return point{}, false
	}
	return points[len(points)-1-n], true
}

// rewind rewinds to before a prompt. If files have changed since, it asks whether to undo
// these changes, too.
func (s *Session) rewind(to point) tea.Cmd {
	if s.Feed.ChangedSince(to.At) > 0 && !s.Feed.Running && s.Broken == "" && s.Transcript.Settled {
		s.undo.request(event.PlanUndo{To: &to.At}, &to)
		return nil
	}
	s.rewindNow(to)
	return nil
}

// rewindNow removes a prompt and what followed, and puts the prompt into the editor.
func (s *Session) rewindNow(to point) {
	switch {
	case s.Feed.Running:
		s.Say(interruptFirst)
	case cannotRewind(s.Conversation):
	default:
		s.undo = undo{Session: s}
		s.Send(event.Rewind{Keep: to.At})
		s.editor.Prepend(to.Text)
	}
}

// fork continues in a fork of the session that ends before a prompt.
func (s *Session) fork(before point) tea.Cmd {
	switch {
	case s.Options.Session.ID == "":
		s.Say("This session is not saved, so it cannot be forked.")
		return nil
	case cannotRewind(s.Conversation):
		return nil
	}
	return s.ExitTo(screen.Exit{Fork: &before.At, Draft: before.Text})
}
