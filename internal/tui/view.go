package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/agents"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// pendingLines is the maximum number of pending prompts that are shown.
const pendingLines = 3

// panel is the part of the screen below the transcript.
type panel struct {
	lines  []string
	cursor *tea.Cursor   // relative to the panel
	rule   int           // index of the rule line; negative if none
	hint   string        // the text in the rule
	status screen.Status // content of the status line

	// The areas that respond to the mouse.
	draft, suggested, asked area
}

// area is a range of the panel's lines; to is exclusive.
type area struct{ from, to int }

// shifted returns the area moved down by n lines.
func (a area) shifted(n int) area { return area{a.from + n, a.to + n} }

// has reports whether line y of the panel is in the area.
func (a area) has(y int) bool { return a.from <= y && y < a.to }

// arrange computes the layout. The transcript gets the lines that the panel leaves.
func (m *model) arrange() {
	m.editor.Resize(m.Width, min(m.Height/3, editor.MaxLines))
	if m.pager.Open() {
		m.panel = panel{rule: -1, lines: []string{""}}
	} else {
		m.panel = m.makePanel()
	}
	m.layout()
}

// arrangeAfter updates the layout after msg. After streamed text, the panel is drawn
// again only if the status line changed.
func (m *model) arrangeAfter(msg tea.Msg) {
	if b, ok := msg.(batch); ok && b.onlyStreams() && !m.pager.Find.Open() && m.panel.status == m.status() {
		m.layout()
		return
	}
	m.arrange()
}

// layout draws the transcript above the panel, and updates the hint in the rule.
func (m *model) layout() {
	m.Transcript.Layout(m.Width, m.Height-len(m.panel.lines))
	if m.pager.Open() { // the pager's line shows the scroll position
		m.panel = panel{rule: -1}
		line, cursor := m.pager.Line()
		m.panel.add([]string{line}, cursor)
	}
	if p := &m.panel; p.rule >= 0 && p.rule < len(p.lines) {
		if hint := m.hint(); p.lines[p.rule] == "" || hint != p.hint {
			p.lines[p.rule], p.hint = m.ruleLine(hint), hint
		}
	}
}

// makePanel draws the panel, from the pending prompts to the status line. In a low
// window it omits the rules.
func (m *model) makePanel() panel {
	p := panel{rule: -1, status: m.status()}
	ruled, roomy := m.Height >= 10, m.Height >= 16
	if now := m.Feed.TodoNow(); now != "" && roomy {
		p.lines = append(p.lines, m.Styles.Dim.Render(ink.Truncate(now, m.Width)))
	}
	p.lines = append(p.lines, agents.Block(m.Conversation)...)
	for _, sent := range m.Feed.Pending[:min(len(m.Feed.Pending), pendingLines)] {
		note := ""
		if sent.Steers {
			note = "sent with the next request"
		}
		p.lines = append(p.lines, m.Styles.Dim.Render(ink.Spread(ink.MarkUser+" "+ink.SanitizeLine(sent.Text), note, m.Width)))
	}
	if p.status.Working != "" {
		p.lines = append(p.lines, m.Styles.Dim.Render(ink.Truncate(p.status.Working, m.Width)))
	}
	if ruled {
		p.rule = len(p.lines)
		p.lines = append(p.lines, "")
	}
	if m.dialog.Waits() {
		m.dialog.Behind = m.pager.Find.Typing
		lines, cursor := m.dialog.Lines(m.Width, m.dialogHeight()-len(p.lines))
		p.asked = p.add(lines, cursor)
	}
	switch {
	case m.dialog.Takes() && !m.editor.Blank():
		p.lines = append(p.lines, m.draftLine())
	case !m.dialog.Takes():
		if m.pager.Find.Open() {
			line, cursor := m.pager.Find.Line(m.Width)
			p.add([]string{line}, cursor)
		} else {
			p.suggested = p.add(m.prompt.Suggestions.Lines(m.Styles, m.Width, list.PopupRows(m.Height)), nil)
			p.draft = p.add(m.editor.Lines())
		}
		p.add(m.prompt.Queue.Lines(), nil)
	}
	if roomy {
		p.lines = append(p.lines, m.Styles.Dim.Render(strings.Repeat("─", m.Width)))
	}
	p.lines = append(p.lines, p.status.Line(m.Styles, m.Width, m.Options.Appearance.StatusLine))
	if over := len(p.lines) - m.Height; over > 0 { // keep the end of the draft and the status line
		p.lines = p.lines[over:]
		p.rule -= over
		p.draft, p.suggested, p.asked = p.draft.shifted(-over), p.suggested.shifted(-over), p.asked.shifted(-over)
		if p.cursor != nil {
			p.cursor.Y -= over
		}
	}
	return p
}

