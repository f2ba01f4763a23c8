package transcript

import (
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// ranLines is how much is shown of what a command of the person's said, while
// it is closed.
const ranLines = 12

// ShellCommand is a command that the person ran. It is drawn as what they said,
// with its output below it.
type ShellCommand struct {
	Tool
	Line string // with the marks that it was typed with
}

func (c *ShellCommand) Class() Class { return Apart }

func (c *ShellCommand) Draw(on Canvas) []string {
	right := c.words()
	if took := c.time(on); took != "" {
		right = strings.TrimLeft(right+"  "+took, " ")
	}
	lines := ink.Wrap(ink.Sanitize(c.Line), on.Inner())
	more := 0
	if over := len(lines) - userLines; over > 1 && !c.open && !on.Full {
		lines, more = lines[:userLines], over
	}
	lines = ink.RenderLines(on.Styles.Bold, lines)
	if more > 0 {
		lines = append(lines, on.Styles.Dim.Render(ink.Truncate("… "+phrase.Count(more, "more line"), on.Inner())))
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
	for _, l := range c.said(max(on.Width-4, 1), c.open || on.Full) {
		lines = append(lines, strings.TrimRight("  "+on.Styles.Dim.Render(l), " "))
	}
	return ink.Hang(mark, lines)
}

// said is the output as far as it is shown.
func (c *ShellCommand) said(width int, open bool) []string {
	if c.Stage != Finished {
		lines := outputLines(c.tail, width)
		return lines[max(0, len(lines)-ranLines):]
	}
	if open {
		return capLines(outputLines(c.result, width), OpenLines, width)
	}
	text := strings.TrimRight(c.result, "\n")
	if at := strings.LastIndexByte(text, '\n') + 1; (c.Summary != "" || c.Outcome == event.Interrupted) && strings.HasPrefix(text[at:], "[") {
		text = text[:at] // how it ended stands on the right already
	}
	lines := outputLines(text, width)
	if more := len(lines) - ranLines; more > 1 {
		return append([]string{ink.Truncate("… "+phrase.Count(more, "more line")+" above", width)}, lines[more:]...)
	}
	return lines
}

// shell follows a command of the person's.
func (f *Feed) shell(ev event.Event) {
	switch ev := ev.(type) {
	case *event.ShellStart:
		c := &ShellCommand{Line: AsTyped(ev.Line, ev.Join)}
		c.id, c.Stage, c.began = ev.ID, running, f.now()
		f.Shell = f.list.put(c)
		if n := len(f.Recall); n == 0 || f.Recall[n-1] != c.Line {
			f.Recall = append(f.Recall, c.Line)
		}
	case *event.ShellEnd:
		r := f.Shell
		if r != nil && f.list.carried(r) { // it is told where it ends, as it is when the page is read again
			f.list.remove(r)
			r = nil
		}
		if r == nil || r.Item.(*ShellCommand).id != ev.ID {
			r = f.list.put(&ShellCommand{Line: AsTyped(ev.Line, ev.Join)})
		}
		c := r.Item.(*ShellCommand)
		c.Stage, c.Outcome, c.Summary, c.result, c.tail, c.took = Finished, ev.Outcome, ev.Summary, ev.Text, "", ev.Duration
		r.end = f.list.Events() - 1
		r.Touch()
		f.Shell = nil
		if !f.Running {
			f.Stopping, f.Killing = false, false
		}
	case event.Progress:
		if f.Shell != nil && f.Shell.Item.(*ShellCommand).id == ev.ID {
			f.Shell.Item.(*ShellCommand).progress(ev.Text)
			f.Shell.Touch()
		}
	}
}

// bound says that a page may begin with the next event. A command that runs goes
// along: the page that it began in knows nothing of its end.
func (f *Feed) bound(inTurn bool) {
	before := f.list.last()
	f.list.bound(inTurn)
	if f.Shell != nil && f.list.last() != before {
		f.list.carry(f.Shell, before)
	}
}

// shellTick advances what moves of a command of the person's.
func (f *Feed) shellTick() {
	if f.Shell != nil {
		c := f.Shell.Item.(*ShellCommand)
		c.took = f.now().Sub(c.began)
		f.Shell.Touch()
	}
}

// shellGone ends a command of which nothing more will be heard.
func (f *Feed) shellGone() {
	if f.Shell != nil {
		f.Shell.Item.(*ShellCommand).abandon()
		f.Shell.Touch()
		f.Shell = nil
	}
}

// AsTyped is a command as the person types it.
func AsTyped(line string, join bool) string {
	if join {
		return "!" + line
	}
	return "!!" + line
}
