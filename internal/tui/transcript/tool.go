package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// stage is the state of a tool call.
type stage int

const (
	composing stage = iota // the model is writing it
	waiting                // complete, but not started
	asking                 // waiting for approval
	running

	// Finished is the stage of a call with a result.
	Finished
)

// Lines of a collapsed tool call.
const (
	tailLines  = 5  // of the output while it runs, or after it failed
	diffLines  = 10 // of each diff
	errorLines = 3
)

// OpenLines is the maximum number of output lines of an expanded item.
const OpenLines = 2000

// tailBytes is the number of bytes of output kept while a call runs.
const tailBytes = 8 << 10

// standing describes the standing permission of a decision; empty if it has none.
func standing(ev *event.Decided) string {
	switch {
	case ev.Decision != event.Always || ev.Scope == "":
		return ""
	case ev.Project: // the scope names the project
		return "always allowed: " + ev.Scope
	}
	return "always allowed in this session: " + ev.Scope
}

// Tool is an item for a tool call, from the first streamed piece to the result. It
// does not depend on any particular tool.
type Tool struct {
	id      string
	Title   string
	Effect  event.Effect
	targets []event.Target
	Stage   stage
	Outcome event.Outcome
	Summary string
	Diffs   []event.Diff // written changes, or proposed ones of a rejected call
	fault   string       // why it failed, for the user; empty if result says it

	result string // the complete output
	lines  int    // of result

	course course
	work
	decided decision
	grouping
	expandable
}

// course is how a call goes while it streams and runs.
type course struct {
	args    string // the beginning of the arguments while they stream
	written int    // bytes of the arguments that have streamed
	began   time.Time
	took    time.Duration // so far, while the call runs
	tail    string        // the end of the output while the call runs
}

// work is the effect of a call on tasks, the plan, delegates and files.
type work struct {
	changes  *event.FilesChanged // nil for none
	todo     []event.TodoItem    // the tasks that it set
	plan     *Plan               // the plan that it presented, with the decision; nil if none
	delegate *event.Delegate     // that works for the call; nil for none
}

// decision is what the user decided about a call.
type decision struct {
	byUser bool
	note   string // what the user added
	scope  string // that is now always allowed, as a sentence; empty for none
}

func (t *Tool) class() class { return steps }

func (t *Tool) more() bool { return t.Stage >= running || t.plan != nil }

// compose adds a piece of the call while the model writes it.
func (t *Tool) compose(name, args string) {
	t.Title = cmp.Or(t.Title, name)
	t.course.written += len(args)
	if room := maxArgs - len(t.course.args); room > 0 {
		t.course.args += args[:min(room, len(args))]
		t.Title = callTitle(verb(t.Title), t.course.args)
	}
}

// maxArgs is how many bytes of streamed arguments are searched for a title.
const maxArgs = 4 << 10

// callTitle returns a title for a call that has none yet: the name of the tool and
// the argument that identifies the call. args may be incomplete JSON.
func callTitle(name, args string) string {
	names := []string{"path", "file", "file_path", "command", "url", "pattern", "query"}
	dec := json.NewDecoder(strings.NewReader(args))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return name
	}
	best := len(names)
	title := name
	for best > 0 && dec.More() {
		key, err := dec.Token()
		var value any
		if err != nil || dec.Decode(&value) != nil {
			break
		}
		text, ok := value.(string)
		if i := slices.Index(names, key.(string)); ok && text != "" && i >= 0 && i < best {
			best = i
			title = name + " " + text
		}
	}
	return title
}

// start shows that the call runs.
func (t *Tool) start(ev *event.ToolStart, now time.Time) {
	t.Title, t.Effect, t.targets = ev.Title, ev.Effect, ev.Targets
	t.Stage, t.course.began = running, now
}

// answered shows that the call no longer waits for an answer. A call that asked while it
// ran continues.
func (t *Tool) answered() {
	switch {
	case t.Stage != asking:
	case t.course.began.IsZero():
		t.Stage = waiting
	default:
		t.Stage = running
	}
}

// tick updates the time of a running call: that of its delegate, if there is one.
func (t *Tool) tick(now time.Time) {
	t.course.took = now.Sub(t.course.began)
	if t.delegate != nil {
		t.course.took = DelegateTime(*t.delegate, now)
	}
}