// draftLine returns the line that shows the draft while the dialog takes keys.
func (m *model) draftLine() string {
	first, _, _ := strings.Cut(strings.TrimSpace(m.editor.Shown()), "\n")
	return m.Styles.Dim.Render(ink.Spread(ink.MarkUser+" "+ink.SanitizeLine(first), "your draft", m.Width))
}

// status returns the content of the status line.
func (m *model) status() screen.Status {
	return screen.Status{Model: m.Feed.Model, Effort: m.Feed.Effort, Host: m.Feed.Host, Dir: m.Options.Files.Dir, Branch: m.Options.Files.Branch, Used: m.Feed.Used, Context: m.Feed.Context,
		Cost: m.Feed.Cost, Mode: m.Feed.Mode, NoSandbox: m.Feed.Sandbox.Form == event.SandboxMissing, Jobs: transcript.Running(m.Feed.Jobs), Right: m.hints.statusHint(), Working: m.hints.working(), Left: m.budgetLeft()}
}

// budgetLeft returns what is left of the limits that are nearly reached.
func (m *model) budgetLeft() string {
	since := m.Now().Sub(m.Feed.BudgetAt)
	if !m.Feed.Running || m.dialog.Waits() {
		since = 0
	}
	return screen.BudgetLeft(m.Feed.Budget, m.Feed.Running, since)
}

// dialogHeight returns the maximum height of the dialog. Some of the transcript stays
// visible, unless the dialog is in full view.
func (m *model) dialogHeight() int {
	if m.dialog.Full() {
		return max(m.Height-4, 2)
	}
	const low = 12
	return max(m.Height*2/3, min(m.Height-3, low), 2)
}

// add appends lines and returns their area. The cursor, if any, is relative to lines.
func (p *panel) add(lines []string, cursor *tea.Cursor) area {
	if cursor != nil {
		c := *cursor
		c.Y += len(p.lines)
		p.cursor = &c
	}
	p.lines = append(p.lines, lines...)
	return area{len(p.lines) - len(lines), len(p.lines)}
}

// hint returns the text in the rule above the editor: the current hint and the number
// of hidden draft lines, if both fit.
func (m *model) hint() string {
	hint, hidden := m.hints.ruleHint(), m.editor.HiddenLines()
	switch {
	case hidden == "" || m.dialog.Takes() || m.pager.Find.Open():
		return hint
	case hint == "":
		return hidden
	}
	if both := hidden + " · " + hint; lipgloss.Width(both)+4 <= m.Width {
		return both
	}
	return hint
}

// ruleHint returns the hint for the user's current action.
func (h *hints) ruleHint() string {
	switch {
	case h.Flash != "":
		return h.Flash
	case h.prompt.Suggestions.Open() && !h.dialog.Takes():
		return h.prompt.Suggestions.Place() + h.Keys.Name(keys.Complete) + " to accept · " + h.Keys.Name(keys.Dismiss) + " to close"
	case h.editor.Mode.Hint() != "":
		return h.editor.Mode.Hint()
	case !h.Transcript.Follow:
		return "more below (" + h.Keys.Name(keys.Bottom) + ")"
	case h.Feed.Running && !h.dialog.Waits() && len(prompt.Mentioned(h.editor.Raw())) > 0:
		return h.Keys.Name(keys.Send) + " to delegate"
	case h.Feed.Running && !h.dialog.Waits() && !h.editor.Empty():
		return h.Keys.Name(keys.Send) + " to steer · " + h.Keys.Name(keys.Queue) + " to queue"
	}
	return h.editor.Mode.Name()
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
		lines, cursor := full.View()
		v.SetContent(m.Styles.Letters.Write(strings.Join(ink.ClipLines(lines, m.Width), "\n")))
		v.Cursor = cursor
		return v
	}
	lines := m.pager.Find.Paint()
	for range m.Height - len(m.panel.lines) - len(lines) {
		lines = append(lines, "")
	}
	v.SetContent(m.Styles.Letters.Write(strings.Join(ink.ClipLines(append(lines, m.panel.lines...), m.Width), "\n")))
	if c := m.panel.cursor; c != nil && c.Y >= 0 && !m.Done {
		at := *c
		at.Y += m.Height - len(m.panel.lines)
		at.X = min(at.X, m.Width-1)
		v.Cursor = &at
	}
	return v
}
