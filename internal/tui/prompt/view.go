package prompt

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/list"
	"agent/internal/tui/slash"
)

// Place implements layer.Drawn.
func (p *Prompt) Place() layer.Place { return layer.AtPrompt }

// View implements layer.Drawn. While the dialog takes keys, a draft is one dim line.
func (p *Prompt) View(width, _ int) ([]string, *tea.Cursor) {
	if p.dialog.Takes() {
		if p.editor.Blank() {
			return nil, nil
		}
		first, _, _ := strings.Cut(strings.TrimSpace(p.editor.Shown()), "\n")
		return []string{p.Styles.Dim.Render(ink.Spread(ink.MarkUser+" "+ink.SanitizeLine(first), "your draft", width))}, nil
	}
	lines := p.Suggestions.Lines(p.Styles, width, list.PopupRows(p.Height))
	above := len(lines)
	typed, cursor := p.editor.Lines()
	p.Suggestions.drawn = above
	if cursor != nil {
		c := *cursor
		c.Y += above
		cursor = &c
	}
	return append(lines, typed...), cursor
}

// HiddenLines says how many lines of the draft are not shown; empty for none.
func (p *Prompt) HiddenLines() string {
	if p.dialog.Takes() {
		return ""
	}
	return p.editor.HiddenLines()
}

// Mouse implements layer.Pointed. A click accepts a suggestion or places the cursor; a
// drag selects text; the wheel moves through the suggestions.
func (p *Prompt) Mouse(msg tea.MouseMsg, clicks int) (tea.Cmd, bool) {
	if p.dialog.Takes() {
		return nil, false
	}
	at := msg.Mouse()
	y := at.Y - p.Suggestions.drawn
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		if y >= 0 {
			return nil, false
		}
		p.Suggestions.roll(layer.WheelRows(msg))
	case tea.MouseClickMsg:
		if p.sweeps = y >= 0; p.sweeps {
			p.editor.Click(at.X, y, clicks)
		} else {
			p.Suggestions.click(at.Y)
		}
	case tea.MouseMotionMsg:
		if p.sweeps {
			p.editor.Drag(at.X, y)
		}
	case tea.MouseReleaseMsg:
		if text := p.editor.Selection.Text(); p.sweeps && strings.TrimSpace(text) != "" {
			return p.Clipboard.Selected(text), true
		}
	}
	return nil, true
}

// Hint implements layer.Hinted: what the send key does during a turn, or the vi mode.
func (p *Prompt) Hint() string {
	switch {
	case p.Feed.Running && !p.dialog.Waits() && len(Mentioned(p.editor.Raw())) > 0:
		return p.Keys.Name(keys.Send) + " to delegate"
	case p.Feed.Running && !p.dialog.Waits() && !p.editor.Empty():
		return p.Keys.Name(keys.Send) + " to steer · " + p.Keys.Name(keys.Queue) + " to queue"
	}
	return p.editor.Mode.Name()
}

// KeyHint implements layer.Keyed: what the send key does, or how to get help, with more
// detail before the first turn.
func (p *Prompt) KeyHint() string {
	const wide = 100
	help := p.Keys.Name(keys.Help) + " help"
	switch agents := p.Keys.Name(keys.Agents); {
	case p.Agent.CanRetry() && p.Queue.Len() == 0 && p.editor.Empty():
		verb := " to retry · "
		if p.Feed.Cut || p.Feed.Exited {
			verb = " to continue · "
		}
		return p.Keys.Name(keys.Send) + verb + help
	case !p.editor.Empty():
		return p.sendHint()
	case agents != "" && len(p.Delegates.Background()) > 0:
		return agents + " delegates · " + help
	case p.Feed.Turns == 0 && p.Width >= wide:
		return help + " · / commands · @ files · ! shell"
	}
	return help
}

// sendHint returns what the send key does with the text in the prompt. It returns "" for a
// blank prompt, and while suggestions or the prompt search are open.
func (p *Prompt) sendHint() string {
	e, does := p.editor, " to send"
	typed := e.Raw()
	name, _, command := slash.Parse(typed)
	_, _, shell := ParseShell(typed)
	switch {
	case p.Suggestions.Open() || e.History.Searching() || e.Blank():
		return ""
	case strings.HasSuffix(e.Before(), `\`):
		does = " for a new line"
	case command && !p.slash.Has(name):
		return "unknown command"
	case len(Mentioned(typed)) > 0:
		does = " to delegate"
	case command, shell:
		does = " to run it"
	}
	return p.Keys.Name(keys.Send) + does
}

// Animates implements layer.Animated: a first press of a key expires.
func (p *Prompt) Animates() bool { return p.Again.waits() }

// Tick implements layer.Animated.
func (p *Prompt) Tick() { p.Again.expire() }

// Restyle implements layer.Styled.
func (p *Prompt) Restyle() { p.editor.Restyle(p.Styles) }
