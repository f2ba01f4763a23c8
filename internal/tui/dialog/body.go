package dialog

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// lowDialog is how many lines a dialog needs for what stands around a change
// besides the change.
const lowDialog = 12

// Lines draws the first question in at most height lines, and returns where the
// cursor stands in them.
func (d *Dialog) Lines(width, height int) ([]string, *tea.Cursor) {
	if low := height < lowDialog; d.Body == nil || d.width != width || d.low != low || d.low && d.height != height {
		d.follows = d.follows || d.width != width && d.rows.at+d.Scroll > 0
		d.width, d.height, d.low, d.tiny = width, height, low, false
		d.Body = d.makeBody(max(width-4, 1))
		if d.tiny = d.crowded(); d.tiny {
			d.Body = d.makeBody(max(width-4, 1))
		}
	}
	before, _ := d.foot(width)
	out := []string{d.title()}
	out = append(out, d.visible(max(height-1-len(before), 0), width)...)
	foot, cursor := d.foot(width) // what it says depends on what is visible
	d.rowsAt += len(out)
	d.Comment.line += len(out)
	if cursor != nil {
		cursor.Y += len(out)
	}
	return append(out, foot...), cursor
}

// crowded reports whether rows of their own leave too little room for the body in
// a low window. A command needs most.
func (d *Dialog) crowded() bool {
	if !d.low || len(d.Asks[0].Choices) > 0 {
		return false
	}
	least := 1
	if commandOf(d.Asks[0]) != nil {
		least = min(len(d.Body), 5)
	}
	d.nameRows(d.width)
	rows := d.rows.draw(d.st, d.width, func(Row) bool { return false })
	return d.height-len(rows)-2 < least
}

// title is the first line: what is asked, and how much it is.
func (d *Dialog) title() string {
	head, right := d.headline()
	return ink.Spread(d.st.Yellow.Render(ink.MarkAsked)+" "+d.st.Bold.Render(head[0]), right, d.width)
}

// headline is what is asked, whole. What does not fit in the first line, beside
// what is said at its right, goes on in the body: nothing that a person says yes
// to is cut.
func (d *Dialog) headline() (lines []string, right string) {
	const least = 24 // columns that are worth more than what is said at the right
	ask := d.Asks[0]
	facts := amountOf(ask)
	if n := d.given + len(d.Asks); n > 1 {
		facts = append(facts, fmt.Sprintf("%d of %d", d.given+1, n))
	}
	right = strings.Join(facts, " · ")
	room := d.width - ink.Gutter
	if w := lipgloss.Width(right) + 2; room-w >= least {
		room -= w
	} else {
		right = ""
	}
	return ink.Wrap(QuestionText(ask, d.Short), max(room, 1)), right
}

// amountOf says how much a question is about: the size of a change, or of a long
// command.
func amountOf(ask event.Ask) []string {
	if len(ask.Diffs) == 1 {
		return []string{phrase.Count(diff.Hunks(ask.Diffs[0]), "hunk") + ", " + diff.Stat(ask.Diffs[0])}
	}
	if len(ask.Diffs) > 1 {
		sum := event.Diff{}
		for _, d := range ask.Diffs {
			sum.Added, sum.Removed = sum.Added+d.Added, sum.Removed+d.Removed
		}
		return []string{phrase.Count(len(ask.Diffs), "file") + ", " + diff.Stat(sum)}
	}
	if c := commandOf(ask); c != nil {
		if size := commandSize(c.Value); size != "" {
			return []string{size}
		}
	}
	return nil
}

// commandSize is the size of a command that is long, empty for others.
func commandSize(command string) string {
	const lines, bytes = 10, 1 << 10
	n := strings.Count(strings.TrimSuffix(command, "\n"), "\n") + 1
	if n <= lines && len(command) <= bytes {
		return ""
	}
	size := fmt.Sprintf("%d B", len(command))
	if len(command) >= 1<<10 {
		size = fmt.Sprintf("%.1f KB", float64(len(command))/(1<<10))
	}
	return phrase.Count(n, "line") + ", " + size
}

// commandOf is the command that a question is about, nil if it is about
// something else.
func commandOf(ask event.Ask) *event.Target {
	if len(ask.Targets) != 1 || ask.Targets[0].Kind != "command" {
		return nil
	}
	return &ask.Targets[0]
}

// QuestionText is what is asked, as one sentence that is safe to draw.
func QuestionText(ask event.Ask, short func(string) string) string {
	switch {
	case ask.Question != "":
		return ink.Sanitize(ask.Question)
	case ask.AboutTurn():
		return ink.SanitizeLine(ask.Title)
	}
	if c := commandOf(ask); c != nil {
		return askCommandLine(ask.Title, *c, short)
	}
	if len(ask.Targets) == 1 && ask.Targets[0].Kind == "host" {
		return "Send a request to " + ExactLine(ask.Targets[0].Value) + "?"
	}
	if len(ask.Diffs) == 1 {
		if d := ask.Diffs[0]; d.Created || d.Deleted {
			verb := map[bool]string{true: "Create ", false: "Delete "}[d.Created]
			return verb + ExactLine(d.Path) + "?"
		}
	}
	return sentence(ExactLine(ask.Title)) + "?"
}

