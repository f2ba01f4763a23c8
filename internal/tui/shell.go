package tui

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

// typedCommand is a command that the person ran. It is drawn as what they said,
// with its output below it.
type typedCommand struct {
	tool
	line string // with the marks that it was typed with
}

func (c *typedCommand) class() class { return said }

func (c *typedCommand) draw(on canvas) []string {
	right := c.words()
	if took := c.time(on); took != "" {
		right = strings.TrimLeft(right+"  "+took, " ")
	}
	lines := ink.Wrap(ink.Sanitize(c.line), on.inner())
	more := 0
	if over := len(lines) - userLines; over > 1 && !c.open && !on.whole {
		lines, more = lines[:userLines], over
	}
	lines = ink.RenderLines(on.st.Bold, lines)
	if more > 0 {
		lines = append(lines, on.st.Dim.Render(ink.Truncate("… "+phrase.Count(more, "more line"), on.inner())))
	}
	if room := on.inner() - lipgloss.Width(lines[0]) - 2; right != "" && lipgloss.Width(right) <= room {
		lines[0] = ink.Spread(lines[0], on.st.Dim.Render(right), on.inner())
	} else if right != "" {
		lines = append(lines, on.st.Dim.Render(ink.Truncate(right, on.inner())))
	}
	mark := on.st.Cyan.Render(ink.MarkUser)
	if c.stage == finished && c.outcome != event.OK {
		mark = on.st.Red.Render(ink.MarkFailed)
	}
	for _, l := range c.said(max(on.width-4, 1), c.open || on.whole) {
		lines = append(lines, strings.TrimRight("  "+on.st.Dim.Render(l), " "))
	}
	return ink.Hang(mark, lines)
}

// said is the output as far as it is shown.
func (c *typedCommand) said(width int, open bool) []string {
	if c.stage != finished {
		lines := outputLines(c.tail, width)
		return lines[max(0, len(lines)-ranLines):]
	}
	if open {
		return capLines(outputLines(c.result, width), openLines, width)
	}
	text := strings.TrimRight(c.result, "\n")
	if at := strings.LastIndexByte(text, '\n') + 1; (c.summary != "" || c.outcome == event.Interrupted) && strings.HasPrefix(text[at:], "[") {
		text = text[:at] // how it ended stands on the right already
	}
	lines := outputLines(text, width)
	if more := len(lines) - ranLines; more > 1 {
		return append([]string{ink.Truncate("… "+phrase.Count(more, "more line")+" above", width)}, lines[more:]...)
	}
	return lines
}

// shell follows a command of the person's.
func (f *feed) shell(ev event.Event) {
	switch ev := ev.(type) {
	case *event.ShellStart:
		c := &typedCommand{line: asTyped(ev.Line, ev.Join)}
		c.id, c.stage, c.began = ev.ID, running, f.now()
		f.typed = f.list.put(c)
		if n := len(f.prompts); n == 0 || f.prompts[n-1] != c.line {
			f.prompts = append(f.prompts, c.line)
		}
	case *event.ShellEnd:
		r := f.typed
		if r != nil && f.list.carried(r) { // it is told where it ends, as it is when the page is read again
			f.list.remove(r)
			r = nil
		}
		if r == nil || r.item.(*typedCommand).id != ev.ID {
			r = f.list.put(&typedCommand{line: asTyped(ev.Line, ev.Join)})
		}
		c := r.item.(*typedCommand)
		c.stage, c.outcome, c.summary, c.result, c.tail, c.took = finished, ev.Outcome, ev.Summary, ev.Text, "", ev.Duration
		r.end = f.list.events() - 1
		r.touch()
		f.typed = nil
		if !f.running {
			f.stopping, f.killing = false, false
		}
	case event.Progress:
		if f.typed != nil && f.typed.item.(*typedCommand).id == ev.ID {
			f.typed.item.(*typedCommand).progress(ev.Text)
			f.typed.touch()
		}
	}
}

// bound says that a page may begin with the next event. A command that runs goes
// along: the page that it began in knows nothing of its end.
func (f *feed) bound(inTurn bool) {
	before := f.list.last()
	f.list.bound(inTurn)
	if f.typed != nil && f.list.last() != before {
		f.list.carry(f.typed, before)
	}
}

// shellTick advances what moves of a command of the person's.
func (f *feed) shellTick() {
	if f.typed != nil {
		c := f.typed.item.(*typedCommand)
		c.took = f.now().Sub(c.began)
		f.typed.touch()
	}
}

// shellGone ends a command of which nothing more will be heard.
func (f *feed) shellGone() {
	if f.typed != nil {
		f.typed.item.(*typedCommand).abandon()
		f.typed.touch()
		f.typed = nil
	}
}

// asTyped is a command as the person types it.
func asTyped(line string, join bool) string {
	if join {
		return "!" + line
	}
	return "!!" + line
}

// parseShell splits what is typed to run a command: !LINE joins its output to
// the conversation, !!LINE only shows it.
func parseShell(text string) (line string, join, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !ok {
		return "", false, false
	}
	line, only := strings.CutPrefix(rest, "!")
	line = strings.TrimSpace(line)
	return line, !only, line != ""
}

// runShell runs a command of the person's.
func (m *model) runShell(line string, join bool) {
	m.feed.prompts = append(m.feed.prompts, asTyped(line, join))
	m.starting = true
	m.send(event.RunShell{Line: line, Join: join})
}

// busy reports whether something runs that can be stopped.
func (m *model) busy() bool { return m.feed.running || m.feed.typed != nil }
