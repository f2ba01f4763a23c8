package tui

import (
	"agent/internal/loop/event"
	"agent/internal/tui/agents"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/layer"
	"agent/internal/tui/manual"
	"agent/internal/tui/pager"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// assemble makes the parts of the screen that need the editor and the dialog, and
// connects them. It returns notices about custom commands.
func (m *model) assemble() (notices []string) {
	ses := m.session
	m.layers = &layer.Stack{}
	lists := &listLayer{Window: m.Window, layers: m.layers, dialog: m.dialog}
	m.slash, notices = slash.New(ses, m.editor)
	m.dialog.Screen = dialog.Screen{Searches: func() bool { return m.pager.Find.Typing }, IsCommand: m.slash.IsCommand, Mode: func() event.Mode { return event.Mode(ses.Feed.State.Mode) }}
	m.notify = &notifier{Window: m.Window, feed: ses.Feed, session: ses, dialog: m.dialog}
	m.question = &question{Window: m.Window, feed: ses.Feed, answer: ses.Agent.GiveAnswer, dialog: m.dialog, editor: m.editor, interrupt: m.interrupt, setMode: ses.Agent.SetMode, covered: m.covered}
	find := &pager.Finder{Window: m.Window, Layers: m.layers, Transcript: ses.Transcript, Feed: ses.Feed, Broken: func() bool { return ses.Rewinds.Broken != "" }}
	m.pager = &pager.Pager{Window: m.Window, Layers: m.layers, Transcript: ses.Transcript, Feed: ses.Feed, Find: find, Waits: m.dialog.Waits}
	watch := &agents.View{Window: m.Window, Layers: m.layers, Delegates: ses.Delegates, Send: ses.Agent.Send, Waits: m.dialog.Waits, Editor: func() *editor.Editor { return editor.New(m.Keys, m.Styles, m.Options.Vi) }}
	reader := &manual.Reader{Window: m.Window, Layers: m.layers, Waits: m.dialog.Waits}
	overview := &help{Window: m.Window, about: func() string { return screen.AboutModel(&ses.Feed.State) }, layers: m.layers, slash: m.slash}
	m.prompt = prompt.New(ses, m.editor, m.dialog, m.slash, prompt.Actions{Help: overview.show, Leave: m.leave})
	p := m.prompt
	m.question.copy, m.question.open, m.question.show = p.Clipboard.Copy, m.slash.OpenPage, m.slash.ShowPage
	m.question.editPlan, m.question.editHunk = p.External.EditPlan, p.External.EditHunk
	m.slash.Front = slash.Front{Lists: lists, Quit: m.leaveFor, Help: overview.show, Copy: p.Clipboard.Copy, Restyle: m.restyle, Ask: func(o dialog.LocalQuestion) { m.dialog.Show(o, !m.editor.Blank()) }, Withdraw: m.dialog.WithdrawLocal}
	m.slash.Front.Screen = &slash.Screen{View: m.pager.Show, Manual: reader.Show, Find: m.pager.Find.StartWith, Edit: p.External.Start, EditFile: p.External.EditFile, EditSummary: p.External.EditSummary, Press: m.press, Delegate: watch.Show}
	doing := &activity{Window: m.Window, feed: ses.Feed, list: ses.Transcript, layers: m.layers, output: ses.Spending.TurnOutput}
	m.ticker = &ticker{Window: m.Window, transcript: ses.Transcript, feed: ses.Feed, activity: doing, layers: m.layers, waits: m.dialog.Waits}
	m.display = &display{Window: m.Window, session: ses, layers: m.layers, editor: m.editor, dialog: m.dialog, prompt: p, pager: m.pager, activity: doing}
	m.mouse = &mouse{Window: m.Window, transcript: ses.Transcript, clip: p.Clipboard, arrange: m.display.arrange, on: !m.Options.NoMouse}
	m.pager.Doing, m.pager.ToggleMouse = m.display.behindPager, m.mouse.toggle
	m.layers.Transcript, m.layers.Shortcuts = m.mouse, &shortcuts{
		Window: m.Window, transcript: ses.Transcript, feed: ses.Feed, nextMode: func() { ses.Agent.SetMode(ses.NextMode()) },
		waits: m.dialog.Waits, pager: m.pager, mouse: m.mouse, slash: m.slash, interrupt: m.interrupt,
	}
	for _, l := range []layer.Layer{p.Box, m.layers.Shortcuts, p.Assist, m.question} {
		m.layers.Push(l)
	}
	return notices
}
