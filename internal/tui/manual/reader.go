package manual

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// Reader is the layer that shows a topic of the manual in the full screen.
type Reader struct {
	*screen.Window
	Layers *layer.Stack
	Waits  func() bool // reports whether a question waits below

	visit
	behind []visit        // the topics whose links led here, the last one at the end
	leave  func() tea.Cmd // called after Esc closes the reader; may be nil

	page     page
	width    int // of the page
	height   int // of the window without the last line
	query    ink.Query
	hit      int  // the line of the current match
	searches bool // the query is being typed
	note     string
}

// visit is a topic that is open, and what it shows.
type visit struct {
	topic  string
	scroll int
	marked int // index of the marked link, -1 for none
}

// Show opens the manual at a place. leave is called after Esc closes it; it may be nil.
func (r *Reader) Show(at screen.Passage, leave func() tea.Cmd) tea.Cmd {
	r.behind, r.leave = nil, leave
	r.open(at)
	r.Layers.Push(r)
	return nil
}

// open shows a place.
func (r *Reader) open(at screen.Passage) {
	r.visit = visit{topic: at.Topic, marked: -1}
	r.query, r.searches, r.note = ink.NewQuery(at.Words), false, ""
	r.layout(r.Width, r.Height)
	r.hit = r.page.find(r.Styles, r.Options.Manual, at, r.width)
	r.scrollTo(r.hit - 1)
}

// layout draws the page for a window of that size.
func (r *Reader) layout(width, height int) {
	const widest = 100 // columns that are easy to read
	r.height = max(height-1, 1)
	r.width = max(min(width-ink.Gutter, widest), 1)
	r.page = drawPage(r.Styles, r.Options.Manual, r.Options.Manual.Text(r.topic), r.width)
	r.scrollBy(0)
}

func (r *Reader) scrollTo(line int) { r.scroll = max(0, min(line, len(r.page.lines)-r.height)) }

func (r *Reader) scrollBy(n int) { r.scrollTo(r.scroll + n) }

// follow opens the marked link.
func (r *Reader) follow() {
	if r.marked < 0 {
		return
	}
	if at, ok := r.Options.Manual.Find(r.page.links[r.marked].target); ok {
		r.behind = append(r.behind, r.visit)
		r.open(at)
	}
}

// back returns to the topic whose link led here. It closes the reader if there is none.
func (r *Reader) back() tea.Cmd {
	last := len(r.behind) - 1
	if last < 0 {
		r.Layers.Remove(r)
		if r.leave != nil {
			return r.leave()
		}
		return nil
	}
	v := r.behind[last]
	r.behind = r.behind[:last]
	r.open(screen.Passage{Topic: v.topic})
	r.visit = v
	r.scrollTo(v.scroll)
	return nil
}

// markLink marks the next link, or the previous one if by is -1. The first one is in the window.
func (r *Reader) markLink(by int) {
	links := r.page.links
	if len(links) == 0 {
		r.note = "this topic has no links"
		return
	}
	visible := func(i int) bool { return links[i].line >= r.scroll && links[i].line < r.scroll+r.height }
	next := r.marked + by
	if r.marked < 0 || !visible(r.marked) {
		next = -1
		for i := range links {
			if visible(i) && (next < 0 || by < 0) {
				next = i
			}
		}
		if next < 0 { // none is in the window: the nearest one after or before it
			for next = 0; next < len(links)-1 && links[next].line < r.scroll; next++ {
			}
		}
	}
	r.marked = (next + len(links)) % len(links)
	if !visible(r.marked) {
		r.scrollTo(links[r.marked].line - r.height/3)
	}
}

// find scrolls to the next line with the query, or to the previous one if by is -1. from is the
// first line to look at.
func (r *Reader) find(from, by int) {
	if r.note = ""; r.query.Text == "" {
		return
	}
	for y := from; y >= 0 && y < len(r.page.lines); y += by {
		if r.query.InLine(ink.Draw(r.page.lines[y])) {
			r.hit = y
			r.scrollTo(y - 1)
			return
		}
	}
	r.note = "no more matches"
}

// Key implements layer.Layer.
func (r *Reader) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	k := msg.String()
	if r.searches {
		r.typeQuery(msg)
		return nil, layer.Taken
	}
	r.note = ""
	page := max(r.height-2, 1)
	switch {
	case k == "tab":
		r.markLink(1)
	case k == "shift+tab":
		r.markLink(-1)
	case k == "enter":
		r.follow()
	case k == "backspace", k == "left", r.Keys.Is(k, keys.Dismiss):
		return r.back(), layer.Taken
	case r.Keys.Is(k, keys.ViewClose):
		r.Layers.Remove(r)
	case r.Keys.Is(k, keys.ViewUp):
		r.scrollBy(-1)
	case r.Keys.Is(k, keys.ViewDown):
		r.scrollBy(1)
	case r.Keys.Is(k, keys.ViewPageUp), r.Keys.Is(k, keys.PageUp):
		r.scrollBy(-page)
	case r.Keys.Is(k, keys.ViewPageDown), r.Keys.Is(k, keys.PageDown):
		r.scrollBy(page)
	case r.Keys.Is(k, keys.ViewHalfUp):
		r.scrollBy(-max(r.height/2, 1))
	case r.Keys.Is(k, keys.ViewHalfDown):
		r.scrollBy(max(r.height/2, 1))
	case r.Keys.Is(k, keys.ViewTop), r.Keys.Is(k, keys.Top):
		r.scrollTo(0)
	case r.Keys.Is(k, keys.ViewBottom), r.Keys.Is(k, keys.Bottom):
		r.scrollBy(len(r.page.lines))
	case r.Keys.Is(k, keys.ViewFind), r.Keys.Is(k, keys.Find):
		r.query, r.searches = ink.Query{}, true
	case r.Keys.Is(k, keys.ViewNewer):
		r.find(r.hit+1, 1)
	case r.Keys.Is(k, keys.ViewOlder):
		r.find(r.hit-1, -1)
	case r.Keys.Is(k, keys.Suspend):
		return tea.Suspend, layer.Taken
	case r.Keys.Is(k, keys.Redraw):
		return tea.ClearScreen, layer.Taken
	}
	return nil, layer.Taken
}

