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
	Parent         string // the ID of the session that it is a fork of; may be empty
	Current        bool   // it is the one that is shown
	When           time.Time
	Messages       int
}

// name is what a session is called on the screen.
func (s Session) name() string {
	if title := ink.SanitizeLine(s.Title); strings.TrimSpace(title) != "" {
		return title
	}
	return ink.SanitizeLine(s.ID)
}

const (
	searchPause  = 200 * time.Millisecond // without a key, before texts are searched
	previewPause = 80 * time.Millisecond  // on a session, before its end is read
	previewsKept = 50
)

// Source is where the sessions of a picker come from.
type Source struct {
	Dir string // the working directory, as sessions name it
	// Sessions returns the sessions, the latest first, or those in whose text query
	// is found.
	Sessions func(ctx context.Context, query string) ([]Session, error)
	// Preview returns the last events of a session. Optional.
	Preview func(id string) ([]event.Event, error)
	// Render makes the preview of those events, or of the error of Preview.
	Render func(events []event.Event, err error) Preview
}

// Preview is the end of a session, drawn as it looked.
type Preview interface {
	// Window returns its last lines in a window of that size.
	Window(st *ink.Styles, width, height int) []string
}

// After is the clock of a running program.
func After(in time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(in, func(time.Time) tea.Msg { return msg })
}

// Picker is the screen on which a session is chosen. What it shows is read
// beside it, by commands.
type Picker struct {
	Chooser
	src   Source
	now   func() time.Time
	After func(time.Duration, tea.Msg) tea.Cmd
	chose func(Session) tea.Cmd
	Tree  bool // forks stand below what they are forks of

	all        []Session // nil until they came
	found      []Session // those that are listed
	depths     []int     // of those, in the tree
	texts      []Session // those in whose text the filter was found
	everywhere bool      // not only those of this directory
	loaded     bool
	searching  bool
	err        error
	Stop       context.CancelFunc // of what is read

	wanted   string // the session that is to be previewed
	previews map[string]Preview
}

// Messages to a picker, about what it wanted.
type (
	sessionsRead struct {
		query string
		rows  []Session
		err   error
	}
	// SearchDue says that the user typed no more after a query.
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

// NewPicker returns a picker of the sessions of src. chose takes the session that is
// chosen, and now is the clock.
func NewPicker(src Source, keys keys.Map, st *ink.Styles, now func() time.Time, chose func(Session) tea.Cmd) *Picker {
	return &Picker{Chooser: Chooser{Keys: keys, St: st, Width: 80, Height: 24}, src: src, now: now, After: After, chose: chose,
		everywhere: src.Dir == "", Stop: func() {}, previews: map[string]Preview{}}
}

// Read returns the command that reads the sessions that fit a query, and ends
// the one before.
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
		p.came(msg)
	case SearchDue:
		if msg.Query == p.Filter && p.loaded {
			cmd = p.Read(msg.Query)
		}
	case previewDue:
		cmd = p.readPreview(msg.id)
	case previewRead:
		p.previewed(msg)
	case tea.KeyPressMsg:
		if p.Keys.Is(msg.String(), keys.ToggleScope) {
			p.everywhere, p.At = !p.everywhere || !p.someHere(), 0
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

// stopSearch forgets what a search found, and ends one that goes on. The list
// of all sessions is never given up.
func (p *Picker) stopSearch() {
	if p.loaded {
		p.Stop()
	}
	p.texts, p.searching, p.err = nil, false, nil
}

// came takes the sessions that were read.
func (p *Picker) came(r sessionsRead) {
	switch {
	case r.query == "":
		p.all, p.loaded, p.err = r.rows, true, r.err
		p.everywhere = p.src.Dir == "" || !p.someHere()
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

// someHere reports whether there is a session of the working directory.
func (p *Picker) someHere() bool {
	return slices.ContainsFunc(p.all, func(s Session) bool { return s.Dir == p.src.Dir })
}

// refine lists the sessions whose title the filter fits, then those whose text
// it was found in.
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
	pg := Page{Head: "resume a session", Row: p.Row, Marked: p.end,
		Hint: "type to search · enter resumes · esc closes"}
	switch {
	case p.everywhere && p.someHere():
		pg.Right = name + ": this directory"
	case !p.everywhere:
		pg.Head, pg.Right = "resume a session in "+here, name+": all directories"
	}
	if p.err != nil {
		pg.Hint = ink.MarkFailed + " " + ink.SanitizeLine(p.err.Error())
	}
	switch {
	case !p.loaded:
		pg.None = "looking for sessions …"
	case p.searching:
		pg.None = "searching what was said …"
	case strings.TrimSpace(p.Filter) == "":
		pg.None = "there are no sessions yet"
	default:
		pg.None = "no session fits"
	}
	return p.Draw(pg)
}

// Row draws one session: when, what about, where and how much. Where room is
// short, what is said last stays.
func (p *Picker) Row(i int) string {
	const title = 52 // with what stands before it
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

// facts are what is said of a session at the right edge. In the tree a fork is
// seen where it stands.
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
		facts = append(facts, "this one")
	}
	return facts
}

// origin is what the session is called that s is a fork of.
func (p *Picker) origin(s Session) string {
	if i := slices.IndexFunc(p.all, func(o Session) bool { return o.ID == s.Parent }); i >= 0 {
		return p.all[i].name()
	}
	return ink.SanitizeLine(s.Parent)
}

// ShortAge writes a time of the last hour as an age, and any other as ShortTime
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

// ShortTime writes a time the shorter, the nearer it is, and none at all as
// nothing.
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
