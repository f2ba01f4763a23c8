package agents

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/list"
	"agent/internal/tui/transcript"
)

// headLines is the number of lines above the transcript.
const headLines = 2

// Place implements layer.Drawn.
func (v *View) Place() layer.Place { return layer.FullScreen }

// View implements layer.Drawn.
func (v *View) View(width, height int) ([]string, *tea.Cursor) {
	d, _ := v.Delegates.Find(v.id)
	st, rule := v.Styles, v.Styles.Dim.Render(strings.Repeat("─", max(width, 0)))
	foot, cursor := v.foot(d, rule)
	v.list.Restyle(st)
	v.list.Layout(width, height-headLines-len(foot))
	out := append([]string{v.head(d), rule}, v.list.Window...)
	for len(out) < height-len(foot) {
		out = append(out, "")
	}
	out = append(out, foot...)
	if over := len(out) - height; over > 0 { // keep the message and its hints
		out = out[over:]
	}
	if cursor != nil {
		cursor.Y += len(out) - len(foot)
		if cursor.Y < 0 {
			cursor = nil
		}
	}
	return out, cursor
}

// head draws the line with the delegate's name, current action and usage.
func (v *View) head(d event.Delegate) string {
	facts := v.Delegates.Usage(d)
	if transcript.InBackground(d) {
		facts = append(facts, "background")
	}
	left := transcript.DelegateMark(v.Styles, d) + " " + v.Styles.Bold.Render(v.label()) + "  " + transcript.DelegateNow(d)
	const least = 32 // columns for the name and the action
	right := strings.Join(facts, " · ")
	for len(facts) > 1 && v.Width-lipgloss.Width(right)-2 < least {
		facts = facts[:len(facts)-1]
		right = strings.Join(facts, " · ")
	}
	return ink.Spread(left, v.Styles.Dim.Render(right), v.Width)
}

// foot draws the messages that were sent but not read yet, the message that the user
// types, and the hints.
func (v *View) foot(d event.Delegate, rule string) (lines []string, cursor *tea.Cursor) {
	dim := v.Styles.Dim
	for _, sent := range v.feed.Log.Pending {
		lines = append(lines, dim.Render(ink.Spread(ink.MarkUser+" "+ink.SanitizeLine(sent.Text), "sent with the next request", v.Width)))
	}
	if v.typing {
		lines = append(lines, rule)
		v.message.Restyle(v.Styles)
		v.message.Resize(v.Width, max(v.Height/3, 1))
		typed, at := v.message.Lines()
		at.Y += len(lines)
		lines, cursor = append(lines, typed...), at
	}
	at := ""
	switch {
	case v.Waits():
		at = v.Styles.Yellow.Render(ink.MarkAsked + " a question waits")
	case !v.list.Follow:
		at = dim.Render("more below (" + v.Keys.Name(keys.ViewBottom) + ")")
	}
	room := v.Width - ink.Gutter
	if at != "" {
		room -= lipgloss.Width(at) + 2
	}
	return append(lines, ink.Spread("  "+dim.Render(list.FitHints(v.hint(d), room)), at, v.Width)), cursor
}

// hint returns the keys that currently have an effect, the most important last.
func (v *View) hint(d event.Delegate) string {
	k := v.Keys.Name
	switch {
	case v.note != "":
		return v.note
	case v.typing:
		return k(keys.Newline) + " new line · esc back · " + k(keys.Send) + " send to " + v.label()
	}
	hints := append([]string{k(keys.ViewUp) + "/" + k(keys.ViewDown) + " scroll", k(keys.OpenAll) + " expand"}, v.Delegates.Hints(d)...)
	return strings.Join(append(hints, k(keys.ViewClose)+" close"), " · ")
}