// typeQuery handles a key while the query is being typed.
func (r *Reader) typeQuery(msg tea.KeyPressMsg) {
	k := msg.String()
	switch {
	case k == "enter":
		r.searches = false
		r.find(r.scroll, 1)
	case r.Keys.Is(k, keys.Dismiss):
		r.query, r.searches = ink.Query{}, false
	case r.Keys.Is(k, keys.DeleteLeft):
		if text := []rune(r.query.Text); len(text) > 0 {
			r.query = ink.NewQuery(string(text[:len(text)-1]))
		}
	case msg.Text != "":
		r.query = ink.NewQuery(r.query.Text + ink.SanitizeLine(msg.Text))
	}
}

// Paste implements layer.Layer.
func (r *Reader) Paste(text string) (tea.Cmd, bool) {
	if r.searches {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		r.query = ink.NewQuery(r.query.Text + ink.SanitizeLine(line))
	}
	return nil, true
}

// Cancel implements layer.Canceler.
func (r *Reader) Cancel() (tea.Cmd, bool) {
	r.Layers.Remove(r)
	return nil, true
}

// Mouse implements layer.Pointed. The wheel scrolls, and a click opens a link.
func (r *Reader) Mouse(msg tea.MouseMsg, _ int) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		r.scrollBy(layer.WheelLines(msg))
	case tea.MouseClickMsg:
		if i := r.page.linkAt(msg.X-ink.Gutter, r.scroll+msg.Y); i >= 0 && msg.Y < r.height {
			r.marked = i
			r.follow()
		}
	}
	return nil, true
}

// Restyle implements layer.Styled.
func (r *Reader) Restyle() { r.layout(r.Width, r.Height) }

// Receive implements layer.Receiver.
func (r *Reader) Receive(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(tea.WindowSizeMsg); ok {
		r.layout(r.Width, r.Height)
	}
	return nil
}

// Place implements layer.Drawn.
func (r *Reader) Place() layer.Place { return layer.FullScreen }

// View implements layer.Drawn.
func (r *Reader) View(width, height int) ([]string, *tea.Cursor) {
	var out []string
	for y := r.scroll; y < min(r.scroll+r.height, len(r.page.lines)); y++ {
		line := r.page.line(r.Styles, y, r.marked)
		if r.query.Text != "" {
			line = r.query.Highlight(r.Styles, line, y == r.hit)
		}
		out = append(out, strings.Repeat(" ", ink.Gutter)+line)
	}
	for len(out) < r.height {
		out = append(out, "")
	}
	foot, cursor := r.foot(width)
	if cursor != nil {
		cursor.Y = len(out)
	}
	return append(out, foot), cursor
}

// foot draws the last line: the keys, the marked link or the search, and the position.
func (r *Reader) foot(width int) (string, *tea.Cursor) {
	st, k := r.Styles, r.Keys.Name
	if r.searches {
		line := st.Cyan.Render("search  ") + r.query.Text
		cursor := tea.NewCursor(min(lipgloss.Width(line), max(width-1, 0)), 0)
		cursor.Shape, cursor.Blink = tea.CursorBar, false
		return ink.Truncate(line, width), cursor
	}
	if r.Waits() {
		return st.Yellow.Render(ink.Truncate(ink.MarkAsked+" a question waits · "+k(keys.ViewClose)+" to answer", width)), nil
	}
	back := "close"
	if len(r.behind) > 0 {
		back = "back to " + r.behind[len(r.behind)-1].topic
	} else if r.leave != nil {
		back = "back to the list"
	}
	hint := k(keys.ViewFind) + " search · tab next link · " + k(keys.Dismiss) + " " + back
	if back != "close" {
		hint = k(keys.ViewClose) + " close · " + hint
	}
	switch {
	case r.note != "":
		hint = r.note
	case r.marked >= 0:
		at, _ := r.Options.Manual.Find(r.page.links[r.marked].target)
		to := at.Topic
		if at.Heading != "" {
			to += ": " + at.Heading
		}
		hint = "tab next link · " + k(keys.Dismiss) + " " + back + " · enter opens " + to
	}
	right := r.topic + " · " + r.position()
	room := max(width-lipgloss.Width(right)-ink.Gutter-2, 1)
	return st.Dim.Render(ink.Spread("  "+list.FitHints(hint, room), right, width)), nil
}

// position returns how much of the topic is above the end of the window.
func (r *Reader) position() string {
	if seen := r.scroll + r.height; seen < len(r.page.lines) {
		return fmt.Sprintf("%d%%", 100*seen/len(r.page.lines))
	}
	return "end"
}
