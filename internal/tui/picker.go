package tui

import (
	"context"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/transcript"
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

// picker is the screen on which a session is chosen. What it shows is read
// beside it, by commands.
type picker struct {
	chooser
	o     *Options // of which Dir, Sessions and Preview count
	now   func() time.Time
	after func(time.Duration, tea.Msg) tea.Cmd
	chose func(Session) tea.Cmd
	tree  bool // forks stand below what they are forks of

	all        []Session // nil until they came
	found      []Session // those that are listed
	depths     []int     // of those, in the tree
	texts      []Session // those in whose text the filter was found
	everywhere bool      // not only those of this directory
	loaded     bool
	searching  bool
	err        error
	stop       context.CancelFunc // of what is read

	wanted   string // the session that is to be previewed
	previews map[string]*transcript.Transcript
}

// Messages to a picker, about what it wanted.
type (
	sessionsRead struct {
		query string
		rows  []Session
		err   error
	}
	searchDue   struct{ query string }
	previewDue  struct{ id string }
	previewRead struct {
		id     string
		events []event.Event
		err    error
	}
)

func (sessionsRead) toOverlay() {}
func (searchDue) toOverlay()    {}
func (previewDue) toOverlay()   {}
func (previewRead) toOverlay()  {}

func newPicker(o *Options, keys keys.Map, st *ink.Styles, now func() time.Time, chose func(Session) tea.Cmd) *picker {
	return &picker{chooser: chooser{keys: keys, st: st, width: 80, height: 24}, o: o, now: now, after: after, chose: chose,
		everywhere: o.Dir == "", stop: func() {}, previews: map[string]*transcript.Transcript{}}
}

// read returns the command that reads the sessions that fit a query, and ends
// the one before.
func (p *picker) read(query string) tea.Cmd {
	p.stop()
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	return func() tea.Msg {
		defer stop()
		rows, err := p.o.Sessions(ctx, query)
		return sessionsRead{query, rows, err}
	}
}

// take implements overlay.
func (p *picker) take(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch msg := msg.(type) {
	case sessionsRead:
		p.came(msg)
	case searchDue:
		if msg.query == p.filter && p.loaded {
			cmd = p.read(msg.query)
		}
	case previewDue:
		cmd = p.readPreview(msg.id)
	case previewRead:
		p.previewed(msg)
	case tea.KeyPressMsg:
		if p.keys.Is(msg.String(), keys.Everywhere) {
			p.everywhere, p.at = !p.everywhere || !p.someHere(), 0
			p.refine()
			break
		}
		cmd, over = p.act(msg)
	default:
		cmd, over = p.act(msg)
	}
	p.clamp()
	return tea.Batch(cmd, p.preview()), over
}

func (p *picker) act(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch p.chooser.take(msg) {
	case narrowed:
		p.stopSearch()
		p.refine()
		if p.loaded && strings.TrimSpace(p.filter) != "" {
			p.searching = true
			return p.after(searchPause, searchDue{p.filter}), false
		}
	case chosen:
		p.stop()
		return p.chose(p.found[p.at]), true
	case closed:
		p.stop()
		return nil, true
	}
	return nil, false
}

// stopSearch forgets what a search found, and ends one that goes on. The list
// of all sessions is never given up.
func (p *picker) stopSearch() {
	if p.loaded {
		p.stop()
	}
	p.texts, p.searching, p.err = nil, false, nil
}

// came takes the sessions that were read.
func (p *picker) came(r sessionsRead) {
	switch {
	case r.query == "":
		p.all, p.loaded, p.err = r.rows, true, r.err
		p.everywhere = p.o.Dir == "" || !p.someHere()
	case r.query == p.filter:
		p.texts, p.searching, p.err = r.rows, false, r.err
	default:
		return
	}
	was := ""
	if p.at < len(p.found) {
		was = p.found[p.at].ID
	}
	p.refine()
	for i, s := range p.found {
		if s.ID == was {
			p.at = i
		}
	}
}

func (p *picker) someHere() bool {
	for _, s := range p.all {
		if s.Dir == p.o.Dir {
			return true
		}
	}
	return false
}

// refine lists the sessions whose title the filter fits, then those whose text
// it was found in.
func (p *picker) refine() {
	p.found = nil
	listed := map[string]bool{}
	list := func(s Session) {
		if !listed[s.ID] && (p.everywhere || s.Dir == p.o.Dir) {
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
	if p.tree {
		p.found, p.depths = grow(p.found)
	}
	p.count = len(p.found)
}

// lines implements overlay.
func (p *picker) lines() ([]string, *tea.Cursor) {
	name, here := p.keys.Name(keys.Everywhere), ink.SanitizeLine(p.o.Dir)
	pg := page{head: "resume a session", row: p.row, marked: p.end,
		hint: "type to search · enter resumes · esc closes"}
	switch {
	case p.everywhere && p.someHere():
		pg.right = name + ": this directory"
	case !p.everywhere:
		pg.head, pg.right = "resume a session in "+here, name+": all directories"
	}
	if p.err != nil {
		pg.hint = ink.MarkFailed + " " + ink.SanitizeLine(p.err.Error())
	}
	switch {
	case !p.loaded:
		pg.none = "looking for sessions …"
	case p.searching:
		pg.none = "searching what was said …"
	case strings.TrimSpace(p.filter) == "":
		pg.none = "there are no sessions yet"
	default:
		pg.none = "no session fits"
	}
	return p.draw(pg)
}

// row draws one session: when, what about, where and how much. Where room is
// short, what is said last stays.
func (p *picker) row(i int) string {
	const title = 52 // with what stands before it
	s := p.found[i]
	room := p.width - title
	facts := p.facts(i, "fork of “"+ink.Truncate(p.origin(s), 20)+"”")
	if lipgloss.Width(strings.Join(facts, "  ")) > room {
		facts = p.facts(i, "fork")
	}
	for len(facts) > 1 && lipgloss.Width(strings.Join(facts, "  ")) > room {
		facts = facts[1:]
	}
	return p.entry(i, lately(s.When, p.now()), branchOf(p.depths[i])+s.name(), strings.Join(facts, "  "))
}

// facts are what is said of a session at the right edge. In the tree a fork is
// seen where it stands.
func (p *picker) facts(i int, fork string) []string {
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
func (p *picker) origin(s Session) string {
	for _, o := range p.all {
		if o.ID == s.Parent {
			return o.name()
		}
	}
	return ink.SanitizeLine(s.Parent)
}

// lately is shortTime for what is likely to be recent.
func lately(t, now time.Time) string {
	switch ago := now.Sub(t); {
	case t.IsZero() || ago < 0 || ago >= time.Hour:
		return shortTime(t, now)
	case ago < time.Minute:
		return "just now"
	default:
		return strconv.Itoa(int(ago/time.Minute)) + " min ago"
	}
}

// shortTime writes a time the shorter, the nearer it is, and none at all as
// nothing.
func shortTime(t, now time.Time) string {
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
