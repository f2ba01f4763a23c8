package transcript

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
	Finished
)

// How much of a tool is shown while it is closed.
const (
	tailLines  = 5  // of output while it runs
	diffLines  = 10 // of what it wrote
	errorLines = 3
	OpenLines  = 2000 // of output while it is open
	tailBytes  = 8 << 10
)

// Tool is one tool call, from the first piece that the model writes of it to
// its result. It knows nothing of any particular tool.
type Tool struct {
	id, reply string
	Title     string
	Effect    string
	targets   []event.Target
	written   int // bytes of its arguments, while the model writes them
	Stage     stage
	Outcome   event.Outcome
	Summary   string
	result    string
	Diffs     []event.Diff
	began     time.Time
	took      time.Duration // so far, while it runs
	tail      string        // the end of its output
	granted   string        // the scope of an always
	note      string        // what the person said with a decision
	decided   bool          // by the person
	todo      []event.TodoItem
	open      bool

	joins bool    // it directly follows a call of the same reply
	head  *Tool   // the call whose line tells of this one
	tells []*Tool // the calls that this one's line tells of, itself the first
}

func (t *Tool) Class() Class { return Steps }

func (t *Tool) more() bool { return t.Stage >= running }

func (t *Tool) opened() bool { return t.open }

func (t *Tool) setOpen(b bool) { t.open = b }

// start takes the intent to run.
func (t *Tool) start(ev *event.ToolStart, now time.Time) {
	t.Title, t.Effect, t.targets = ev.Title, ev.Effect, ev.Targets
	t.Stage, t.began = running, now
}

// end takes the result.
func (t *Tool) end(ev *event.ToolEnd) {
	if ev.Title != "" {
		t.Title = ev.Title
	}
	if ev.Effect != "" {
		t.Effect = ev.Effect
	}
	t.Stage, t.Outcome, t.Summary, t.Diffs = Finished, ev.Outcome, ev.Summary, ev.Diffs
	t.took, t.result, t.tail = ev.Duration, ev.Result.Text, ""
}

// abandon ends a call of which nothing more will be heard.
func (t *Tool) abandon() {
	t.Stage, t.Outcome, t.tail = Finished, event.Uncertain, ""
}

// progress takes a piece of output.
func (t *Tool) progress(text string) {
	t.tail += text
	if over := len(t.tail) - tailBytes; over > 0 {
		t.tail = t.tail[over:]
		if i := strings.IndexByte(t.tail, '\n'); i >= 0 && i < len(t.tail)-1 {
			t.tail = t.tail[i+1:]
		}
	}
}

