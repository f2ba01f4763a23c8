package transcript

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// shellLines is the number of output lines of a collapsed command of the user.
const shellLines = 12

// ShellCommand is an item for a command of the user, drawn like a prompt with its
// output below.
type ShellCommand struct {
	Tool
	Line string // as typed, with its leading ! or !!
}

func (c *ShellCommand) class() class { return apart }

// Draw implements Item.
func (c *ShellCommand) Draw(on Canvas) []string {
	right := c.words()
	if took := c.time(); took != "" {
		right = strings.TrimLeft(right+"  "+took, " ")
	}
	lines := ink.Wrap(ink.Sanitize(c.Line), on.Inner())
	more := 0
	if over := len(lines) - promptLines; over > 1 && !c.Open && !on.Full {
		lines, more = lines[:promptLines], over
	}
	lines = ink.RenderLines(on.Styles.Bold, lines)
	if more > 0 {
		lines = append(lines, on.Styles.Dim.Render(ink.Truncate(on.collapsed(more), on.Inner())))
	}
	if room := on.Inner() - lipgloss.Width(lines[0]) - 2; right != "" && lipgloss.Width(right) <= room {
		lines[0] = ink.Spread(lines[0], on.Styles.Dim.Render(right), on.Inner())
	} else if right != "" {
		lines = append(lines, on.Styles.Dim.Render(ink.Truncate(right, on.Inner())))
	}
	mark := on.Styles.Cyan.Render(ink.MarkUser)
	if c.Stage == Finished && c.Outcome != event.OK {
		mark = on.Styles.Red.Render(ink.MarkFailed)
	}
	for _, l := range c.output(on, max(on.Width-4, 1), c.Open || on.Full) {
		lines = append(lines, strings.TrimRight("  "+on.Styles.Dim.Render(l), " "))
	}
	for _, l := range c.changeLines(on, max(on.Width-4, 1), c.Open || on.Full) {
		lines = append(lines, "  "+l)
	}
	return ink.Hang(mark, lines)
}

// output draws the visible part of the output.
func (c *ShellCommand) output(on Canvas, width int, open bool) []string {
	if c.Stage != Finished {
		return lastLines(outputLines(c.course.tail, width), shellLines)
	}
	if open {
		return firstLines(outputLines(c.result, width), OpenLines, width)
	}
	text := strings.TrimRight(c.result, "\n")
	if at := strings.LastIndexByte(text, '\n') + 1; (c.Summary != "" || c.Outcome == event.Interrupted) && strings.HasPrefix(text[at:], "[") {
		text = text[:at] // the first line shows how it ended
	}
	lines := outputLines(text, width)
	if more := len(lines) - shellLines; more > 1 {
		return append([]string{ink.Truncate(on.collapsed(more), width)}, lines[more:]...)
	}
	return lines
}

// shell tracks the running command of the user.
type shell struct {
	list *Transcript
	row  *Row // a *ShellCommand; nil if none is running
	// ended is the row of the command that ended last; nil if there is none.
	ended *Row
}

// command returns the running command.
func (s *shell) command() *ShellCommand { return s.row.Item.(*ShellCommand) }

// start shows a command and returns it as typed.
func (s *shell) start(ev *event.ShellStart, now time.Time) string {
	c := &ShellCommand{Line: AsTyped(ev.Line, ev.Join)}
	c.id, c.Stage, c.course.began = ev.ID, running, now
	s.row = s.list.append(c)
	return c.Line
}

// progress adds output of the running command.
func (s *shell) progress(ev event.Progress) {
	if s.row != nil && s.command().id == ev.ID {
		s.command().progress(ev.Text)
		s.row.Touch()
	}
}

// end shows the result of a command. A command that started on an earlier page moves
// to the page of its end, where it is shown when the pages are read again.
func (s *shell) end(ev *event.ShellEnd) {
	if s.row != nil && s.row.at < s.list.Pages.last().from {
		s.drop()
	}
	if s.row == nil || s.command().id != ev.ID {
		s.row = s.list.append(&ShellCommand{Line: AsTyped(ev.Line, ev.Join)})
	}
	c := s.command()
	c.Stage, c.Outcome, c.Summary, c.result, c.course.tail, c.course.took = Finished, ev.Outcome, ev.Summary, ev.Text, "", ev.Duration
	c.id = ev.ID
	s.row.end = s.list.Pages.Events() - 1
	s.row.Touch()
	s.ended, s.row = s.row, nil
}

// tick updates the time of the running command.
func (s *shell) tick(now time.Time) {
	if s.row != nil {
		s.command().course.took = now.Sub(s.command().course.began)
		s.row.Touch()
	}
}

// abandon ends a command that gets no further events.
func (s *shell) abandon() {
	if s.row != nil {
		s.command().abandon()
		s.row.Touch()
		s.row = nil
	}
}

// drop removes the running command from the transcript.
func (s *shell) drop() {
	if s.row != nil {
		s.list.remove(s.row)
		s.row = nil
	}
}

// AsTyped returns a command with its leading ! or !!.
func AsTyped(line string, join bool) string {
	if join {
		return "!" + line
	}
	return "!!" + line
}
