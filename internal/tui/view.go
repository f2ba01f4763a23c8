package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/agents"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// pendingLines is the maximum number of pending prompts that are shown.
const pendingLines = 3

// panel is the part of the screen below the transcript.
type panel struct {
	layer.Panel
	rule   int           // index of the rule line; negative if none
	hint   string        // the text in the rule
	status screen.Status // content of the status line
}

// arrange computes the layout. The transcript gets the lines that the panel leaves.
func (m *model) arrange() {
	m.editor.Resize(m.Width, min(m.Height/3, editor.MaxLines))
	if m.layers.In(layer.LastLine) != nil {
		m.panel = panel{Panel: layer.Panel{Lines: []string{""}}, rule: -1}
	} else {
		m.panel = m.makePanel()
	}
	m.layout()
}

// arrangeAfter updates the layout after msg. After streamed text, the panel is drawn
// again only if the status line changed, or if a layer in place of the prompt may show
// something about the text.
func (m *model) arrangeAfter(msg tea.Msg) {
	if b, ok := msg.(batch); ok && b.onlyStreams() && m.layers.In(layer.AtPrompt) == m.prompt.Box && m.panel.status == m.status() {
		m.layout()
		return
	}
	m.arrange()
}

// layout draws the transcript above the panel, and updates the hint in the rule.
func (m *model) layout() {
	m.Transcript.Layout(m.Width, m.Height-len(m.panel.Lines))
	if m.layers.In(layer.LastLine) != nil {
		m.panel.Panel = m.layers.Foot(m.Width)
	}
	if p := &m.panel; p.rule >= 0 && p.rule < len(p.Lines) {
		if hint := m.hint(); p.Lines[p.rule] == "" || hint != p.hint {
			p.Lines[p.rule], p.hint = m.ruleLine(hint), hint
		}
	}
}

// makePanel draws the panel, from the pending prompts to the status line. In a low
// window it omits the rules.
func (m *model) makePanel() panel {
	p := panel{rule: -1, status: m.status()}
	ruled, roomy := m.Height >= 10, m.Height >= 16
	if now := m.Feed.TodoNow(); now != "" && roomy {
		p.Lines = append(p.Lines, m.Styles.Dim.Render(ink.Truncate(now, m.Width)))
	}
	p.Lines = append(p.Lines, agents.Block(m.Window, m.Delegates.Background())...)
	for _, sent := range m.Feed.Log.Pending[:min(len(m.Feed.Log.Pending), pendingLines)] {
		note := ""
		if sent.Steers {
			note = "sent with the next request"
		}
		p.Lines = append(p.Lines, m.Styles.Dim.Render(ink.Spread(ink.MarkUser+" "+ink.SanitizeLine(sent.Text), note, m.Width)))
	}
	if p.status.Working != "" {
		p.Lines = append(p.Lines, m.Styles.Dim.Render(ink.Truncate(p.status.Working, m.Width)))
	}
	if ruled {
		p.rule = len(p.Lines)
		p.Lines = append(p.Lines, "")
	}
	m.layers.Draw(&p.Panel, m.Width, m.Height)
	if !m.dialog.Takes() {
		p.Add(m.prompt.Queue.Lines(), nil)
	}
	if roomy {
		p.Lines = append(p.Lines, m.Styles.Dim.Render(strings.Repeat("─", m.Width)))
	}
	p.Lines = append(p.Lines, p.status.Line(m.Styles, m.Width, m.Options.Appearance.StatusLine))
	if over := len(p.Lines) - m.Height; over > 0 { // keep the end of the draft and the status line
		p.Crop(over)
		p.rule -= over
	}
	return p
}

// status returns the content of the status line.
func (m *model) status() screen.Status {
	return screen.Status{Model: m.Feed.Facts.Model, Effort: m.Feed.Facts.Effort, Host: m.Feed.Facts.Host, Dir: m.Options.Files.Dir, Branch: m.Options.Files.Branch, Used: m.Feed.Facts.Used, Context: m.Feed.Facts.Context,
		Cost: m.Feed.Facts.Cost, Mode: m.Feed.Facts.Mode, NoSandbox: m.Feed.Sandbox.Form == event.SandboxMissing, Jobs: transcript.Running(m.Feed.Facts.Jobs), Right: m.statusHint(), Working: m.working(), Left: m.budgetLeft()}
}

// budgetLeft returns what is left of the limits that are nearly reached.
func (m *model) budgetLeft() string {
	since := m.Now().Sub(m.Feed.Facts.BudgetAt)
	if !m.Feed.Running || m.dialog.Waits() {
		since = 0
	}
	return screen.BudgetLeft(m.Feed.Facts.Budget, m.Feed.Running, since)
}

// hint returns the text in the rule above the editor: the current hint and the number
// of hidden draft lines, if both fit.
func (m *model) hint() string {
	hint := m.Flash
	if hint == "" {
		hint = m.layers.Hint()
	}
	hidden := ""
	if m.layers.In(layer.AtPrompt) == m.prompt.Box {
		hidden = m.prompt.Box.HiddenLines()
	}
	switch {
	case hidden == "":
		return hint
	case hint == "":
		return hidden
	}
	if both := hidden + " · " + hint; lipgloss.Width(both)+4 <= m.Width {
		return both
	}
	return hint
}

// ruleLine draws the rule above the editor, with hint at its right end if it fits.
func (m *model) ruleLine(hint string) string {
	w := lipgloss.Width(hint)
	if hint == "" || w+4 > m.Width {
		return m.Styles.Dim.Render(strings.Repeat("─", m.Width))
	}
	return m.Styles.Dim.Render(strings.Repeat("─", m.Width-w-4) + " " + hint + " ──")
}

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.ReportFocus = true, true
	v.WindowTitle, v.ProgressBar = m.Styles.Letters.Write(m.notify.title()), m.notify.progress()
	if m.mouse.on {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.Width <= 0 || m.Height <= 0 {
		return v
	}
	if full := m.layers.Full(); full != nil {
		lines, cursor := full.View(m.Width, m.Height)
		v.SetContent(m.Styles.Letters.Write(strings.Join(ink.ClipLines(lines, m.Width), "\n")))
		v.Cursor = cursor
		return v
	}
	lines := m.pager.Find.Paint()
	for range m.Height - len(m.panel.Lines) - len(lines) {
		lines = append(lines, "")
	}
	v.SetContent(m.Styles.Letters.Write(strings.Join(ink.ClipLines(append(lines, m.panel.Lines...), m.Width), "\n")))
	if c := m.panel.Cursor; c != nil && c.Y >= 0 && !m.Done {
		at := *c
		at.Y += m.Height - len(m.panel.Lines)
		at.X = min(at.X, m.Width-1)
		v.Cursor = &at
	}
	return v
}
