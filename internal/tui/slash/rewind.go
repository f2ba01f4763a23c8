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
func (u *undo) choosePoint(head, hint string, above []point, chose func(point) tea.Cmd) tea.Cmd {
	all := u.points()
	switch problem := u.rewinds.Problem(); {
	case u.feed.Running:
		u.Say(interruptFirst)
		return nil
	case problem != "":
		u.Say(problem)
		return nil
	case len(all) == 1:
		u.Say("There are no prompts yet.")
		return nil
	}
	all = all[:len(all)-1]
	slices.Reverse(all)
	p := &list.Choice[point]{Chooser: list.Chooser{Keys: u.Keys, St: u.Styles}, Head: head, None: "No matching prompt.", Chose: chose,
		Hint: "type to search · " + hint + " · esc close", All: append(above, all...), Detail: func(t point, width, height int) []string { return drawPoint(u.Window, t, width, height) },
		Text: func(t point) string { return t.Text },
		Columns: func(t point) (when, what, side string) {
			if t.end {
				return "now", "the end of the session", ""
			}
			return list.ShortTime(t.Time, u.Now()), strings.Join(strings.Fields(ink.Sanitize(t.Text)), " "), transcript.SumText(t.Changes)
		}}
	p.Fill(0)
	return u.front.Lists.Show(p)
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
	to, ok := s.undo.pointBack(arg)
	if !ok {
		return nil, errors.New("usage: /rewind [N], where N is the number of prompts to rewind")
	}
	return s.undo.rewind(to), nil
}

// ChooseRewind opens the list of prompts to rewind to.
func (s *Session) ChooseRewind() tea.Cmd {
	return s.undo.choosePoint("Rewind the session to before a prompt", "enter rewind", nil, s.undo.rewind)
}

func forkCommand(s *Session, arg string) (tea.Cmd, error) {
	if arg == "" {
		return s.undo.choosePoint("Fork the session, before a prompt or at its end", "enter fork", []point{s.undo.end()}, s.fork), nil
	}
	to, ok := s.undo.pointBack(arg)
	if !ok {
		return nil, errors.New("usage: /fork [N], where N is the number of prompts that the fork leaves out")
	}
	return s.fork(to), nil
}

// end returns the end of the session.
func (u *undo) end() point { return point{event.PastPrompt{At: u.rewinds.End()}, true} }

// points returns the prompts that began a turn, oldest first, and the end.
func (u *undo) points() []point {
	var out []point
	for _, prompt := range u.feed.Log.TurnPrompts() {
		out = append(out, point{prompt, false})
	}
	return append(out, u.end())
}

// pointBack returns the point as many prompts back as arg says in digits; the end
// for 0.
func (u *undo) pointBack(arg string) (point, bool) {
	points := u.points()
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 || n >= len(points) {
		return point{}, false
	}
	return points[len(points)-1-n], true
}

// rewind rewinds to before a prompt. If files have changed since, it asks whether to undo
// these changes, too.
func (u *undo) rewind(to point) tea.Cmd {
	if u.feed.Log.ChangedSince(to.At) > 0 && !u.feed.Running && u.rewinds.Problem() == "" {
		u.request(event.PlanUndo{To: &to.At}, &to)
		return nil
	}
	u.rewindNow(to)
	return nil
}

// rewindNow removes a prompt and what followed, and puts the prompt into the editor.
func (u *undo) rewindNow(to point) {
	switch problem := u.rewinds.Problem(); {
	case u.feed.Running:
		u.Say(interruptFirst)
	case problem != "":
		u.Say(problem)
	default:
		u.undoRequest = undoRequest{}
		u.agent.Send(event.Rewind{Keep: to.At})
		u.editor.Prepend(to.Text)
	}
}

// fork continues in a fork of the session that ends before a prompt.
func (s *Session) fork(before point) tea.Cmd {
	switch problem := s.undo.rewinds.Problem(); {
	case s.Options.Session.ID == "":
		s.Say("This session is not saved, so it cannot be forked.")
		return nil
	case problem != "":
		s.Say(problem)
		return nil
	}
	return s.ExitTo(screen.Exit{Fork: &before.At, Draft: before.Text})
}
