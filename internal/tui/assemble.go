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
	m.help = &help{session: ses, layers: m.layers, table: m.table}
	m.find = &finder{session: ses, layers: m.layers}
	m.pager = &pager{session: ses, layers: m.layers, dialog: m.dialog, find: m.find}
	m.popup = &suggestions{session: ses, editor: m.editor, table: m.table}
	m.images = &attacher{session: ses, editor: m.editor}
	m.earlier = &promptHistory{session: ses, editor: m.editor}
	m.queue = &messageQueue{session: ses, editor: m.editor}
	m.drafts = &draftKeeper{session: ses, editor: m.editor, dialog: m.dialog, queue: m.queue}
	m.clip = &clipboard{session: ses, editor: m.editor}
	m.picker = &modelPicker{session: ses, lists: m.lists}
	m.notify = &notifier{session: ses, dialog: m.dialog}
	m.external = &externalEditor{session: ses, editor: m.editor, popup: m.popup, lend: terminal.Lend}
	m.ticker = &ticker{session: ses, dialog: m.dialog, covered: m.covered, arm: m.arm}
	m.rewinder = &rewinder{session: ses, ticker: m.ticker, editor: m.editor, lists: m.lists, switchTo: m.switchTo}
	m.hints = &hints{session: ses, dialog: m.dialog, editor: m.editor, popup: m.popup, find: m.find, queue: m.queue, ticker: m.ticker, pager: m.pager}
	m.mouse = &mouse{session: ses, editor: m.editor, dialog: m.dialog, help: m.help, popup: m.popup, clip: m.clip, panel: &m.panel, arrange: m.arrange, on: !o.NoMouse}
	m.prompt = &prompt{
		session: ses, editor: m.editor, dialog: m.dialog, popup: m.popup, images: m.images, earlier: m.earlier, queue: m.queue, clip: m.clip,
		external: m.external, table: m.table, ticker: m.ticker, rewinder: m.rewinder, help: m.help, command: m.slash, leave: m.leave,
	}
	m.question = &question{session: ses, dialog: m.dialog, editor: m.editor, interrupt: m.interrupt}
	m.popup.submit, m.images.ready = m.prompt.submit, m.prompt.sendReady
	m.pager.hints, m.pager.mouse = m.hints, m.mouse
	m.layers.shortcuts = &shortcuts{
		session: ses, dialog: m.dialog, find: m.find, pager: m.pager, mouse: m.mouse, table: m.table, models: m.picker, interrupt: m.interrupt,
	}
	for _, l := range []layer{m.prompt, m.layers.shortcuts, typing{m.prompt}, m.question} {
		m.layers.push(l)
	}
}
