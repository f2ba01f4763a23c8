package tui

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// stage is how far a tool call has come.
type stage int

const (
	composing stage = iota // the model still writes it
	waiting                // it is whole, and its turn has not come
	asking                 // the person is asked
	running
	finished
)

// How much of a tool is shown while it is closed.
const (
	tailLines  = 5  // of output while it runs
	diffLines  = 10 // of what it wrote
	errorLines = 3
	openLines  = 2000 // of output while it is open
	tailBytes  = 8 << 10
)

// tool is one tool call, from the first piece that the model writes of it to
// its result. It knows nothing of any particular tool.
type tool struct {
	id, reply string
	title     string
	effect    string
	targets   []event.Target
	written   int // bytes of its arguments, while the model writes them
	stage     stage
	outcome   event.Outcome
	summary   string
	result    string
	diffs     []event.Diff
	began     time.Time
	took      time.Duration // so far, while it runs
	tail      string        // the end of its output
	granted   string        // the scope of an always
	note      string        // what the person said with a decision
	decided   bool          // by the person
	todo      []event.TodoItem
	open      bool

	joins bool    // it directly follows a call of the same reply
	head  *tool   // the call whose line tells of this one
	tells []*tool // the calls that this one's line tells of, itself the first
}

func (t *tool) class() class   { return steps }
func (t *tool) more() bool     { return t.stage >= running }
func (t *tool) opened() bool   { return t.open }
func (t *tool) setOpen(b bool) { t.open = b }

// start takes the intent to run.
func (t *tool) start(ev *event.ToolStart, now time.Time) {
	t.title, t.effect, t.targets = ev.Title, ev.Effect, ev.Targets
	t.stage, t.began = running, now
}

// end takes the result.
func (t *tool) end(ev *event.ToolEnd) {
	if ev.Title != "" {
		t.title = ev.Title
	}
	if ev.Effect != "" {
		t.effect = ev.Effect
	}
	t.stage, t.outcome, t.summary, t.diffs = finished, ev.Outcome, ev.Summary, ev.Diffs
	t.took, t.result, t.tail = ev.Duration, ev.Result.Text, ""
}

// abandon ends a call of which nothing more will be heard.
func (t *tool) abandon() {
	t.stage, t.outcome, t.tail = finished, event.Uncertain, ""
}

// progress takes a piece of output.
func (t *tool) progress(text string) {
	t.tail += text
	if over := len(t.tail) - tailBytes; over > 0 {
		t.tail = t.tail[over:]
		if i := strings.IndexByte(t.tail, '\n'); i >= 0 && i < len(t.tail)-1 {
			t.tail = t.tail[i+1:]
		}
	}
}

func (t *tool) draw(c canvas) []string {
	if t.head != nil && t.head != t {
		return nil
	}
	open := t.open || c.whole
	if len(t.tells) > 1 && !open {
		return []string{t.foldedLine(c)}
	}
	if len(t.tells) > 1 {
		var out []string
		for _, each := range t.tells {
			out = append(append(out, each.line(c)), each.body(c, true)...)
		}
		return out
	}
	return append([]string{t.line(c)}, t.body(c, open)...)
}

// mark is what stands in the gutter.
func (t *tool) mark(c canvas) string {
	switch {
	case t.stage == asking:
		return c.st.Yellow.Render(ink.MarkAsked)
	case t.stage != finished:
		return ink.MarkRunning
	case t.outcome != event.OK:
		return c.st.Red.Render(ink.MarkFailed)
	}
	return c.st.Green.Render(ink.MarkDone)
}

// line is the call in one line: what, how it went, how long it took.
func (t *tool) line(c canvas) string {
	verb, rest, _ := strings.Cut(ink.SanitizeLine(t.title), " ")
	left := verb
	if rest != "" {
		left += "  " + rest
	}
	return t.mark(c) + " " + t.fields(c, left, t.words(), t.time(c))
}

// fields sets left, middle and right in one line. The middle goes first where
// room is short.
func (t *tool) fields(c canvas, left, middle, right string) string {
	if middle != "" && right != "" {
		middle += "  "
	}
	if c.inner()-lipgloss.Width(middle+right)-2 < min(lipgloss.Width(left), 24) {
		middle = ""
	}
	if middle+right == "" {
		return ink.Truncate(left, c.inner())
	}
	return ink.Spread(left, c.st.Dim.Render(middle+right), c.inner())
}