// end sets the result.
func (t *Tool) end(ev *event.ToolEnd) {
	if ev.Title != verb(t.Title) { // a call that could not be prepared has only the name of its tool
		t.Title = cmp.Or(ev.Title, t.Title)
	}
	t.Effect = cmp.Or(ev.Effect, t.Effect)
	t.Diffs = ev.Diffs
	if len(t.Diffs) == 0 {
		t.Diffs = ev.Proposed
	}
	t.Stage, t.Outcome, t.Summary, t.fault = Finished, ev.Outcome, ev.Summary, ev.Error
	t.course.took, t.result, t.course.tail, t.delegate = ev.Duration, ev.Result.Text, "", nil
	if text := strings.TrimRight(t.result, "\r\n"); text != "" {
		t.lines = strings.Count(text, "\n") + 1
	}
}

// abandon ends a call that gets no further events.
func (t *Tool) abandon() {
	t.Stage, t.Outcome, t.course.tail = Finished, event.Uncertain, ""
}

// progress adds a piece of output.
func (t *Tool) progress(text string) {
	t.course.tail += text
	if over := len(t.course.tail) - tailBytes; over > 0 {
		t.course.tail = t.course.tail[over:]
		if i := strings.IndexByte(t.course.tail, '\n'); i >= 0 && i < len(t.course.tail)-1 {
			t.course.tail = t.course.tail[i+1:]
		}
	}
}

// Draw implements Item.
func (t *Tool) Draw(c Canvas) []string {
	open := t.Open || c.Full
	switch {
	case t.isGrouped():
		return nil
	case t.plan != nil:
		return t.drawPlan(c, open)
	case len(t.group) <= 1:
		return append([]string{t.line(c)}, t.body(c, open)...)
	case !open:
		return []string{t.groupLine(c)}
	}
	var out []string
	for _, each := range t.group {
		out = append(append(out, each.line(c)), each.body(c, true)...)
	}
	return out
}

// mark returns the mark in the gutter.
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

// delegates reports whether a delegate works for the call. It may have ended already:
// calls that run side by side get their results together.
func (t *Tool) delegates() bool { return t.delegate != nil && t.Stage == running }

// keyWidth is the minimum width at which the summary of a call is followed by the key
// that expands its output.
const keyWidth = 60

// line draws the call in one line: its title, its outcome and its time.
func (t *Tool) line(c Canvas) string {
	switch {
	case t.delegates() && t.delegate.Background: // another line shows what it does
		return ink.Truncate(c.Styles.Green.Render(ink.MarkDone)+" "+DelegateLabel(t.delegate.Name, t.delegate.ID)+"  continues in the background", c.Width)
	case t.delegates():
		return DelegateLine(c.Styles, *t.delegate, t.course.took, c.Width)
	}
	verb, rest, _ := strings.Cut(ink.SanitizeLine(t.Title), " ")
	left := verb
	if rest != "" {
		left += "  " + rest
	}
	middle := t.words()
	switch collapsed := !t.Open && !c.Full && t.Stage == Finished && t.Outcome == event.OK && t.Effect != event.ReadEffect; {
	case collapsed && middle == "" && t.lines > 0:
		middle = c.collapsed(t.lines)
	case collapsed && t.lines > 1 && len(t.Diffs)+len(t.todo) == 0 && c.key != "" && c.Width >= keyWidth:
		middle += " (" + c.key + ")"
	}
	return t.mark(c) + " " + t.fields(c, left, middle, t.time())
}

// fields draws left, middle and right on one line. If there is too little room, it omits
// the last parts of middle, which are separated by " · ".
func (t *Tool) fields(c Canvas, left, middle, right string) string {
	room := c.Inner() - lipgloss.Width(right) - 2 - min(lipgloss.Width(left), 24)
	gap := 0
	if right != "" {
		gap = 2
	}
	for middle != "" && lipgloss.Width(middle)+gap > room {
		middle = middle[:max(strings.LastIndex(middle, " · "), 0)]
	}
	if middle != "" {
		middle += strings.Repeat(" ", gap)
	}
	if middle+right == "" {
		return ink.Truncate(left, c.Inner())
	}
	return ink.Spread(left, c.Styles.Dim.Render(middle+right), c.Inner())
}

// words returns the outcome in a few words, which are shown between title and time.
func (t *Tool) words() string {
	if t.Stage == composing && t.course.written > 0 {
		return phrase.Thousands(t.course.written) + " bytes"
	}
	if t.Stage != Finished {
		return ""
	}
	switch t.Outcome {
	case event.OK, event.Failed:
		if t.Outcome == event.OK && t.Summary == "" && len(t.Diffs) == 1 {
			return diff.Stat(t.Diffs[0])
		}
		return ink.SanitizeLine(t.Summary)
	case event.Refused:
		if t.decided.byUser {
			return "rejected"
		}
		return "denied"
	case event.Interrupted:
		return "interrupted"
	case event.Uncertain:
		return "outcome unknown"
	}
	return ""
}

