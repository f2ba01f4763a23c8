package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// listLayer shows a full-screen list, such as a picker, until it is closed.
type listLayer struct {
	*screen.Window
	layers *layer.Stack
	dialog *dialog.Dialog
	list   list.Current
}

// Show opens o.
func (l *listLayer) Show(o list.Overlay) tea.Cmd {
	l.layers.Push(l)
	return l.list.Show(o, l.Width, l.Height)
}

// Close closes the list.
func (l *listLayer) Close() {
	l.list.Open = nil
	l.layers.Remove(l)
}

// update passes msg to the open list, if any, and closes the layer with the list.
func (l *listLayer) update(msg tea.Msg) tea.Cmd {
	cmd, closed := l.list.Update(msg)
	if closed {
		l.Close()
	}
	return cmd
}

// Receive implements layer.Receiver.
func (l *listLayer) Receive(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.WindowSizeMsg, list.Msg:
		return l.update(msg)
	}
	return nil
}

// Key implements layer.Layer.
func (l *listLayer) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	switch k := msg.String(); {
	case l.Keys.Is(k, keys.Suspend):
		return tea.Suspend, layer.Taken
	case l.Keys.Is(k, keys.Redraw):
		return tea.ClearScreen, layer.Taken
	}
	return l.update(msg), layer.Taken
}

// Paste implements layer.Layer.
func (l *listLayer) Paste(text string) (tea.Cmd, bool) {
	return l.update(tea.PasteMsg{Content: text}), true
}

// Cancel implements layer.Canceler.
func (l *listLayer) Cancel() (tea.Cmd, bool) { return l.update(list.Close{}), true }

// Mouse implements layer.Pointed.
func (l *listLayer) Mouse(msg tea.MouseMsg, _ int) (tea.Cmd, bool) { return l.update(msg), true }

// Restyle implements layer.Styled.
func (l *listLayer) Restyle() { l.list.Open.Restyle(l.Styles) }

// Place implements layer.Drawn.
func (l *listLayer) Place() layer.Place { return layer.FullScreen }

// View implements layer.Drawn. If a dialog waits for an answer, the last line says so.
func (l *listLayer) View(width, _ int) ([]string, *tea.Cursor) {
	lines, cursor := l.list.Open.Lines()
	if l.dialog.Waits() && len(lines) > 1 {
		text := "  " + ink.MarkAsked + " a question waits · " + l.Keys.Name(keys.Interrupt) + " shows it"
		lines[len(lines)-1] = l.Styles.Yellow.Render(ink.Truncate(text, width))
	}
	return lines, cursor
}