func (t *Tool) Draw(c Canvas) []string {
	if t.head != nil && t.head != t {
		return nil
	}
	open := t.open || c.Full
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
func (t *Tool) mark(c Canvas) string {
	switch {
	case t.Stage == asking:
		return c.Styles.Yellow.Render(ink.MarkAsked)
	case t.Stage != Finished:
		return ink.MarkRunning
	case t.Outcome != event.OK:
		return c.Styles.Red.Render(ink.MarkFailed)
	}
	return c.Styles.Green.Render(ink.MarkDone)
}

// line is the call in one line: what, how it went, how long it took.
func (t *Tool) line(c Canvas) string {
	verb, rest, _ := strings.Cut(ink.SanitizeLine(t.Title), " ")
	left := verb
	if rest != "" {
		left += "  " + rest
	}
	return t.mark(c) + " " + t.fields(c, left, t.words(), t.time(c))
}

// fields sets left, middle and right in one line. The middle goes first where
// room is short.
func (t *Tool) fields(c Canvas, left, middle, right string) string {
	if middle != "" && right != "" {
		middle += "  "
	}
	if c.Inner()-lipgloss.Width(middle+right)-2 < min(lipgloss.Width(left), 24) {
		middle = ""
	}
	if middle+right == "" {
		return ink.Truncate(left, c.Inner())
	}
	return ink.Spread(left, c.Styles.Dim.Render(middle+right), c.Inner())
}

// words are the few words between title and time.
func (t *Tool) words() string {
	if t.Stage == composing && t.written > 0 {
		return phrase.Thousands(t.written) + " bytes"
	}
	if t.Stage != Finished {
		return ""
	}
	switch t.Outcome {
	case event.OK:
		if t.Summary == "" && len(t.Diffs) == 1 {
			return diff.Stat(t.Diffs[0])
		}
		return ink.SanitizeLine(t.Summary)
	case event.Failed:
		return ink.SanitizeLine(t.Summary)
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
func (t *Tool) time(c Canvas) string {
	switch {
	case t.Stage == running:
		return Spinner(c.frame) + " " + phrase.Tenths(t.took)
	case t.Stage == Finished && (t.Outcome == event.OK || t.Outcome == event.Failed || t.took > 0):
		return phrase.Tenths(t.took)
	}
	return ""
}

// body is what stands below the line.
func (t *Tool) body(c Canvas, open bool) []string {
	width := max(c.Width-4, 1)
	var out []string
	if open {
		out = append(out, t.whole(c, width)...)
	}
	if t.granted != "" {
		out = append(out, ink.RenderLines(c.Styles.Dim, ink.Wrap("always allowed in this session: "+ink.SanitizeLine(t.granted), width))...)
	}
	if t.note != "" {
		out = append(out, ink.RenderLines(c.Styles.Dim, ink.Wrap("you: "+ink.Sanitize(t.note), width))...)
	}
	out = append(out, todoLines(c.Styles, t.todo, width, open)...)
	limit := diffLines
	if open {
		limit = OpenLines
	}
	for _, d := range t.Diffs {
		if len(t.Diffs) > 1 {
			out = append(out, ink.Truncate(ink.SanitizeLine(d.Path)+"  "+diff.Stat(d), width))
		}
		out = append(out, diff.Lines(c.Styles, d, width, limit)...)
	}
	out = append(out, t.output(c, width, open)...)
	for i, l := range out {
		out[i] = strings.TrimRight("    "+l, " ")
	}
	return out
}

// whole is what the line has no room for: a long title, and a command, which
// may have many lines.
func (t *Tool) whole(c Canvas, width int) []string {
	title := ink.SanitizeLine(t.Title)
	_, rest, _ := strings.Cut(title, " ")
	shown := strings.Contains(ansi.Strip(t.line(c)), rest)
	for _, target := range t.targets {
		if target.Kind == "command" && !(shown && strings.HasSuffix(title, target.Value)) {
			return ink.WrapExact(target.Value, width)
		}
	}
	if shown {
		return nil
	}
	return ink.Wrap(title, width)
}

// output is the end of the output while the call runs, the error of one that
// failed, or everything while it is open.
func (t *Tool) output(c Canvas, width int, open bool) []string {
	switch {
	case t.Stage == running && open:
		return ink.RenderLines(c.Styles.Dim, outputLines(t.tail, width))
	case t.Stage == running:
		lines := outputLines(t.tail, width)
		return ink.RenderLines(c.Styles.Dim, lines[max(0, len(lines)-tailLines):])
	case t.Stage != Finished:
		return nil
	case open:
		limit := OpenLines
		if c.Full {
			limit = wholeBytes
		}
		text, more := ink.Head(t.result, c.limit())
		lines := ink.RenderLines(c.Styles.Dim, capLines(outputLines(text, width), limit, width))
		return append(lines, c.left(more)...)
	case t.Outcome == event.Failed && t.Summary != "": // it ran, and its end says why it failed
		lines := outputLines(ink.Tail(t.result, closedBytes), width)
		return ink.RenderLines(c.Styles.Dim, lines[max(0, len(lines)-tailLines):])
	case t.Outcome == event.Failed:
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

// Spinner returns a frame of the one thing that moves.
func Spinner(frame int) string {
	frames := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	return frames[frame%len(frames)]
}