// askCommandLine asks about a command, which the body shows.
func askCommandLine(title string, c event.Target, short func(string) string) string {
	lead := leadOf(title, c)
	text := "Run this command"
	if strings.Contains(lead, " ") { // something else than to run it here
		text = sentence(strings.TrimRight(ExactLine(lead), ":"))
	}
	if c.Dir != "" {
		text += " in " + ExactLine(short(c.Dir))
	}
	return text + "?"
}

// ExactLine is ink.Exact for what must stay on one line. Space in which text
// could hide is counted.
func ExactLine(s string) string { return ink.MarkSpaces(strings.ReplaceAll(ink.Exact(s), "\n", "⏎")) }

// sentence is text with a capital at its start.
func sentence(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 || r == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(r)) + text[n:]
}

// leadOf is what a title says before the beginning of a command.
func leadOf(title string, c event.Target) string {
	whole := title
	if i := strings.LastIndex(title, " (+"); i > 0 { // how many lines follow the first
		whole = title[:i]
	}
	whole = strings.TrimSuffix(whole, "…")
	for i := range whole {
		if i > 0 && whole[i-1] == ' ' && strings.HasPrefix(c.Value, whole[i:]) {
			return strings.TrimRight(whole[:i], " ")
		}
	}
	verb, _, _ := strings.Cut(title, " ")
	if before, _, ok := strings.Cut(title, ": "); ok && !strings.HasPrefix(c.Value, verb) {
		return before
	}
	return verb
}

// makeBody draws everything that speaks for or against the question.
func (d *Dialog) makeBody(width int) []string {
	ask := d.Asks[0]
	head, _ := d.headline()
	rest := ink.RenderLines(d.st.Bold, slices.Clone(head[1:]))
	for i, l := range rest {
		rest[i] = "  " + l
	}
	d.more, d.hunks = false, nil
	if len(ask.Choices) > 0 {
		d.nameRows(width + 4)
		rows := d.rows.draw(d.st, width+4, func(Row) bool { return false })
		for i := range d.rows.lines {
			d.rows.lines[i] += len(rest)
		}
		return append(rest, rows...)
	}
	var out, warned []string
	for _, w := range WarningsOf(ask) {
		warned = append(warned, ink.RenderLines(d.st.Yellow, ink.Wrap("warning: "+ink.Sanitize(w), width))...)
	}
	if text := d.scopeLine(); text != "" { // above what may be long
		warned = append(warned, ink.RenderLines(d.st.Dim, ink.Wrap(text, width))...)
	}
	if !d.tiny { // the command comes first where hardly a line fits
		out, warned = warned, nil
	}
	for _, t := range ask.Targets {
		switch {
		case t.Kind == "command":
			out = append(out, ink.WrapExact(t.Value, width)...)
		case t.Kind == "host" && len(ask.Targets) == 1:
			out = append(out, ink.WrapExact(RequestOf(ask.Title), width)...)
		}
	}
	out = append(out, warned...)
	about := d.about(width)
	if !d.low {
		out = append(out, about...)
	}
	for _, change := range ask.Diffs {
		if len(ask.Diffs) > 1 {
			out = append(out, ink.Wrap(ExactLine(change.Path)+"  "+diff.Stat(change), width)...)
		}
		out = append(out, d.change(change, width, len(rest)+len(out))...)
	}
	if d.low { // the change comes first where not all can be seen
		out = append(out, about...)
	}
	for i, l := range out {
		out[i] = strings.TrimRight("    "+l, " ")
	}
	return append(rest, out...)
}

// scopeLine says what row 2 allows, empty if the row says it.
func (d *Dialog) scopeLine() string {
	ask := d.Asks[0]
	switch {
	case d.scopeFits(), !d.tiny && ScopeIsCommand(ask):
		return ""
	case ScopeIsCommand(ask):
		return "2 allows exactly this command"
	}
	return "2 allows in this session: " + ExactLine(ask.Scope)
}

// RequestOf is what a title says after its verb.
func RequestOf(title string) string {
	if _, rest, ok := strings.Cut(title, " "); ok {
		return rest
	}
	return title
}

// change draws a change, whose first line is that of the body at at, and notes
// where its hunks begin.
func (d *Dialog) change(change event.Diff, width, at int) []string {
	lines := diff.Lines(d.st, change, width, d.deep)
	d.more = d.more || len(lines) >= d.deep
	d.hunks = append(d.hunks, at)
	for i, l := range lines {
		if strings.Contains(l, diff.Between) && strings.TrimSpace(ansi.Strip(l)) == diff.Between {
			d.hunks = append(d.hunks, at+i+1)
		}
	}
	return lines
}

// about is why it is asked, if that is to be shown.
func (d *Dialog) about(width int) []string {
	ask := d.Asks[0]
	if WhyOf(ask) == "" || !d.why && !ask.AboutTurn() {
		return nil
	}
	return ink.RenderLines(d.st.Dim, ink.Wrap(ink.Sanitize(ask.Why), width))
}

