package tui

import (
	"agent/internal/tui/list"
	"agent/internal/tui/terminal"
)

// assemble makes the parts of the screen that stand on the editor and the dialog,
// and connects them.
func (m *model) assemble() {
	o, ses := &m.o, m.session
	m.layers = &stack{}
	m.lists = &listLayer{session: ses, layers: m.layers, dialog: m.dialog}
	m.table = &commandTable{session: ses, recent: list.NewRecent(o.Recent, o.Remember), editor: m.editor, lists: m.lists, run: m.slash, press: m.press}
	m.picker = &modelPicker{session: ses, lists: m.lists}
	m.notify = &notifier{session: ses, dialog: m.dialog}
	m.question = &question{session: ses, dialog: m.dialog, editor: m.editor, interrupt: m.interrupt}
	m.pager = &pager{session: ses, layers: m.layers, dialog: m.dialog, find: &finder{session: ses, layers: m.layers}}
	m.prompt = m.newPrompt()
	p := m.prompt
	m.drafts = &draftKeeper{session: ses, editor: m.editor, dialog: m.dialog, queue: p.queue}
	m.hints = &hints{session: ses, dialog: m.dialog, editor: m.editor, popup: p.popup, find: m.pager.find, queue: p.queue, ticker: p.ticker, pager: m.pager}
	m.mouse = &mouse{session: ses, editor: m.editor, dialog: m.dialog, popup: p.popup, clip: p.clip, panel: &m.panel, arrange: m.arrange, on: !o.NoMouse}
	m.pager.hints, m.pager.mouse = m.hints, m.mouse
	m.layers.shortcuts = &shortcuts{
		session: ses, dialog: m.dialog, find: m.pager.find, pager: m.pager, mouse: m.mouse, table: m.table, models: m.picker, interrupt: m.interrupt,
	}
	for _, l := range []layer{p, m.layers.shortcuts, typing{p}, m.question} {
		m.layers.push(l)
	}
}

// newPrompt makes the prompt and what helps to type in it.
func (m *model) newPrompt() *prompt {
	ses := m.session
	p := &prompt{
		session: ses, editor: m.editor, dialog: m.dialog, table: m.table, command: m.slash, leave: m.leave,
		popup:   &suggestions{session: ses, editor: m.editor, table: m.table},
		images:  &attacher{session: ses, editor: m.editor},
		earlier: &promptHistory{session: ses, editor: m.editor},
		queue:   &messageQueue{session: ses, editor: m.editor},
		clip:    &clipboard{session: ses, editor: m.editor},
		ticker:  &ticker{session: ses, dialog: m.dialog, covered: m.covered, arm: m.arm},
		help:    &help{session: ses, layers: m.layers, table: m.table},
	}
	p.external = &externalEditor{session: ses, editor: m.editor, popup: p.popup, lend: terminal.Lend}
	p.rewinder = &rewinder{session: ses, ticker: p.ticker, editor: m.editor, lists: m.lists, switchTo: m.switchTo}
	p.popup.submit, p.images.ready = p.submit, p.sendReady
	return p
}
