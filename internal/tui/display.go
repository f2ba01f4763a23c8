package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/agents"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/layer"
	"agent/internal/tui/pager"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// pendingLines is the maximum number of pending prompts that are shown.
const pendingLines = 3

// display lays out the screen: the transcript, and the panel below it.
type display struct {
	*screen.Window
	session  *screen.Conversation
	layers   *layer.Stack
	editor   *editor.Editor
	dialog   *dialog.Dialog
	prompt   *prompt.Prompt
	pager    *pager.Pager
	activity *activity

	panel panel
	chord string // the keys pressed so far of an incomplete key sequence
}

// panel is the part of the screen below the transcript.
type panel struct {
	layer.Panel
	rule   int           // index of the rule line; negative if none
	hint   string        // the text in the rule
	status screen.Status // content of the status line
}

// arrange computes the layout. The transcript gets the lines that the panel leaves.
func (d *display) arrange() {
	d.editor.Resize(d.Width, min(d.Height/3, editor.MaxLines))
	if d.layers.In(layer.LastLine) != nil {
		d.panel = panel{Panel: layer.Panel{Lines: []string{""}}, rule: -1}
	} else {
		d.panel = d.makePanel()
	}
	d.layout()
}

// arrangeAfter updates the layout after msg. After streamed text, the panel is drawn
// again only if the status line changed, or if a layer in place of the prompt may show
// something about the text.
func (d *display) arrangeAfter(msg tea.Msg) {
	if b, ok := msg.(batch); ok && b.onlyStreams() && d.layers.In(layer.AtPrompt) == d.prompt.Box && d.panel.status == d.status() {
		d.layout()
		return
	}
	d.arrange()
}

// layout draws the transcript above the panel, and updates the hint in the rule.
func (d *display) layout() {
	d.session.Transcript.Layout(d.Width, d.Height-len(d.panel.Lines))
	if d.layers.In(layer.LastLine) != nil {
		d.panel.Panel = d.layers.Foot(d.Width)
	}
	if p := &d.panel; p.rule >= 0 && p.rule < len(p.Lines) {
		if hint := d.hint(); p.Lines[p.rule] == "" || hint != p.hint {
			p.Lines[p.rule], p.hint = d.ruleLine(hint), hint
		}
	}
}

// makePanel draws the panel, from the pending prompts to the status line. In a low
// window it omits the rules.
func (d *display) makePanel() panel {
	p := panel{rule: -1, status: d.status()}
	ruled, spaced := d.Height >= 10, d.Height >= 16
	if now := d.session.Feed.TodoNow(); now != "" && spaced {
		p.Lines = append(p.Lines, d.Styles.Dim.Render(ink.Truncate(now, d.Width)))
	}
	p.Lines = append(p.Lines, agents.Block(d.Window, d.session.Delegates.Background())...)
	for _, sent := range d.session.Feed.Log.Pending[:min(len(d.session.Feed.Log.Pending), pendingLines)] {
		note := ""
		if sent.Steers {
			note = "sent with the next request"
		}
		p.Lines = append(p.Lines, d.Styles.Dim.Render(ink.Spread(ink.MarkUser+" "+ink.SanitizeLine(sent.Text), note, d.Width)))
	}
	if p.status.Working != "" {
		p.Lines = append(p.Lines, d.Styles.Dim.Render(ink.Truncate(p.status.Working, d.Width)))
	}
	if ruled {
		p.rule = len(p.Lines)
		p.Lines = append(p.Lines, "")
	}
	d.layers.Draw(&p.Panel, d.Width, d.Height)
	if !d.dialog.Takes() {
		p.Add(d.prompt.Queue.Lines(), nil)
	}
	if spaced {
		p.Lines = append(p.Lines, d.Styles.Dim.Render(strings.Repeat("─", d.Width)))
	}
	p.Lines = append(p.Lines, p.status.Line(d.Styles, d.Width, d.Options.Appearance.StatusLine))
	if over := len(p.Lines) - d.Height; over > 0 { // keep the end of the draft and the status line
		p.Crop(over)
		p.rule -= over
	}
	return p
}

// status returns the content of the status line.
func (d *display) status() screen.Status {
	return screen.Status{Model: d.session.Feed.State.Model, Effort: d.session.Feed.State.Effort, Host: d.session.Feed.State.Host, Dir: d.Options.Files.Dir, Branch: d.Options.Files.Branch, Used: d.session.Feed.State.Used, Context: d.session.Feed.State.Context,
		Cost: d.session.Feed.State.Cost, Mode: d.session.Feed.State.Mode, NoSandbox: d.session.Feed.Sandbox.Form == event.SandboxMissing, Jobs: transcript.Running(d.session.Feed.State.Jobs), Right: d.statusHint(), Working: d.working(), Left: d.budgetLeft()}
}

// budgetLeft returns what is left of the limits that are nearly reached.
func (d *display) budgetLeft() string {
	since := d.Now().Sub(d.session.Feed.State.BudgetAt)
	if !d.session.Feed.Running || d.dialog.Waits() {
		since = 0
	}
	return screen.BudgetLeft(d.session.Feed.State.Budget, d.session.Feed.Running, since)
}

// hint returns the text in the rule above the editor: the current hint and the number
// of hidden draft lines, if both fit.
func (d *display) hint() string {
	hint := d.Flash
	if hint == "" {
		hint = d.layers.Hint()
	}
	hidden := ""
	if d.layers.In(layer.AtPrompt) == d.prompt.Box {
		hidden = d.prompt.Box.HiddenLines()
	}
	switch {
	case hidden == "":
		return hint
	case hint == "":
		return hidden
	}
	if both := hidden + " · " + hint; lipgloss.Width(both)+4 <= d.Width {
		return both
	}
	return hint
}

// ruleLine draws the rule above the editor, with hint at its right end if it fits.
func (d *display) ruleLine(hint string) string {
	w := lipgloss.Width(hint)
	if hint == "" || w+4 > d.Width {
		return d.Styles.Dim.Render(strings.Repeat("─", d.Width))
	}
	return d.Styles.Dim.Render(strings.Repeat("─", d.Width-w-4) + " " + hint + " ──")
}
