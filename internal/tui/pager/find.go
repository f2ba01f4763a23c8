package pager

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
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// Finder searches the session, from its end to its beginning.
type Finder struct {
	*screen.Conversation
	Layers *layer.Stack
	ink.Query
	Typing  bool // what is typed is what is searched for
	inPager bool // it searches the full view

	search int   // counts searches: what an earlier one found is passed over
	down   int   // the events from this number on were searched
	hits   []int // the numbers of those that have it, the last one first
	at     int   // the one that was gone to, -1 before any was
	older  bool  // an older one is wanted as soon as it is found
	note   string
}

// findPage is how many events are searched at once.
const findPage = 256

// Found brings what a part of the session has.
type Found struct {
	search, from int
	hits         []int // the last one first
	err          error
}

// Open reports whether a search is open.
func (f *Finder) Open() bool { return f.Layers.Has(f) }

// Start begins a search. It has the keys until it is closed: letters of what
// is searched for must not answer a question that waits.
func (f *Finder) Start() {
	*f = Finder{Conversation: f.Conversation, Layers: f.Layers, Typing: true, inPager: f.inPager, search: f.search + 1, at: -1}
	f.Transcript.ClearMark()
	f.Layers.Push(f)
}

// StartWith begins a search for a text, and goes to the last place that has it.
func (f *Finder) StartWith(text string) tea.Cmd {
	f.Start()
	if text == "" {
		return nil
	}
	f.older = true
	return f.searchFor(text)
}

// Again searches anew for what is searched for, if a search is open: there is more
// of the session than before.
func (f *Finder) Again() tea.Cmd {
	if !f.Open() {
		return nil
	}
	return f.searchFor(f.Text)
}

// Close ends the search.
func (f *Finder) Close() {
	f.Layers.Remove(f)
	f.Typing = false
	f.search++
	f.Transcript.ClearMark()
}

// searchFor searches the whole session.
func (f *Finder) searchFor(text string) tea.Cmd {
	f.Query, f.hits, f.at, f.note = ink.NewQuery(text), nil, -1, ""
	f.search++
	f.down = f.Transcript.Events()
	f.Transcript.ClearMark()
	return f.searchOn()
}

// searchOn returns the command that searches the next part.
func (f *Finder) searchOn() tea.Cmd {
	if f.Broken != "" {
		f.note, f.down = "the session cannot be read", 0
	}
	if !f.Open() || f.Text == "" || f.down == 0 || f.Options.Session.Page == nil || !f.Transcript.Settled {
		return nil
	}
	read, n, search, to := f.Options.Session.Page, f.Query, f.search, f.down
	return func() tea.Msg {
		r := Found{search: search, from: max(to-findPage, 0)}
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

// Found takes what a part of the session has.
func (f *Finder) Found(r Found) tea.Cmd {
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
			f.goOlder()
		}
	}
	return f.searchOn()
}

// Heard takes an event that came while one searches.
func (f *Finder) Heard(ev event.Event, number int) {
	if f.Open() && transcript.Mentions(f.Query, ev) && (len(f.hits) == 0 || f.hits[0] < number) {
		f.hits = slices.Insert(f.hits, 0, number)
		if f.at >= 0 {
			f.at++
		}
	}
}

// goOlder goes to what is found next above.
func (f *Finder) goOlder() {
	if f.note = ""; !f.Open() || f.Text == "" {
		return
	}
	next := f.at + 1
	if f.at < 0 {
		last := f.Transcript.LastEvent()
		next = slices.IndexFunc(f.hits, func(at int) bool { return at <= last })
		if next < 0 {
			next = len(f.hits)
		}
	} else if f.Transcript.MarkNext(true, f.Query, f.hits[f.at]) {
		return
	}
	switch {
	case next < len(f.hits):
		f.at = next
		f.Transcript.Seek(transcript.Target{At: f.hits[next], Find: f.Query, Last: true})
	case f.down > 0:
		f.older = true
	case f.at < 0 && len(f.hits) > 0: // all of it is below
		f.at = len(f.hits) - 1
		f.Transcript.Seek(transcript.Target{At: f.hits[f.at], Find: f.Query})
	case len(f.hits) > 0:
		f.note = "that is the first one"
	case f.Feed.Streams(f.Query):
		f.Transcript.ShowEnd()
	}
}

// goNewer goes to what is found next below.
func (f *Finder) goNewer() {
	f.note, f.older = "", false
	switch {
	case !f.Open() || f.at < 0 || f.Transcript.MarkNext(false, f.Query, f.hits[f.at]):
	case f.at > 0:
		f.at--
		f.Transcript.Seek(transcript.Target{At: f.hits[f.at], Find: f.Query})
	default:
		f.note = "that is the last one"
	}
}

// Key implements layer.Layer. Once the text is complete, the pager has the keys.
func (f *Finder) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	k := msg.String()
	switch {
	case !f.Typing:
		return nil, layer.Below
	case f.Keys.Is(k, keys.Dismiss), f.Keys.Is(k, keys.Clear), f.Keys.Is(k, keys.Leave):
		f.Close()
	case f.Keys.Is(k, keys.Older):
		f.Typing = !f.inPager
		f.goOlder()
	case f.Keys.Is(k, keys.Newer):
		f.goNewer()
	case f.Keys.Is(k, keys.EraseLeft):
		if r := []rune(f.Text); len(r) > 0 {
			return f.searchFor(string(r[:len(r)-1])), layer.Taken
		}
	case f.Keys.Is(k, keys.EraseToHead), f.Keys.Is(k, keys.EraseWord):
		return f.searchFor(""), layer.Taken
	case msg.Text != "":
		return f.searchFor(f.Text + ink.SanitizeLine(msg.Text)), layer.Taken
	default:
		return nil, layer.Global
	}
	return nil, layer.Taken
}

// Paste implements layer.Layer.
func (f *Finder) Paste(text string) (tea.Cmd, bool) {
	if !f.Typing {
		return nil, false
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return f.searchFor(f.Text + ink.SanitizeLine(line)), true
}

// Line draws the text that is searched for, and how far the search has come.
func (f *Finder) Line(width int) (string, *tea.Cursor) {
	st := f.Styles
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
	case f.down == 0 && f.Feed.Streams(f.Query):
		right = "in what is being written"
	case f.down == 0:
		right = "nothing found"
	}
	if keys := f.Keys.Name(keys.ViewOlder) + " above · " + f.Keys.Name(keys.ViewNewer) + " below"; f.inPager && !f.Typing && width >= 60 {
		right += " · " + keys
	}
	const lead = "find  "
	text := f.Text
	for text != "" && lipgloss.Width(lead+text)+2 > width {
		text = text[len(string([]rune(text)[:1])):]
	}
	line := ink.Spread(st.Cyan.Render(ink.Truncate(lead, width))+text, st.Dim.Render(right), width)
	if !f.Typing {
		return line, nil
	}
	cursor := tea.NewCursor(min(lipgloss.Width(lead+text), max(width-1, 0)), 0)
	cursor.Shape, cursor.Blink = tea.CursorBar, false
	return line, cursor
}

// Paint is the window of the transcript, with what is searched for set off.
func (f *Finder) Paint() []string {
	lines := slices.Clone(f.Transcript.Window)
	if f.Open() && f.Text != "" {
		for i, l := range lines {
			lines[i] = f.Highlight(f.Styles, l, i == f.Transcript.Marked)
		}
	}
	return lines
}
