package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/transcript"
)

// find is a search in the session, from its end to its beginning.
type find struct {
	ink.Query
	open   bool
	typing bool // what is typed is what is searched for

	search int   // counts searches: what an earlier one found is passed over
	down   int   // the events from this number on were searched
	hits   []int // the numbers of those that have it, the last one first
	at     int   // the one that was gone to, -1 before any was
	older  bool  // an older one is wanted as soon as it is found
	note   string
}

// findPage is how many events are searched at once.
const findPage = 256

// found brings what a part of the session has.
type found struct {
	search, from int
	hits         []int // the last one first
	err          error
}

func (m *model) slashFind(text string) tea.Cmd {
	m.openFind()
	if text == "" {
		return nil
	}
	m.find.older = true
	return m.searchFor(text)
}

// openFind begins a search. It has the keys until it is closed: letters of what
// is searched for must not answer a question that waits.
func (m *model) openFind() {
	m.dialog.Hold()
	m.find = find{open: true, typing: true, search: m.find.search + 1, at: -1}
	m.list.Mark = transcript.SearchMark{}
}

func (m *model) closeFind() {
	m.find.open, m.find.typing = false, false
	m.find.search++
	m.list.Mark = transcript.SearchMark{}
}

// searchFor searches the whole session.
func (m *model) searchFor(text string) tea.Cmd {
	f := &m.find
	f.Query, f.hits, f.at, f.note = ink.NewQuery(text), nil, -1, ""
	f.search++
	f.down = m.list.Events()
	m.list.Mark = transcript.SearchMark{}
	return m.searchOn()
}

// searchOn returns the command that searches the next part.
func (m *model) searchOn() tea.Cmd {
	f := &m.find
	if m.broken != "" {
		f.note, f.down = "the session cannot be read", 0
	}
	if !f.open || f.Text == "" || f.down == 0 || m.o.Page == nil || !m.list.Settled {
		return nil
	}
	read, n, search, to := m.o.Page, f.Query, f.search, f.down
	return func() tea.Msg {
		r := found{search: search, from: max(to-findPage, 0)}
		var events []event.Event
		events, r.err = read(r.from, to)
		for i, ev := range slices.Backward(events) {
			if transcript.Mentions(n, ev) {
				r.hits = append(r.hits, r.from+i)
			}
		}
		return r
	}
}

// foundSome takes what a part of the session has.
func (m *model) foundSome(r found) tea.Cmd {
	f := &m.find
	if r.search != f.search {
		return nil
	}
	if r.err != nil {
		f.note, f.down = "the rest cannot be read", 0
		return nil
	}
	f.hits, f.down = append(f.hits, r.hits...), r.from
	if f.older && len(r.hits) > 0 || f.down == 0 {
		wanted := f.older
		if f.older = false; wanted {
			m.findOlder()
		}
	}
	return m.searchOn()
}

// heard takes an event that came while one searches.
func (f *find) heard(ev event.Event, number int) {
	if f.open && transcript.Mentions(f.Query, ev) && (len(f.hits) == 0 || f.hits[0] < number) {
		f.hits = slices.Insert(f.hits, 0, number)
		if f.at >= 0 {
			f.at++
		}
	}
}

// findOlder goes to what is found next above.
func (m *model) findOlder() {
	f := &m.find
	if f.note = ""; !f.open || f.Text == "" {
		return
	}
	next := f.at + 1
	if f.at < 0 {
		last := m.list.LastEvent()
		next = slices.IndexFunc(f.hits, func(at int) bool { return at <= last })
		if next < 0 {
			next = len(f.hits)
		}
	} else if m.list.MarkNext(true, f.Query, f.hits[f.at]) {
		return
	}
	switch {
	case next < len(f.hits):
		f.at = next
		m.list.Seek(transcript.Target{At: f.hits[next], Find: f.Query, Last: true})
	case f.down > 0:
		f.older = true
	case f.at < 0 && len(f.hits) > 0: // all of it is below
		f.at = len(f.hits) - 1
		m.list.Seek(transcript.Target{At: f.hits[f.at], Find: f.Query})
	case len(f.hits) > 0:
		f.note = "that is the first one"
	case m.feed.Streams(f.Query):
		m.list.ShowEnd()
	}
}

