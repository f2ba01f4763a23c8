package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// help is the full-screen overview of the main key bindings and all commands. It starts
// with the current model and the reason it was selected.
type help struct {
	*screen.Window
	about   func() string // describes the model
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

// Cancel implements layer.Canceler.
func (h *help) Cancel() (tea.Cmd, bool) {
	h.layers.Remove(h)
	return nil, true
}

// Mouse implements layer.Pointed. The wheel scrolls.
func (h *help) Mouse(msg tea.MouseMsg, _ int) (tea.Cmd, bool) {
	if msg, ok := msg.(tea.MouseWheelMsg); ok {
		h.scrollBy(layer.WheelLines(msg))
	}
	return nil, true
}

// Place implements layer.Drawn.
func (h *help) Place() layer.Place { return layer.FullScreen }

// View implements layer.Drawn.
func (h *help) View(width, height int) ([]string, *tea.Cursor) {
	st := h.Styles
	all := h.lines(width)
	h.total, h.visible = len(all), min(len(all), max(height-1, 0))
	h.scrollBy(0)
	out := append([]string{}, all[h.scroll:h.scroll+h.visible]...)
	for len(out) < height-1 {
		out = append(out, "")
	}
	hint := "/keys searches all keys · /help TOPIC opens the manual · any key closes this"
	if h.visible < h.total {
		hint = "up and down scroll · any other key closes this"
	}
	return append(out, st.Dim.Render(ink.Truncate("  "+hint, width))), nil
}

// lines renders the help in three columns, in two, or in one, depending on width.
func (h *help) lines(width int) []string {
	const wide, narrow = 100, 72
	st, inner := h.Styles, max(width-ink.Gutter, 1)
	compose, session, scroll := h.compose(), h.session(), h.transcript()
	var body []string
	switch {
	case width >= wide:
		column := inner / 3
		body = joinColumns(column, compose.draw(st, column-2), session.draw(st, column-2), scroll.draw(st, column-2))
		body = append(append(body, ""), h.commands(inner)...)
	case width >= narrow:
		column := inner / 2
		left := slices.Concat(compose.draw(st, column-2), []string{""}, scroll.draw(st, column-2))
		right := slices.Concat(session.draw(st, column-2), []string{""}, h.commands(column-2))
		body = joinColumns(column, left, right)
	default:
		body = slices.Concat(compose.draw(st, inner), []string{""}, session.draw(st, inner), []string{""}, scroll.draw(st, inner), []string{""}, h.commands(inner))
	}
	body = append(body, h.topics(inner)...)
	out := append(ink.Hang(" ", ink.Wrap(h.about(), inner)), "")
	for _, l := range body {
		out = append(out, "  "+l)
	}
	return out
}

// keyGroup is a group of keys in the help.
type keyGroup struct {
	title string
	rows  [][2]string // key and action
}

// add adds a row, unless key is empty because the action is unbound.
func (g *keyGroup) add(key, action string) {
	if key != "" {
		g.rows = append(g.rows, [2]string{key, action})
	}
}

// draw renders the title and the rows, truncated to width.
func (g *keyGroup) draw(st *ink.Styles, width int) []string {
	first := 0
	for _, r := range g.rows {
		first = max(first, lipgloss.Width(r[0]))
	}
	out := []string{st.Bold.Render(g.title)}
	for _, r := range g.rows {
		pad := strings.Repeat(" ", first-lipgloss.Width(r[0])+2)
		out = append(out, ink.Truncate(st.Cyan.Render(r[0])+pad+r[1], width))
	}
	return out
}

// joinColumns joins blocks of lines side by side, each in a column of the given width.
func joinColumns(column int, blocks ...[]string) []string {
	var out []string
	for y := 0; ; y++ {
		line, more := "", false
		for i, b := range blocks {
			line += strings.Repeat(" ", max(i*column-lipgloss.Width(line), 0))
			if y < len(b) {
				line, more = line+b[y], true
			}
		}
		if !more {
			return out
		}
		out = append(out, strings.TrimRight(line, " "))
	}
}

func (h *help) compose() *keyGroup {
	k, g := h.Keys.Name, &keyGroup{title: "Compose"}
	g.add("/", "commands")
	g.add("@", "files")
	g.add("@agent:", "delegate to an agent")
	g.add("!", "shell command")
	g.add("!!", "private shell command")
	g.add(k(keys.Newline), "new line")
	g.add(k(keys.Queue), "queue a message")
	g.add(k(keys.Attach), "paste image")
	g.add(k(keys.Edit), "edit in $EDITOR")
	return g
}

func (h *help) session() *keyGroup {
	k, g := h.Keys.Name, &keyGroup{title: "Session"}
	g.add(k(keys.Mode), "permission mode")
	g.add(k(keys.Model), "model")
	g.add(k(keys.Agents), "delegates and agents")
	g.add(k(keys.Search), "prompt history")
	if key := k(keys.Rewind); key != "" {
		g.add(key+" "+key, "edit a message")
	}
	g.add(k(keys.Interrupt), "interrupt the turn")
	g.add(k(keys.Clear), "clear; twice: quit")
	g.add(k(keys.Palette), "command palette")
	return g
}

func (h *help) transcript() *keyGroup {
	k, g := h.Keys.Name, &keyGroup{title: "Transcript"}
	g.add(k(keys.Open), "expand last output")
	g.add(k(keys.OpenAll), "expand all")
	g.add(k(keys.View), "full-screen transcript")
	g.add(k(keys.Find), "search")
	g.add(k(keys.PageUp), "scroll up")
	g.add(k(keys.PageDown), "scroll down")
	g.add(k(keys.Mouse), "toggle mouse capture")
	return g
}

// topics lists the names of the help topics, a line for each group.
func (h *help) topics(width int) []string {
	groups := h.Options.Manual.Groups
	if len(groups) == 0 {
		return nil
	}
	out := []string{"", h.Styles.Bold.Render("Topics") + h.Styles.Dim.Render(ink.Truncate("  /help TOPIC opens one, /help WORDS searches all", width-len("Topics")))}
	column := 0
	for _, g := range groups {
		column = max(column, len(g.Name)+2)
	}
	for _, g := range groups {
		lead := fmt.Sprintf("%-*s", column, g.Name)
		for i, l := range ink.Wrap(strings.Join(g.Topics, "  "), max(width-column, 1)) {
			if i > 0 {
				lead = strings.Repeat(" ", column)
			}
			out = append(out, lead+h.Styles.Cyan.Render(l))
		}
	}
	return out
}

// commands lists the names of the slash commands.
func (h *help) commands(width int) []string {
	var names []string
	for _, c := range h.slash.Commands() {
		names = append(names, "/"+ink.SanitizeLine(c.Name))
	}
	return append([]string{h.Styles.Bold.Render("Commands")}, ink.Wrap(strings.Join(names, "  "), width)...)
}