// WhyOf is why a question is asked, empty if a warning says the same.
func WhyOf(ask event.Ask) string {
	plain := func(s string) string { return strings.ToLower(strings.TrimRight(strings.TrimSpace(s), ".")) }
	if slices.ContainsFunc(ask.Warnings, func(w string) bool { return plain(w) == plain(ask.Why) }) {
		return ""
	}
	return ask.Why
}

// WarningsOf are the warnings of a question, with the one about characters that
// are drawn as escapes.
func WarningsOf(ask event.Ask) []string {
	parts := []string{ask.Scope}
	if len(ask.Choices) == 0 {
		parts = append(parts, ask.Title)
	}
	for _, t := range ask.Targets {
		parts = append(parts, t.Value, t.Dir)
	}
	for _, d := range ask.Diffs {
		parts = append(parts, d.Path)
	}
	if !slices.ContainsFunc(parts, ink.Misleads) {
		return ask.Warnings
	}
	return append(slices.Clone(ask.Warnings), "contains characters that look like others or are hidden")
}

// ScopeIsCommand reports whether the scope of row 2 is the command that the
// question shows.
func ScopeIsCommand(ask event.Ask) bool {
	c := commandOf(ask)
	return c != nil && strings.Contains(ask.Scope, c.Value)
}

// scopeFits reports whether row 2 has room for the scope that it allows.
func (d *Dialog) scopeFits() bool {
	i := d.rows.Digit(2)
	if i < 0 || d.rows.All[i].Kind != Always {
		return true
	}
	return !d.tiny && len(ink.Wrap("Yes, and allow "+ExactLine(d.Asks[0].Scope)+" in this session", max(d.width-d.rows.headWidth(), 1))) <= 2
}

// mustSee reports whether a yes approves only what the user could read to its
// end: a command, what is warned of, and the scope of row 2. A change may be
// approved without.
func (d *Dialog) mustSee() bool {
	row := d.rows.marked()
	return commandOf(d.Asks[0]) != nil || len(WarningsOf(d.Asks[0])) > 0 || row != nil && row.Kind == Always && !d.scopeFits()
}

// readable reports whether the user could read all that a yes approves.
func (d *Dialog) readable() bool { return d.seen || !d.mustSee() && !d.changeHidden() }

// changeHidden reports whether the window is so low that not one line of the
// change is in view.
func (d *Dialog) changeHidden() bool { return len(d.hunks) > 0 && d.Scroll+d.shown <= d.hunks[0] }

// visible returns the part of the body that fits in room lines, the last of
// which tells of what does not.
func (d *Dialog) visible(room, width int) []string {
	d.shown = min(len(d.Body), room)
	if d.shown < len(d.Body) && d.shown > 1 {
		d.shown--
	}
	d.followMark()
	d.Scroll = max(0, min(d.Scroll, len(d.Body)-d.shown))
	if !d.seen && !d.more && (d.shown > 0 || len(d.Body) == 0) && d.Scroll+d.shown >= len(d.Body) {
		d.seen = true
		if d.drawn && d.mustSee() {
			d.end.begin(d.now())
		}
	}
	d.drawn = true
	out := slices.Clone(d.Body[d.Scroll : d.Scroll+d.shown])
	if d.shown < len(d.Body) && room > 1 {
		out = append(out, d.st.Dim.Render(ink.Truncate("    "+d.below(width-4), width)))
	}
	return out
}

// below says how much of the body is below the window, and how a long command
// ends.
func (d *Dialog) below(width int) string {
	more, left := "the end", len(d.Body)-d.shown-d.Scroll
	switch {
	case d.more:
		more = "many more lines below"
	case left > 0:
		more = phrase.Count(left, "more line") + " below"
	}
	hint := more + " · pgup and pgdn scroll"
	if lipgloss.Width(hint) > width {
		hint = more + " · pgup, pgdn"
	}
	if commandOf(d.Asks[0]) == nil || left <= 0 {
		return hint
	}
	command := strings.TrimRight(commandOf(d.Asks[0]).Value, " \n")
	last := ExactLine(strings.TrimSpace(command[strings.LastIndexByte(command, '\n')+1:]))
	const least = 20 // columns that are worth more than which key scrolls
	ends := more + " (pgdn) · ends: "
	if width-lipgloss.Width(ends) < least {
		ends = fmt.Sprintf("%d below · ends: ", left)
	}
	if over := lipgloss.Width(last) - max(width-lipgloss.Width(ends), 1); over > 0 {
		last = ansi.TruncateLeft(last, over+1, "…")
	}
	return ink.Truncate(ends+last, width)
}

// followMark scrolls to the marked row after it was marked.
func (d *Dialog) followMark() {
	if !d.follows || len(d.Asks[0].Choices) == 0 || d.rows.at < 0 || d.rows.at+1 >= len(d.rows.lines) {
		d.follows = false
		return
	}
	d.follows = false
	first, end := d.rows.lines[d.rows.at], d.rows.lines[d.rows.at+1]
	d.Scroll = min(max(d.Scroll, end-d.shown), first)
}
