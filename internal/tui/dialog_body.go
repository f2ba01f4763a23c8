package tui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/loop"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// title is the first line: what is asked, and how much it is.
func (d *dialog) title() string {
	head, right := d.headline()
	return spread(d.st.Yellow.Render(markAsked)+" "+d.st.Bold.Render(head[0]), right, d.width)
}

// headline is what is asked, whole. What does not fit in the first line, beside
// what is said at its right, goes on in the body: nothing that a person says yes
// to is cut.
func (d *dialog) headline() (lines []string, right string) {
	const least = 24 // columns that are worth more than what is said at the right
	ask := d.asks[0]
	var facts []string
	if len(ask.Diffs) == 1 {
		facts = append(facts, diff.Stat(ask.Diffs[0]))
	}
	if n := len(d.asks) - 1; n > 0 {
		facts = append(facts, count(n, "more question"))
	}
	right = strings.Join(facts, " · ")
	room := d.width - gutter
	if w := lipgloss.Width(right) + 2; room-w >= least {
		room -= w
	} else {
		right = ""
	}
	text := ink.SanitizeLine(ask.Title)
	if ask.Question != "" {
		text = ink.Sanitize(ask.Question)
	}
	if lines = ink.Wrap(text, max(room, 1)); len(lines) == 1 || ask.Question != "" {
		return lines, right
	}
	for _, t := range ask.Targets {
		if lead, ok := leadOf(ask.Title, t); ok {
			return ink.Wrap(ink.SanitizeLine(lead), max(room, 1)), right
		}
	}
	return lines, right
}

// leadOf is what a title says before the beginning of a command, which the body
// shows whole.
func leadOf(title string, t loop.Target) (lead string, ok bool) {
	if t.Kind != "command" {
		return "", false
	}
	whole := strings.TrimSuffix(title, "…")
	for i := range whole {
		if i > 0 && whole[i-1] == ' ' && strings.HasPrefix(t.Value, whole[i:]) {
			return strings.TrimRight(whole[:i], " "), true
		}
	}
	verb, _, _ := strings.Cut(title, " ")
	return verb, strings.ContainsAny(t.Value, "\n\t") // which a title writes otherwise
}

// makeBody draws everything that speaks for or against the question.
func (d *dialog) makeBody(width int) []string {
	ask := d.asks[0]
	if len(ask.Choices) > 0 {
		return d.makeChoices(width)
	}
	head, _ := d.headline()
	d.more = false
	var out []string
	for _, w := range ask.Warnings {
		out = append(out, paint(d.st.Yellow, ink.Wrap("careful: "+ink.Sanitize(w), width))...)
	}
	for _, t := range ask.Targets {
		if t.Kind == "command" && !d.told(t.Value, head) {
			out = append(out, spell(t.Value, width)...)
		}
	}
	about := d.about(width)
	if !d.low {
		out = append(out, about...)
	}
	for _, change := range ask.Diffs {
		if len(ask.Diffs) > 1 {
			out = append(out, ink.Wrap(ink.SanitizeLine(change.Path)+"  "+diff.Stat(change), width)...)
		}
		lines := diff.Lines(d.st, change, width, d.deep)
		d.more = d.more || len(lines) >= d.deep
		out = append(out, lines...)
	}
	if d.low { // the change comes first where not all can be seen
		out = append(out, about...)
	}
	for i, l := range out {
		out[i] = strings.TrimRight("    "+l, " ")
	}
	rest := paint(d.st.Bold, slices.Clone(head[1:]))
	for i, l := range rest {
		rest[i] = "  " + l
	}
	return append(rest, out...)
}

// about is why it is asked, and what an always would cover.
func (d *dialog) about(width int) []string {
	ask, lead := d.asks[0], "asks because "
	if ask.AboutTurn() {
		lead = ""
	}
	var lines []string
	if ask.Why != "" {
		lines = ink.Wrap(lead+ink.Sanitize(ask.Why), width)
	}
	if ask.Scope != "" && !d.alwaysFits() {
		lines = append(lines, ink.Wrap("always would cover "+ink.SanitizeLine(ask.Scope), width)...)
	}
	return paint(d.st.Dim, lines)
}

// told reports whether the title shows the whole command already.
func (d *dialog) told(command string, head []string) bool {
	whole := strings.Join(spell(command, len(command)+1), "\n")
	return len(head) == 1 && whole == command && strings.HasSuffix(head[0], command)
}

// always is the key that says yes for good, and for what.
func (d *dialog) always() string {
	name := d.keys.name(actAlways) + " always"
	if d.alwaysFits() {
		return name + ": " + ink.SanitizeLine(d.asks[0].Scope)
	}
	return name + ", as told above"
}

// alwaysFits reports whether what an always covers has room beside its key.
func (d *dialog) alwaysFits() bool {
	return lipgloss.Width(d.keys.name(actAlways)+" always: "+ink.SanitizeLine(d.asks[0].Scope)) <= d.width-gutter
}