// findNewer goes to what is found next below.
func (m *model) findNewer() {
	f := &m.find
	f.note, f.older = "", false
	switch {
	case !f.open || f.at < 0 || m.list.MarkNext(false, f.Query, f.hits[f.at]):
	case f.at > 0:
		f.at--
		m.list.Seek(transcript.Target{At: f.hits[f.at], Find: f.Query})
	default:
		f.note = "that is the last one"
	}
}

// pressFind takes a key while one types what is searched for.
func (m *model) pressFind(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	f, k := &m.find, msg.String()
	switch {
	case !f.typing:
		return nil, false
	case m.keys.Is(k, keys.Dismiss), m.keys.Is(k, keys.Clear), m.keys.Is(k, keys.Leave):
		m.closeFind()
	case m.keys.Is(k, keys.Older):
		f.typing = !m.whole
		m.findOlder()
	case m.keys.Is(k, keys.Newer):
		m.findNewer()
	case m.keys.Is(k, keys.EraseLeft):
		if r := []rune(f.Text); len(r) > 0 {
			return m.searchFor(string(r[:len(r)-1])), true
		}
	case m.keys.Is(k, keys.EraseToHead), m.keys.Is(k, keys.EraseWord):
		return m.searchFor(""), true
	case msg.Text != "":
		return m.searchFor(f.Text + ink.SanitizeLine(msg.Text)), true
	default:
		return nil, false
	}
	return nil, true
}

// pasteFind takes pasted text while one types what is searched for.
func (m *model) pasteFind(text string) (cmd tea.Cmd, taken bool) {
	if !m.find.typing {
		return nil, false
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return m.searchFor(m.find.Text + ink.SanitizeLine(line)), true
}

// findLine is where one types, and how far the search has come.
func (m *model) findLine(width int) ([]string, *tea.Cursor) {
	f, st := &m.find, m.st
	right := f.note
	switch {
	case right != "" || f.Text == "":
	case f.at >= 0 && f.down > 0:
		right = fmt.Sprintf("%d of %d so far", f.at+1, len(f.hits))
	case f.at >= 0:
		right = fmt.Sprintf("%d of %d", f.at+1, len(f.hits))
	case f.down > 0 && f.older:
		right = "searching"
	case len(f.hits) > 0:
		right = phrase.Count(len(f.hits), "place")
	case f.down == 0 && m.feed.Streams(f.Query):
		right = "in what is being written"
	case f.down == 0:
		right = "nothing found"
	}
	if keys := m.keys.Name(keys.ViewOlder) + " above · " + m.keys.Name(keys.ViewNewer) + " below"; m.whole && !f.typing && width >= 60 {
		right += " · " + keys
	}
	const lead = "find  "
	text := f.Text
	for text != "" && lipgloss.Width(lead+text)+2 > width {
		text = text[len(string([]rune(text)[:1])):]
	}
	line := ink.Spread(st.Cyan.Render(ink.Truncate(lead, width))+text, st.Dim.Render(right), width)
	if !f.typing {
		return []string{line}, nil
	}
	cursor := tea.NewCursor(min(lipgloss.Width(lead+text), max(width-1, 0)), 0)
	cursor.Shape, cursor.Blink = tea.CursorBar, false
	return []string{line}, cursor
}

// shownLines is the window of the transcript, with what is searched for set off.
func (m *model) shownLines() []string {
	lines := slices.Clone(m.list.Window)
	if m.find.open && m.find.Text != "" {
		for i, l := range lines {
			lines[i] = m.find.Highlight(m.st, l, i == m.list.Marked)
		}
	}
	return lines
}

// jump moves the window to the prompt above its first line, or to the next one
// below; after the last one comes the end.
func (m *model) jump(back bool) {
	at, within := m.list.TopEvent()
	prompts := m.feed.Prompts
	n, _ := slices.BinarySearchFunc(prompts, at, func(s event.PastPrompt, at int) int { return s.At - at })
	switch {
	case back && within && n < len(prompts) && prompts[n].At == at:
		m.list.Seek(transcript.Target{At: at})
	case back && n > 0:
		m.list.Seek(transcript.Target{At: prompts[n-1].At})
	case back:
		m.list.ShowStart()
	default:
		if n < len(prompts) && prompts[n].At == at {
			n++
		}
		if n == len(prompts) {
			m.list.ShowEnd()
			return
		}
		m.list.Seek(transcript.Target{At: prompts[n].At})
	}
}
