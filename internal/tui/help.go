package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// help is the full-screen list of all key bindings and commands. It starts with the
// current model and the reason it was selected.
type help struct {
	*screen.Conversation
	layers  *layer.Stack
	slash   *slash.Session
	scroll  int
	visible int // number of lines in the window
	total   int
}

// show opens the help at the top.
func (h *help) show() {
	h.scroll = 0
	h.layers.Push(h)
}

// Paste implements layer.Layer.
func (h *help) Paste(string) (tea.Cmd, bool) { return nil, true }

// Key implements layer.Layer. Keys that do not scroll close the help.
func (h *help) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	k := msg.String()
	switch k {
	case "up", "k", "pgup":
		h.scrollBy(-h.step(k))
	case "down", "j", "pgdown", "space":
		h.scrollBy(h.step(k))
	default:
		h.layers.Remove(h)
	}
	return nil, layer.Taken
}

// step returns how many lines the key k scrolls.
func (h *help) step(k string) int {
	if strings.HasPrefix(k, "pg") || k == "space" {
		return max(h.visible-1, 1)
	}
	return 1
}

func (h *help) scrollBy(n int) { h.scroll = max(0, min(h.scroll+n, h.total-h.visible)) }

// Mouse implements layer.FullScreen. The wheel scrolls.
func (h *help) Mouse(msg tea.MouseMsg) tea.Cmd {
	if msg, ok := msg.(tea.MouseWheelMsg); ok {
		lines, _ := wheelSteps(msg)
		h.scrollBy(lines)
	}
	return nil
}

// View implements layer.FullScreen.
func (h *help) View() ([]string, *tea.Cursor) {
	st, width, height := h.Styles, h.Width, h.Height
	all := h.lines(st, h.AboutModel(), h.slash.Commands(), width)
	h.total, h.visible = len(all), min(len(all), max(height-1, 0))
	h.scrollBy(0)
	out := append([]string{}, all[h.scroll:h.scroll+h.visible]...)
	for len(out) < height-1 {
		out = append(out, "")
	}
	hint := "any key closes this"
	if h.visible < h.total {
		hint = "up, down scroll · other keys close"
	}
	return append(out, st.Dim.Render(ink.Truncate("  "+hint, width))), nil
}

// lines renders the whole help text at the given width.
func (h *help) lines(st *ink.Styles, model string, commands []slash.Command, width int) []string {
	inner := max(width-ink.Gutter, 1)
	out := ink.Hang(" ", ink.Wrap(model, inner))
	var prefixes [][2]string
	for _, s := range slash.Prefixes() {
		prefixes = append(prefixes, [2]string{s.Typed, s.What})
	}
	out = append(append(out, "", "  "+st.Bold.Render(ink.Truncate("What you type", inner))), ink.Columns(st, prefixes, inner)...)
	rows := map[keys.Scope][][2]string{}
	var order []keys.Scope
	for _, k := range h.Keys.Listed() {
		if rows[k.Where] == nil {
			order = append(order, k.Where)
		}
		rows[k.Where] = append(rows[k.Where], [2]string{k.Pressed(), k.What})
	}
	for _, where := range order {
		head := strings.TrimSpace("Keys " + string(where))
		out = append(append(out, "", "  "+st.Bold.Render(ink.Truncate(head, inner))), ink.Columns(st, rows[where], inner)...)
	}
	var typed [][2]string
	for _, s := range commands {
		row := s.Row()
		typed = append(typed, [2]string{ink.SanitizeLine(row.Usage), ink.SanitizeLine(row.What)})
	}
	return append(append(out, "", "  "+st.Bold.Render(ink.Truncate("Commands", inner))), ink.Columns(st, typed, inner)...)
}
