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
	*screen.Conversation
	layers *layer.Stack
	dialog *dialog.Dialog
	over   list.Overlay // the open list; nil if none
}

// Show opens o.
func (l *listLayer) Show(o list.Overlay) tea.Cmd {
	cmd, _ := o.Update(tea.WindowSizeMsg{Width: l.Width, Height: l.Height})
	l.over = o
	l.layers.Push(l)
	return cmd
}

// Close closes the list.
func (l *listLayer) Close() {
	l.over = nil
	l.layers.Remove(l)
}

// update passes msg to the open list, if any, and closes the list if it reports that
// it is done.
func (l *listLayer) update(msg tea.Msg) tea.Cmd {
	over := l.over
	if over == nil {
		return nil
	}
	cmd, closed := over.Update(msg)
	if closed && l.over == over {
		l.Close()
	}
	return cmd
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

// Mouse implements layer.FullScreen.
func (l *listLayer) Mouse(msg tea.MouseMsg) tea.Cmd { return l.update(msg) }

// View implements layer.FullScreen. If a dialog waits for an answer, the last line
// says so.
func (l *listLayer) View() ([]string, *tea.Cursor) {
	lines, cursor := l.over.Lines()
	if l.dialog.Waits() && len(lines) > 1 {
		text := "  " + ink.MarkAsked + " a question waits · " + l.Keys.Name(keys.Interrupt) + " shows it"
		lines[len(lines)-1] = l.Styles.Yellow.Render(ink.Truncate(text, l.Width))
	}
	return lines, cursor
}