// words are the few words between title and time.
func (t *tool) words() string {
	if t.stage == composing && t.written > 0 {
		return phrase.Thousands(t.written) + " bytes"
	}
	if t.stage != finished {
		return ""
	}
	switch t.outcome {
	case event.OK:
		if t.summary == "" && len(t.diffs) == 1 {
			return diff.Stat(t.diffs[0])
		}
		return ink.SanitizeLine(t.summary)
	case event.Failed:
		return ink.SanitizeLine(t.summary)
	case event.Refused:
		return "refused"
	case event.Interrupted:
		return "stopped"
	case event.Uncertain:
		return "nobody knows how it ended"
	}
	return ""
}

// time is how long it took, with the spinner while it runs.
func (t *tool) time(c canvas) string {
	switch {
	case t.stage == running:
		return spinner(c.frame) + " " + phrase.Tenths(t.took)
	case t.stage == finished && (t.outcome == event.OK || t.outcome == event.Failed || t.took > 0):
		return phrase.Tenths(t.took)
	}
	return ""
}

// body is what stands below the line.
func (t *tool) body(c canvas, open bool) []string {
	width := max(c.width-4, 1)
	var out []string
	if open {
		out = append(out, t.whole(c, width)...)
	}
	if t.granted != "" {
		out = append(out, ink.RenderLines(c.st.Dim, ink.Wrap("always allowed in this session: "+ink.SanitizeLine(t.granted), width))...)
	}
	if t.note != "" {
		out = append(out, ink.RenderLines(c.st.Dim, ink.Wrap("you: "+ink.Sanitize(t.note), width))...)
	}
	out = append(out, todoLines(c.st, t.todo, width, open)...)
	limit := diffLines
	if open {
		limit = openLines
	}
	for _, d := range t.diffs {
		if len(t.diffs) > 1 {
			out = append(out, ink.Truncate(ink.SanitizeLine(d.Path)+"  "+diff.Stat(d), width))
		}
		out = append(out, diff.Lines(c.st, d, width, limit)...)
	}
	out = append(out, t.output(c, width, open)...)
	for i, l := range out {
		out[i] = strings.TrimRight("    "+l, " ")
	}
	return out
}

// whole is what the line has no room for: a long title, and a command, which
// may have many lines.
func (t *tool) whole(c canvas, width int) []string {
	title := ink.SanitizeLine(t.title)
	_, rest, _ := strings.Cut(title, " ")
	shown := strings.Contains(ansi.Strip(t.line(c)), rest)
	for _, target := range t.targets {
		if target.Kind == "command" && !(shown && strings.HasSuffix(title, target.Value)) {
			return spell(target.Value, width)
		}
	}
	if shown {
		return nil
	}
	return ink.Wrap(title, width)
}

// output is the end of the output while the call runs, the error of one that
// failed, or everything while it is open.
func (t *tool) output(c canvas, width int, open bool) []string {
	switch {
	case t.stage == running && open:
		return ink.RenderLines(c.st.Dim, outputLines(t.tail, width))
	case t.stage == running:
		lines := outputLines(t.tail, width)
		return ink.RenderLines(c.st.Dim, lines[max(0, len(lines)-tailLines):])
	case t.stage != finished:
		return nil
	case open:
		limit := openLines
		if c.whole {
			limit = wholeBytes
		}
		text, more := ink.Head(t.result, c.limit())
		lines := ink.RenderLines(c.st.Dim, capLines(outputLines(text, width), limit, width))
		return append(lines, c.left(more)...)
	case t.outcome == event.Failed && t.summary != "": // it ran, and its end says why it failed
		lines := outputLines(ink.Tail(t.result, closedBytes), width)
		return ink.RenderLines(c.st.Dim, lines[max(0, len(lines)-tailLines):])
	case t.outcome == event.Failed:
		text, more := ink.Head(strings.TrimSpace(t.result), closedBytes)
		lines := ink.Wrap(ink.Sanitize(text), width)
		if over := len(lines) + more - errorLines; over > 1 {
			return append(lines[:min(errorLines, len(lines))], ink.Truncate("… "+phrase.Count(over, "more line"), width))
		}
		return lines
	}
	return nil
}

// outputLines breaks output into lines as a terminal would show them: of what a
// carriage return overwrote, only the last is left.
func outputLines(s string, width int) []string {
	s = strings.TrimRight(s, "\r\n")
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
	}
	return ink.Wrap(ink.Sanitize(strings.Join(lines, "\n")), width)
}

// capLines keeps the first n lines and says how many are left out.
func capLines(lines []string, n, width int) []string {
	if more := len(lines) - n; more > 1 {
		return append(lines[:n:n], ink.Truncate("… "+phrase.Count(more, "more line"), width))
	}
	return lines
}

// spinner returns a frame of the one thing that moves.
func spinner(frame int) string {
	frames := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	return frames[frame%len(frames)]
}
