package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// popupRows is how many suggestions are shown at most.
const popupRows = 8

// suggestion is something that can take the place of a word that is typed.
type suggestion struct {
	text  string // what takes its place
	label string // how it is shown, where that is another; sanitised
	at    []int  // the bytes of label to look at
	what  string // what it means; sanitised
	goes  bool   // it is whole: enter carries the line out
	open  bool   // more follows it at once, so no blank does
}

// source is where the suggestions for a word come from.
type source int

const (
	nowhere source = iota
	fromFiles
	fromCommands
	fromArguments
)

// word is the part of the text that suggestions are for.
type word struct {
	source   source
	from, to int    // in the editor's text
	query    string // what was typed of it
	command  string // whose argument it is
}

// popup is the list of suggestions above the editor.
type popup struct {
	word
	rows    []suggestion
	at, top int // the marked one, negative for none; the first that is shown
	visible int // how many of them are
	number  int // of the latest question for files, counted up
	shown   int // of that whose answer is shown
	stop    context.CancelFunc

	seen      [2]int // the revision and the caret that it was last made for
	dismissed word   // was closed by hand
	chosen    string // the query for which the user moved the marker
}

// open reports whether there is anything to choose from.
func (p *popup) open() bool { return len(p.rows) > 0 }

// close takes the suggestions away, and ends a question for more.
func (p *popup) close() {
	if p.stop != nil {
		p.stop()
	}
	p.word, p.rows, p.stop = word{}, nil, nil
	p.number++
}

// suggest shows the suggestions for the word before the cursor.
func (m *model) suggest() tea.Cmd {
	p := &m.popup
	w := m.wordTyped()
	switch {
	case w.source == nowhere:
		p.close()
		if m.editor.Search == nil { // which gives the word back
			p.dismissed = word{}
		}
	case w.same(p.dismissed):
	case w.source == fromFiles:
		return m.suggestFiles(w)
	default:
		p.close()
		p.word = w
		m.offer(m.matching(w))
	}
	return nil
}

// same reports whether two words are one that is being typed.
func (w word) same(as word) bool {
	return w.source == as.source && w.from == as.from && w.source != nowhere
}

// wordTyped is the word before the cursor that suggestions are for.
func (m *model) wordTyped() word {
	e := m.editor
	if e.Walk.Back > 0 || e.Search != nil || e.ModeHint() != "" {
		return word{}
	}
	raw, caret := e.Buffer.String(), e.Buffer.Caret()
	if w := commandTyped(raw, caret); w.source != nowhere {
		return w
	}
	if m.o.Files == nil {
		return word{}
	}
	return fileTyped(e.Buffer.Before(), caret)
}

// offer shows suggestions. The first is marked once something is typed of it:
// enter on a bare sign sends that.
func (m *model) offer(rows []suggestion) {
	p := &m.popup
	was := ""
	if p.open() && p.at > 0 {
		was = p.rows[p.at].text
	}
	p.rows, p.at, p.top = rows, 0, 0
	if p.query == "" {
		p.at = -1
	}
	if i := slices.IndexFunc(rows, func(s suggestion) bool { return s.text == was }); i > 0 {
		p.at = i // which somebody marked while more was found
	}
	if i := slices.IndexFunc(rows, p.exactly(m)); i >= 0 && p.chosen != p.query {
		p.at = i
	}
	if len(rows) == 1 && rows[0].text == p.typed(m) {
		p.rows = nil // it is there already
	}
}

// exactly returns a test for the suggestion that is already typed in full. It
// wins over longer ones: /mode must never run /model.
func (p *popup) exactly(m *model) func(suggestion) bool {
	typed := p.typed(m)
	return func(s suggestion) bool { return p.query != "" && strings.TrimSpace(s.text) == typed }
}

// typed is the text of the word.
func (p *popup) typed(m *model) string { return m.editor.Buffer.String()[p.from:p.to] }

// pressPopup takes a key while suggestions are shown. It reports whether it did.
func (m *model) pressPopup(k string) (cmd tea.Cmd, taken bool) {
	p := &m.popup
	switch {
	case m.keys.Is(k, keys.Complete) && !p.open():
		p.dismissed, p.seen = word{}, [2]int{-1, -1}
		return nil, false // it comes again
	case !p.open():
		return nil, false
	case m.keys.Is(k, keys.Dismiss) && m.editor.Vi != nil:
		return nil, false // it ends insert mode, and this with it
	case m.keys.Is(k, keys.Dismiss):
		was := p.word
		p.close()
		p.dismissed = was
	case m.keys.Is(k, keys.ListUp):
		p.at, p.chosen = (max(p.at, 0)+len(p.rows)-1)%len(p.rows), p.query
	case m.keys.Is(k, keys.ListDown):
		p.at, p.chosen = (p.at+1)%len(p.rows), p.query
	case m.keys.Is(k, keys.Complete):
		m.accept(p.rows[max(p.at, 0)])
	case m.keys.Is(k, keys.Send) && p.at >= 0 && strings.TrimSpace(p.rows[p.at].text) != p.typed(m):
		s := p.rows[p.at]
		m.accept(s)
		if s.goes {
			return m.submit(), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// accept puts a suggestion in the place of the word.
func (m *model) accept(s suggestion) {
	p, b := &m.popup, m.editor.Buffer
	text := m.editor.Tokens.Literal(editor.Typable(s.text))
	if !s.open && !s.goes && !strings.HasPrefix(b.String()[p.to:], " ") {
		text += " "
	}
	b.MoveTo(p.to)
	b.Replace(p.from, p.to, text)
	p.close()
}

// lines draws the suggestions, at most so many.
func (p *popup) lines(st *ink.Styles, width, limit int) []string {
	shown := min(len(p.rows), popupRows, limit)
	p.visible = shown
	if shown <= 0 {
		return nil
	}
	p.top = max(0, min(p.top, p.at, len(p.rows)-shown), p.at-shown+1)
	column := 0
	for _, s := range p.rows[p.top : p.top+shown] {
		if s.what != "" {
			column = max(column, lipgloss.Width(s.shownAs()))
		}
	}
	column = min(column, width/2)
	var out []string
	for i, s := range p.rows[p.top : p.top+shown] {
		out = append(out, p.row(st, s, i+p.top == p.at, column, width))
	}
	return out
}

// place says which of the suggestions is marked, where there are more than are
// shown.
func (p *popup) place() string {
	if len(p.rows) <= p.visible || p.at < 0 {
		return ""
	}
	return strconv.Itoa(p.at+1) + " of " + strconv.Itoa(len(p.rows)) + " · "
}

// row draws a suggestion.
func (p *popup) row(st *ink.Styles, s suggestion, marked bool, column, width int) string {
	mark, base := "  ", st.Plain
	if marked {
		mark, base = st.Cyan.Render(ink.MarkUser)+" ", st.Bold
	}
	label := s.shownAs()
	if over := lipgloss.Width(label) - (width - ink.Gutter); over > 0 && s.what == "" {
		return mark + st.Dim.Render("…") + base.Render(ansi.TruncateLeft(label, over+1, "")) // a path's end tells most
	}
	line := mark + ink.RenderMatches(label, s.at, base, st.Cyan)
	if s.what != "" {
		line += strings.Repeat(" ", max(column-lipgloss.Width(label), 0)+2) + st.Dim.Render(s.what)
	}
	return ink.Truncate(line, width)
}

// shownAs is how the suggestion is shown.
func (s suggestion) shownAs() string {
	if s.label != "" {
		return s.label
	}
	return ink.SanitizeLine(s.text)
}
