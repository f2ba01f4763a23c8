package list

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// Session is one row of the picker.
type Session struct {
	ID, Dir, Title string
	Parent         string // ID of the session that it was forked from; may be empty
	Current        bool   // the session that is open
	When           time.Time
	Messages       int
}

// name returns the title of a session, or its ID.
func (s Session) name() string {
	if title := ink.SanitizeLine(s.Title); strings.TrimSpace(title) != "" {
		return title
	}
	return ink.SanitizeLine(s.ID)
}

const (
	searchPause  = 200 * time.Millisecond // pause in typing before session texts are searched
	previewPause = 80 * time.Millisecond  // time on a session before its preview is read
)

// Source provides the sessions of a picker.
type Source struct {
	Dir string // the working directory, as in Session.Dir
	// Sessions returns all sessions, the latest first, or those whose text contains
	// query.
	Sessions func(ctx context.Context, query string) ([]Session, error)
	// Preview returns the last events of a session. Optional.
	Preview func(id string) ([]event.Event, error)
	// Render returns the preview of the events or the error of Preview.
	Render func(events []event.Event, err error) Preview
}

// Preview draws the end of a session.
type Preview interface {
	// Window draws the last lines in that size.
	Window(st *ink.Styles, width, height int) []string
}

// After returns a command that sends msg after a delay.
func After(in time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(in, func(time.Time) tea.Msg { return msg })
}

// Picker is the session picker. Commands read the sessions and previews in the
// background.
type Picker struct {
	Chooser
	src   Source
	now   func() time.Time
	After func(time.Duration, tea.Msg) tea.Cmd
	chose func(Session) tea.Cmd
	Tree  bool // list forks below their parents

	all        []Session // nil until they are read
	found      []Session // the listed sessions
	depths     []int     // of the listed sessions in the tree
	texts      []Session // sessions whose text contains the filter
	everywhere bool      // list the sessions of all directories
	loaded     bool
	searching  bool
	err        error
	Stop       context.CancelFunc // cancels the current reading

	previews previews
}

// Messages to a picker.
type (
	sessionsRead struct {
		query string
		rows  []Session
		err   error
	}
	// SearchDue reports that the user paused after typing a query.
	SearchDue   struct{ Query string }
	previewDue  struct{ id string }
	previewRead struct {
		id     string
		events []event.Event
		err    error
	}
)

func (sessionsRead) isMsg() {}

func (SearchDue) isMsg() {}

func (previewDue) isMsg() {}

func (previewRead) isMsg() {}

// NewPicker returns a picker of the sessions of src. chose is called with the chosen
// session; now is the clock.
func NewPicker(src Source, keys keys.Map, st *ink.Styles, now func() time.Time, chose func(Session) tea.Cmd) *Picker {
	return &Picker{Chooser: Chooser{Keys: keys, St: st, Width: 80, Height: 24}, src: src, now: now, After: After, chose: chose,
		everywhere: src.Dir == "", Stop: func() {}, previews: previews{source: src, kept: map[string]Preview{}}}
}

// Read returns the command that reads the sessions for a query. It cancels the
// previous reading.
func (p *Picker) Read(query string) tea.Cmd {
	p.Stop()
	ctx, stop := context.WithCancel(context.Background())
	p.Stop = stop
	return func() tea.Msg {
		defer stop()
		rows, err := p.src.Sessions(ctx, query)
		return sessionsRead{query, rows, err}
	}
}

// Update implements Overlay.
func (p *Picker) Update(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch msg := msg.(type) {
	case sessionsRead:
		p.takeSessions(msg)
	case SearchDue:
		if msg.Query == p.Filter && p.loaded {
			cmd = p.Read(msg.Query)
		}
	case previewDue:
		cmd = p.previews.read(msg.id)
	case previewRead:
		p.previews.apply(msg)
	case tea.KeyPressMsg:
		if p.Keys.Is(msg.String(), keys.ToggleScope) {
			p.everywhere, p.At = !p.everywhere || p.loaded && !p.hasSessionInDir(), 0
			p.refine()
			break
		}
		cmd, over = p.act(msg)
	default:
		cmd, over = p.act(msg)
	}
	p.Clamp()
	return tea.Batch(cmd, p.preview()), over
}

func (p *Picker) act(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch p.Chooser.Update(msg) {
	case Narrowed:
		p.stopSearch()
		p.refine()
		if p.loaded && strings.TrimSpace(p.Filter) != "" {
			p.searching = true
			return p.After(searchPause, SearchDue{p.Filter}), false
		}
	case Chosen:
		p.Stop()
		return p.chose(p.found[p.At]), true
	case Closed:
		p.Stop()
		return nil, true
	}
	return nil, false
}

// stopSearch cancels a search and drops its results. It does not cancel the reading
// of all sessions.
func (p *Picker) stopSearch() {
	if p.loaded {
		p.Stop()
	}
	p.texts, p.searching, p.err = nil, false, nil
}