// time returns how long the call took so far, or in all.
func (t *Tool) time() string {
	switch {
	case t.Stage == running:
		return phrase.Tenths(t.course.took)
	case t.Stage == Finished && (t.Outcome == event.OK || t.Outcome == event.Failed || t.course.took > 0):
		return phrase.Tenths(t.course.took)
	}
	return ""
}

// body draws the lines below the title.
func (t *Tool) body(c Canvas, open bool) []string {
	width := max(c.Width-4, 1)
	var out []string
	if open {
		out = append(out, t.fullTitle(c, width)...)
	}
	dim := func(text string) { out = append(out, ink.RenderLines(c.Styles.Dim, ink.Wrap(text, width))...) }
	if t.decided.scope != "" {
		dim(ink.SanitizeLine(t.decided.scope))
	}
	if t.decided.note != "" {
		dim("you: " + ink.Sanitize(t.decided.note))
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
		lines, more := diff.Head(c.Styles, d, width, limit)
		out = append(out, lines...)
		switch {
		case more > 0 && open:
			out = append(out, c.Styles.Dim.Render(moreLines(more, width)))
		case more > 0:
			out = append(out, c.Styles.Dim.Render(ink.Truncate(c.collapsed(more), width)))
		}
	}
	out = append(out, t.output(c, width, open)...)
	out = append(out, t.changeLines(c, width, open)...)
	for i, l := range out {
		out[i] = strings.TrimRight("    "+l, " ")
	}
	return out
}

// changeLines draws what the call did to files. The diffs of an edit show it already.
func (t *Tool) changeLines(c Canvas, width int, open bool) []string {
	switch {
	case t.changes == nil:
		return nil
	case len(t.Diffs) > 0:
		return lostLines(c, t.changes.Lost, width, open)
	}
	return changeLines(c, t.changes, width, open)
}

// fullTitle returns the complete title or command if it does not fit on the first
// line.
func (t *Tool) fullTitle(c Canvas, width int) []string {
	title := ink.SanitizeLine(t.Title)
	_, rest, _ := strings.Cut(title, " ")
	shown := strings.Contains(ansi.Strip(t.line(c)), rest)
	for _, target := range t.targets {
		if target.Kind == event.CommandTarget && !(shown && strings.HasSuffix(title, target.Value)) {
			return ink.WrapExact(target.Value, width)
		}
	}
	if shown {
		return nil
	}
	return ink.Wrap(title, width)
}

// output draws the end of the output of a running, failed or interrupted call, or all
// output if the item is expanded.
func (t *Tool) output(c Canvas, width int, open bool) []string {
	switch {
	case t.Stage < running && t.course.tail == "":
		return nil
	case t.Stage <= running && open:
		return ink.RenderLines(c.Styles.Dim, outputLines(t.course.tail, width))
	case t.Stage <= running: // also while it asks whether to run again
		return ink.RenderLines(c.Styles.Dim, lastLines(outputLines(t.course.tail, width), tailLines))
	case open:
		limit := OpenLines
		if c.Full {
			limit = fullBytes
		}
		text, more := ink.Head(t.result, c.limit())
		lines := ink.RenderLines(c.Styles.Dim, firstLines(outputLines(text, width), limit, width))
		return append(lines, c.omitted(more)...)
	case t.Outcome == event.Interrupted: // the first line says so
		_, text, _ := strings.Cut(t.result, "\n")
		return t.outputEnd(c, text, t.lines-1, width)
	case t.Outcome == event.Failed && t.Summary != "": // the call ran; the end of its output says why it failed
		return t.outputEnd(c, t.result, t.lines, width)
	case t.Outcome == event.Failed:
		text, more := ink.Head(strings.TrimSpace(cmp.Or(t.fault, t.result)), closedBytes)
		lines := ink.Wrap(ink.Sanitize(text), width)
		if over := len(lines) + more - errorLines; over > 1 {
			return append(lines[:min(errorLines, len(lines))], ink.Truncate(c.collapsed(over), width))
		}
		return lines
	}
	return nil
}

// outputEnd draws the last lines of text, which has count lines.
func (t *Tool) outputEnd(c Canvas, text string, count, width int) []string {
	lines := outputLines(ink.Tail(text, closedBytes), width)
	if len(text) <= closedBytes {
		count = len(lines)
	}
	more := count - tailLines
	if more <= 1 {
		return ink.RenderLines(c.Styles.Dim, lines)
	}
	return ink.RenderLines(c.Styles.Dim, append(lastLines(lines, tailLines), ink.Truncate(c.collapsed(more), width)))
}
