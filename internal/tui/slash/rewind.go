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

// point is a prompt that began a turn, or the end of the session.
type point struct {
	event.PastPrompt
	end bool
}

// choosePoint lists the prompts, the newest first, below what is above them.
func (s *Session) choosePoint(head, hint string, above []point, chose func(point) tea.Cmd) tea.Cmd {
	all := rewindPoints(s.Conversation)
	switch {
	case s.Feed.Running:
		s.Say(stopFirst)
		return nil
	case cannotRewind(s.Conversation):
		return nil
	case len(all) == 1:
		s.Say("nothing was said yet")
		return nil
	}
	all = all[:len(all)-1]
	slices.Reverse(all)
	p := &list.Choice[point]{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles}, Head: head, None: "no prompt fits", Chose: chose,
		Hint: "type to search · " + hint + " · esc closes", All: append(above, all...), Detail: func(t point, width, height int) []string { return drawPoint(s.Window, t, width, height) },
		Text: func(t point) string { return t.Text },
		Columns: func(t point) (when, what, side string) {
			if t.end {
				return "now", "the end: nothing is left out", ""
			}
			return list.ShortTime(t.Time, s.Now()), strings.Join(strings.Fields(ink.Sanitize(t.Text)), " "), ""
		}}
	p.Fill(0)
	return s.lists.Show(p)
}

// drawPoint draws a prompt, as far as there is room.
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
	said, ok := pointBack(s.Conversation, arg)
	if !ok {
		return nil, errors.New("use /rewind, or /rewind N, where N is how many prompts are taken back")
	}
	return s.rewind(said), nil
}

// ChooseRewind lists the prompts that can be rewound to.
func (s *Session) ChooseRewind() tea.Cmd {
	return s.choosePoint("take back a prompt, with all that followed, to say it otherwise", "enter takes back", nil, s.rewind)
}

func forkCommand(s *Session, arg string) (tea.Cmd, error) {
	if arg == "" {
		end := point{event.PastPrompt{At: s.Transcript.Events()}, true}
		return s.choosePoint("go on in a copy of this session, from before a prompt or from its end", "enter forks", []point{end}, s.fork), nil
	}
	said, ok := pointBack(s.Conversation, arg)
	if !ok {
		return nil, errors.New("use /fork, or /fork N, where N is how many of the last prompts the fork is to lack")
	}
	return s.fork(said), nil
}

// cannotRewind tells somebody who wants to go back why that cannot be, and reports
// whether it is so: the session was only just opened, or cannot be read.
func cannotRewind(s *screen.Conversation) bool {
	switch {
	case s.Broken != "":
		s.Say("the session cannot be read, so there is no way back in it: " + s.Broken)
	case !s.Transcript.Settled:
		s.Say("the session is still being read: try again in an instant")
	default:
		return false
	}
	return true
}

// rewindPoints are the prompts that began a turn, oldest first, and the end.
func rewindPoints(s *screen.Conversation) []point {
	var out []point
	for _, said := range s.Feed.TurnPrompts() {
		out = append(out, point{said, false})
	}
	return append(out, point{event.PastPrompt{At: s.Transcript.Events()}, true})
}

// pointBack is the prompt so many prompts back, in digits; for none at all, what
// would be the next one.
func pointBack(s *screen.Conversation, arg string) (point, bool) {
	points := rewindPoints(s)
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 || n >= len(points) {
		return point{}, false
	}
	return points[len(points)-1-n], true
}

// rewind takes back a prompt and all that followed. It can be said otherwise.
func (s *Session) rewind(to point) tea.Cmd {
	switch {
	case s.Feed.Running:
		s.Say(stopFirst)
	case cannotRewind(s.Conversation):
	default:
		s.Send(event.Rewind{Keep: to.At})
		s.editor.PutBefore(to.Text)
	}
	return nil
}

// fork goes on in a fork of the session, which ends before a prompt.
func (s *Session) fork(before point) tea.Cmd {
	switch {
	case s.Options.Session.ID == "":
		s.Say("this session is kept nowhere: there is nothing to fork")
		return nil
	case cannotRewind(s.Conversation):
		return nil
	}
	return s.LeaveFor(screen.Exit{Fork: &before.At, Draft: before.Text})
}