// takeSessions takes the sessions that were read.
func (p *Picker) takeSessions(r sessionsRead) {
	switch {
	case r.query == "":
		p.all, p.loaded, p.err = r.rows, true, r.err
		p.everywhere = p.everywhere || !p.hasSessionInDir()
	case r.query == p.Filter:
		p.texts, p.searching, p.err = r.rows, false, r.err
	default:
		return
	}
	was := p.marked()
	p.refine()
	if i := slices.IndexFunc(p.found, func(s Session) bool { return s.ID == was }); i >= 0 {
		p.At = i
	}
}

// marked returns the ID of the marked session, empty if there is none.
func (p *Picker) marked() string {
	if p.At >= len(p.found) {
		return ""
	}
	return p.found[p.At].ID
}

// hasSessionInDir reports whether the working directory has a session.
func (p *Picker) hasSessionInDir() bool {
	return slices.ContainsFunc(p.all, func(s Session) bool { return s.Dir == p.src.Dir })
}

// refine lists the sessions whose title matches the filter, then those whose text
// contains it.
func (p *Picker) refine() {
	p.found = nil
	listed := map[string]bool{}
	list := func(s Session) {
		if !listed[s.ID] && (p.everywhere || s.Dir == p.src.Dir) {
			listed[s.ID] = true
			p.found = append(p.found, s)
		}
	}
	for _, s := range p.all {
		if p.fits(s.Title + " " + s.Dir + " " + s.ID) {
			list(s)
		}
	}
	for _, s := range p.texts {
		list(s)
	}
	p.depths = make([]int, len(p.found))
	if p.Tree {
		p.found, p.depths = tree(p.found)
	}
	p.count = len(p.found)
}

// Lines implements Overlay.
func (p *Picker) Lines() ([]string, *tea.Cursor) {
	name, here := p.Keys.Name(keys.ToggleScope), ink.SanitizeLine(p.src.Dir)
	pg := Page{Head: "Resume a session", Row: p.Row, Marked: p.end,
		Hint: "type to search · enter resume · esc close"}
	switch {
	case p.everywhere && p.hasSessionInDir():
		pg.Right = name + ": this directory"
	case !p.everywhere:
		pg.Head, pg.Right = "Resume a session in "+here, name+": all directories"
	}
	if p.err != nil {
		pg.Hint = ink.MarkFailed + " " + ink.SanitizeLine(p.err.Error())
	}
	switch {
	case !p.loaded:
		pg.None = "loading sessions …"
	case p.searching:
		pg.None = "searching transcripts …"
	case strings.TrimSpace(p.Filter) == "":
		pg.None = "no sessions yet"
	default:
		pg.None = "no matching session"
	}
	return p.Draw(pg)
}

// Row draws one session: time, title, directory and number of messages. If there is
// little room, it drops facts from the left.
func (p *Picker) Row(i int) string {
	const title = 52 // columns reserved for time and title
	s := p.found[i]
	room := p.Width - title
	facts := p.facts(i, "fork of “"+ink.Truncate(p.origin(s), 20)+"”")
	if lipgloss.Width(strings.Join(facts, "  ")) > room {
		facts = p.facts(i, "fork")
	}
	for len(facts) > 1 && lipgloss.Width(strings.Join(facts, "  ")) > room {
		facts = facts[1:]
	}
	return p.Entry(i, ShortAge(s.When, p.now()), branchOf(p.depths[i])+s.name(), strings.Join(facts, "  "))
}

// facts returns the facts about a session at the right edge. The tree itself shows
// which sessions are forks.
func (p *Picker) facts(i int, fork string) []string {
	s := p.found[i]
	var facts []string
	if s.Dir != "" && p.everywhere {
		facts = append(facts, ink.SanitizeLine(s.Dir))
	}
	if s.Parent != "" && p.depths[i] == 0 {
		facts = append(facts, fork)
	}
	facts = append(facts, phrase.Count(s.Messages, "message"))
	if s.Current {
		facts = append(facts, "current")
	}
	return facts
}

// origin returns the name of the session that s was forked from.
func (p *Picker) origin(s Session) string {
	if i := slices.IndexFunc(p.all, func(o Session) bool { return o.ID == s.Parent }); i >= 0 {
		return p.all[i].name()
	}
	return ink.SanitizeLine(s.Parent)
}

// ShortAge formats a time within the last hour as an age, and any other as ShortTime
// does.
func ShortAge(t, now time.Time) string {
	switch ago := now.Sub(t); {
	case t.IsZero() || ago < 0 || ago >= time.Hour:
		return ShortTime(t, now)
	case ago < time.Minute:
		return "just now"
	default:
		return strconv.Itoa(int(ago/time.Minute)) + " min ago"
	}
}

// ShortTime formats a time, the closer the shorter. It returns "" for the zero time.
func ShortTime(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(now.Location())
	switch days := now.Sub(t).Hours() / 24; {
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return t.Format("15:04")
	case days < 6:
		return t.Format("Mon 15:04")
	}
	return t.Format("2006-01-02")
}
