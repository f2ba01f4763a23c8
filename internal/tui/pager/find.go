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

// Finder searches the transcript, from its end to its beginning.
type Finder struct {
	*screen.Window
	Layers     *layer.Stack
	Transcript *transcript.Transcript
	Feed       *transcript.Feed
	Broken     func() bool // reports whether the session cannot be read
	ink.Query
	Typing  bool // the query is being typed
	inPager bool // opened from the pager

	search search
}

// search is the state of a search.
type search struct {
	number  int    // results of searches with other numbers are ignored
	from    int    // events with this number and above have been searched
	hits    []int  // numbers of the matching events, the last one first
	at      int    // index of the current hit, -1 for none
	pending bool   // go to the next older hit as soon as it is found
	note    string // shown in place of the position
}

// findPage is the number of events that are searched at once.
const findPage = 256

// found is the result of searching a part of the session.
type found struct {
	search, from int
	hits         []int // as in search
	err          error
}

// Open reports whether a search is open.
func (f *Finder) Open() bool { return f.Layers.Has(f) }

// Start opens the search. It takes all keys until it is closed, so that typing does
// not answer a question that waits.
func (f *Finder) Start() {
	f.Query, f.Typing = ink.Query{}, true
	f.search = search{number: f.search.number + 1, at: -1}
	f.Transcript.ClearMark()
	f.Layers.Push(f)
}

// StartWith opens a search for text and goes to its last match.
func (f *Finder) StartWith(text string) tea.Cmd {
	f.Start()
	if text == "" {
		return nil
	}
	f.search.pending = true
	return f.searchFor(text)
}

// Again repeats an open search after earlier events of the session became known.
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
	f.search.number++
	f.Transcript.ClearMark()
}

// searchFor starts a search of the whole session.
func (f *Finder) searchFor(text string) tea.Cmd {
	f.Query, f.search.hits, f.search.at, f.search.note = ink.NewQuery(text), nil, -1, ""
	f.search.number++
	f.search.from = f.Transcript.Pages.Events()
	f.Transcript.ClearMark()
	return f.searchNext()
}

// searchNext returns the command that searches the next part.
func (f *Finder) searchNext() tea.Cmd {
	if f.Broken() {
		f.search.note, f.search.from = "the session cannot be read", 0
	}
	if !f.Open() || f.Text == "" || f.search.from == 0 || f.Options.Session.Page == nil || !f.Transcript.Pages.Settled {
		return nil
	}
	read, n, search, to := f.Options.Session.Page, f.Query, f.search.number, f.search.from
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

// apply shows the result of searching a part of the session.
func (f *Finder) apply(r found) tea.Cmd {
	if r.search != f.search.number {
		return nil
	}
	if r.err != nil {
		f.search.note, f.search.from = "earlier messages cannot be read", 0
		return nil
	}
	f.search.hits, f.search.from = append(f.search.hits, r.hits...), r.from
	if f.search.pending && (len(r.hits) > 0 || f.search.from == 0) {
		f.search.pending = false
		f.goOlder()
	}
	return f.searchNext()
}

// Receive implements layer.Receiver: for new events, and for results of the search.
func (f *Finder) Receive(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case found:
		return f.apply(msg)
	case event.Event:
		f.add(msg, f.Transcript.Pages.Events()-1)
	}
	return nil
}

// add adds a new event to the search.
func (f *Finder) add(ev event.Event, number int) {
	if transcript.Mentions(f.Query, ev) && (len(f.search.hits) == 0 || f.search.hits[0] < number) {
		f.search.hits = slices.Insert(f.search.hits, 0, number)
		if f.search.at >= 0 {
			f.search.at++
		}
	}
}

// goOlder goes to the previous match.
func (f *Finder) goOlder() {
	if f.search.note = ""; !f.Open() || f.Text == "" {
		return
	}
	next := f.search.at + 1
	if f.search.at < 0 {
		last := f.Transcript.LastEvent()
		next = slices.IndexFunc(f.search.hits, func(at int) bool { return at <= last })
		if next < 0 {
			next = len(f.search.hits)
		}
	} else if f.Transcript.MarkNext(true, f.Query, f.search.hits[f.search.at]) {
		return
	}
	switch {
	case next < len(f.search.hits):
		f.search.at = next
		f.Transcript.Seek(transcript.Target{At: f.search.hits[next], Find: f.Query, Last: true})
	case f.search.from > 0:
		f.search.pending = true
	case f.search.at < 0 && len(f.search.hits) > 0: // all matches are below the window
		f.search.at = len(f.search.hits) - 1
		f.Transcript.Seek(transcript.Target{At: f.search.hits[f.search.at], Find: f.Query})
	case len(f.search.hits) > 0:
		f.search.note = "first match"
	case f.Feed.Streams(f.Query):
		f.Transcript.ShowEnd()
	}
}

// goNewer goes to the next match.
func (f *Finder) goNewer() {
	f.search.note, f.search.pending = "", false
	switch {
	case !f.Open() || f.search.at < 0 || f.Transcript.MarkNext(false, f.Query, f.search.hits[f.search.at]):
	case f.search.at > 0:
		f.search.at--
		f.Transcript.Seek(transcript.Target{At: f.search.hits[f.search.at], Find: f.Query})
	default:
		f.search.note = "last match"
	}
}

// Key implements layer.Layer. Once the query is complete, the pager handles the keys.
func (f *Finder) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	k := msg.String()
	switch {
	case !f.Typing:
		return nil, layer.Below
	case f.Keys.Is(k, keys.Dismiss), f.Keys.Is(k, keys.Quit):
		f.Close()
	case f.Keys.Is(k, keys.Older):
		f.Typing = !f.inPager
		f.goOlder()
	case f.Keys.Is(k, keys.Newer):
		f.goNewer()
	case f.Keys.Is(k, keys.DeleteLeft):
		if r := []rune(f.Text); len(r) > 0 {
			return f.searchFor(string(r[:len(r)-1])), layer.Taken
		}
	case f.Keys.Is(k, keys.DeleteToStart), f.Keys.Is(k, keys.DeleteWord):
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

// Place implements layer.Drawn. In the pager, the line of the pager shows the search.
func (f *Finder) Place() layer.Place { return layer.AtPrompt }

// View implements layer.Drawn.
func (f *Finder) View(width, _ int) ([]string, *tea.Cursor) {
	line, cursor := f.line(width)
	return []string{line}, cursor
}

// KeyHint implements layer.Keyed.
func (f *Finder) KeyHint() string {
	k := f.Keys.Name
	return k(keys.Older) + " previous · " + k(keys.Newer) + " next · " + k(keys.Dismiss) + " to close"
}

// Closes implements layer.Closer.
func (f *Finder) Closes(key string) bool { return f.Typing && f.Keys.Is(key, keys.Dismiss) }

// Cancel implements layer.Canceler.
func (f *Finder) Cancel() (tea.Cmd, bool) {
	if !f.Typing { // the pager shows it
		return nil, false
	}
	f.Close()
	return nil, true
}

// line draws the query and the state of the search.
func (f *Finder) line(width int) (string, *tea.Cursor) {
	st := f.Styles
	right := f.search.note
	switch {
	case right != "" || f.Text == "":
	case f.search.at >= 0 && f.search.from > 0:
		right = fmt.Sprintf("%d of %d so far", f.search.at+1, len(f.search.hits))
	case f.search.at >= 0:
		right = fmt.Sprintf("%d of %d", f.search.at+1, len(f.search.hits))
	case f.search.from > 0 && f.search.pending:
		right = "searching"
	case len(f.search.hits) > 0:
		right = phrase.Count(len(f.search.hits), "match")
	case f.search.from == 0 && f.Feed.Streams(f.Query):
		right = "in the current answer"
	case f.search.from == 0:
		right = "no match"
	}
	if keys := f.Keys.Name(keys.ViewNewer) + " next · " + f.Keys.Name(keys.ViewOlder) + " previous"; f.inPager && !f.Typing && width >= 60 {
		right += " · " + keys
	}
	const lead = "search  "
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

// Paint returns the window of the transcript with the matches highlighted.
func (f *Finder) Paint() []string {
	lines := slices.Clone(f.Transcript.Window)
	if f.Open() && f.Text != "" {
		for i, l := range lines {
			lines[i] = f.Highlight(f.Styles, l, i == f.Transcript.Marked)
		}
	}
	return lines
}
