package tui

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// FuzzPages sends the same messages to two screens, one that unloads pages and one that
// keeps everything in memory. Both must look the same.
func FuzzPages(f *testing.F) {
	if testing.Short() {
		f.Skip("slow: make test runs it")
	}
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := &pagedPair{Rand: rand.New(rand.NewPCG(seed, 2))}
		for range 1 + p.IntN(12) {
			p.turn()
		}
		w, h := 30+p.IntN(90), 4+p.IntN(40)
		p.paged = resumedAt(t, w, h, p.all, p.prompt())
		p.full = newDriver(t, w, h, screen.Options{})
		p.full.m.session.Transcript.Pages.Limit = transcript.PageSize{Events: math.MaxInt, Bytes: math.MaxInt}
		p.full.events(p.all...)
		for i := range 60 {
			what := p.step()
			if diff := cmp.Diff(strings.Split(p.paged.screen(), "\n"), strings.Split(p.full.screen(), "\n")); diff != "" {
				t.Fatalf("step %d, %s (-paged +full):\n%s", i, what, diff)
			}
		}
		if loaded := p.paged.pagesRead(); loaded > 2+2*keptPages+p.paged.pagesShown() {
			t.Errorf("%d of %d pages are in memory", loaded, len(p.paged.m.session.Transcript.Pages.All))
		}
	})
}

// keptPages is the number of pages kept in memory on either side of the window.
const keptPages = 2

// smallPages is a page size that makes many pages from few events.
var smallPages = transcript.PageSize{Events: 9, Bytes: 2 << 10}

// resumedAt resumes a session with small pages. At first the screen has only the events
// from index tail.
func resumedAt(t *testing.T, w, h int, all []event.Event, tail int) *driver {
	t.Helper()
	o := screen.Options{Session: screen.Session{History: all[tail:]}}
	d := bareDriver(t, o)
	d.m.session.Transcript.Pages.Limit = smallPages
	d.log = append([]event.Event{}, all...)
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	d.events(openedEvent(all))
	return d
}

// pagesRead counts the pages in memory.
func (d *driver) pagesRead() (n int) {
	for _, p := range d.m.session.Transcript.Pages.All[1:] {
		if p.Read {
			n++
		}
	}
	return n
}

// pagesShown counts the pages that overlap the window.
func (d *driver) pagesShown() int {
	return d.m.session.Transcript.Bottom.Page - d.m.session.Transcript.Top.Page + 1
}

// pagedPair runs a session on two screens: paged unloads pages, full does not.
type pagedPair struct {
	*rand.Rand
	paged, full *driver
	all         []event.Event
	reply       int
}

func (p *pagedPair) both(do func(d *driver)) {
	do(p.paged)
	do(p.full)
}

// step performs a random action on both screens and returns its description.
func (p *pagedPair) step() string {
	switch p.IntN(12) {
	case 0:
		from := len(p.all)
		p.turn()
		p.both(func(d *driver) {
			for _, ev := range p.all[from:] {
				d.events(ev)
			}
		})
		return "a turn"
	case 1:
		w, h := 12+p.IntN(110), 3+p.IntN(45)
		p.both(func(d *driver) { d.send(tea.WindowSizeMsg{Width: w, Height: h}) })
		return fmt.Sprintf("%d×%d", w, h)
	case 2:
		bounds := append(openedEvent(p.all).Bounds, len(p.all))
		keep := bounds[p.IntN(len(bounds))]
		if p.IntN(3) > 0 {
			keep = bounds[len(bounds)-1-p.IntN(min(4, len(bounds)))]
		}
		p.all = p.all[:keep:keep]
		p.both(func(d *driver) { d.events(&event.Rewound{Keep: keep}) })
		return fmt.Sprint("rewind to ", keep)
	case 3:
		p.both(func(d *driver) { d.events(event.Notice{Text: "something happened"}) })
		return "notice"
	case 4:
		key := []string{"ctrl+t", "ctrl+home", "ctrl+end"}[p.IntN(3)]
		p.both(func(d *driver) { d.press(key) })
		return key
	case 5, 6:
		wheel := []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[p.IntN(2)]
		n := 1 + p.IntN(20)
		p.both(func(d *driver) {
			for range n {
				d.send(tea.MouseWheelMsg{Button: wheel})
			}
		})
		return fmt.Sprint("wheel ", wheel, " ", n)
	case 7:
		text := []string{"I think", "prompt at", "f2.go", "nowhere", "w"}[p.IntN(5)]
		keys := []string{"enter", "up", "enter", "down"}[:1+p.IntN(4)]
		p.both(func(d *driver) {
			d.press("ctrl+f")
			d.typeText(text)
			d.press(keys...)
			d.press("esc")
		})
		return fmt.Sprint("find ", text, " and ", keys)
	case 8:
		p.both(func(d *driver) { d.press("ctrl+g") })
		return "pager"
	case 9:
		key := []string{"alt+up", "alt+up", "alt+down"}[p.IntN(3)]
		p.both(func(d *driver) { d.press(key) })
		return key
	}
	key := []string{"pgup", "pgup", "pgdown"}[p.IntN(3)]
	p.both(func(d *driver) { d.press(key) })
	return key
}

// prompt returns the event index of a random prompt that starts a turn.
func (p *pagedPair) prompt() int {
	var at []int
	for i, ev := range p.all {
		if said, ok := ev.(*event.UserSaid); ok && !said.Steered {
			at = append(at, i)
		}
	}
	return at[p.IntN(len(at))]
}

func (p *pagedPair) text(n int) string { return strings.Repeat("some words. ", 1+p.IntN(n)) }

// turn adds a turn to the session.
func (p *pagedPair) turn() {
	add := func(evs ...event.Event) { p.all = append(p.all, evs...) }
	add(userSaid(fmt.Sprintf("prompt at %d %s", len(p.all), p.text(20))))
	for range 1 + p.IntN(8) {
		p.reply++
		r := fmt.Sprint("r", p.reply)
		if p.IntN(3) == 0 {
			add(&event.UserSaid{Text: "steer " + p.text(3), Steered: true})
		}
		if p.IntN(2) == 0 {
			add(done(llm.Thinking, r, "I think.\n"+p.text(40)))
		}
		if p.IntN(2) == 0 {
			add(done(llm.Assistant, r, "- "+p.text(90)+"\n- **two**\n"))
		}
		var ids []string
		for i := range p.IntN(5) {
			ids = append(ids, fmt.Sprint(r, ".", i))
			add(call(r, ids[i], "read"))
		}
		for i, id := range ids {
			title := fmt.Sprintf("%s f%d.go", []string{"read", "edit"}[p.IntN(2)], i)
			effect := event.ReadEffect
			end := result(id, title, effect, []event.Outcome{event.OK, event.OK, event.Failed}[p.IntN(3)], "", strings.Repeat(p.text(9)+"\n", p.IntN(30)), time.Second)
			if strings.HasPrefix(title, "edit") {
				end.Diffs = []event.Diff{edit()}
			}
			add(start(id, title, effect, file("f.go")), end)
		}
		add(&event.StepEnd{Reply: r, Usage: llm.Usage{Input: 10 * p.reply}})
	}
	add(turnEnd(event.Done, time.Second))
	if p.IntN(9) == 0 {
		add(&event.Compacted{Replies: 3, Saved: 1000})
	}
}

// After scrolling through a long session, only a few pages stay in memory.
func TestPagesAreUnloaded(t *testing.T) {
	all := long(6000)
	d := newDriver(t, 120, 40, screen.Options{Session: screen.Session{History: all}})
	list := d.m.session.Transcript
	d.press("ctrl+home")
	if got := d.screen(); !strings.Contains(got, "agent 0.1") || !strings.Contains(got, "do it once more") {
		t.Errorf("ctrl+home does not show the beginning:\n%s", got)
	}
	for range 120 {
		d.press("pgdown")
		if got := d.pagesRead(); got > 12 {
			t.Fatalf("%d pages are in memory", got)
		}
	}
	d.press("ctrl+end")
	rows := 0
	for _, p := range list.Pages.All {
		rows += len(p.Rows)
	}
	if rows > 2000 {
		t.Errorf("%d rows are in memory", rows)
	}
}

// The visible text does not move while pages are loaded.
func TestLoadingPagesKeepsThePosition(t *testing.T) {
	all := long(3000)
	slow := bareDriver(t, screen.Options{Session: screen.Session{History: all[len(all)-60:]}})
	slow.log = all
	var due []tea.Cmd
	do := func(msg tea.Msg) {
		_, cmd := slow.m.Update(msg)
		if cmd != nil {
			due = append(due, cmd)
		}
		slow.checkScreen()
	}
	do(tea.WindowSizeMsg{Width: 80, Height: 24})
	do(batch{openedEvent(all)})
	for range 30 {
		do(keyPress("pgup"))
	}
	before := transcriptText(slow)
	if !strings.HasPrefix(before, "  …\n\n› do it once more") {
		t.Fatalf("the placeholder of an unloaded page is missing:\n%s", before)
	}
	for len(due) > 0 {
		cmd := due[0]
		due = due[1:]
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			due = append(due, msg...)
		case transcript.PageRead:
			slow.m.session.Transcript.Scroll(0) // cancel the pending scroll
			do(msg)
		}
	}
	after := transcriptText(slow)
	if _, rest, _ := strings.Cut(before, "\n"); !strings.HasSuffix(after, rest) || strings.Contains(after, "…") {
		t.Errorf("from\n%s\nto\n%s", before, after)
	}
}

// A page that cannot be read shows the error, and is read again when the user scrolls
// back to it.
func TestUnreadablePages(t *testing.T) {
	all := long(3000)
	broken := true
	d := bareDriver(t, screen.Options{Session: screen.Session{History: all[len(all)-60:]}})
	d.log = all
	d.m.Options.Session.Page = func(from, to int) ([]event.Event, error) {
		if broken {
			return nil, errors.New("input/output \x1b[2Jerror")
		}
		return d.page(from, to)
	}
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.events(openedEvent(all))
	for range 20 {
		d.press("pgup")
	}
	if got := d.screen(); !strings.Contains(got, "cannot be read: input/output") {
		t.Errorf("the read error is missing:\n%s", got)
	}
	broken = false
	d.press("ctrl+home")
	for range 20 {
		d.press("pgdown")
	}
	d.press("ctrl+end")
	for range 20 {
		d.press("pgup")
	}
	if got := d.screen(); strings.Contains(got, "cannot be read") || !strings.Contains(got, "do it once more") {
		t.Errorf("the page was not read again:\n%s", got)
	}
}

// Until the agent has sent event.Opened, the transcript scrolls, but the session can
// neither be rewound nor forked.
func TestNoRewindBeforeOpened(t *testing.T) {
	all := long(3000)
	d := bareDriver(t, screen.Options{Session: screen.Session{ID: "s1", History: all[len(all)-60:]}})
	d.log = all
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	for _, line := range []string{"/rewind", "/rewind 1", "/fork", "/fork 2"} {
		d.typeText(line)
		d.press("enter")
		if !strings.Contains(d.screen(), "still being read") || d.m.layers.Full() != nil || d.quit {
			t.Errorf("%s runs before the session is read:\n%s", line, d.screen())
		}
		d.press("ctrl+u")
	}
	d.wantCommands()
	d.press("ctrl+home")
	d.events(openedEvent(all))
	if got := d.screen(); !strings.HasPrefix(got, "agent 0.1") {
		t.Errorf("ctrl+home does not show the beginning:\n%s", got)
	}
	d.typeText("/rewind 1")
	d.press("enter")
	d.wantCommands(event.Rewind{Keep: len(all) - 6})
}

// A session that cannot be read shows the error instead of waiting forever.
func TestUnreadableSession(t *testing.T) {
	all := long(3000)
	d := bareDriver(t, screen.Options{Session: screen.Session{ID: "s1", History: all[len(all)-60:]}})
	d.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	d.press("ctrl+home")
	d.events(event.Unreadable{Why: "decode record 7:\x1b[2J no such thing"})
	for _, line := range []string{"/rewind", "/rewind 1", "/fork", "/fork 2"} {
		d.typeText(line)
		d.press("enter")
		d.shows("the session cannot be read", "decode record 7")
		d.hides("still being read", "again in an instant")
		if d.m.layers.Full() != nil || d.quit {
			t.Errorf("%s runs although the session is unreadable:\n%s", line, d.screen())
		}
	}
	d.press("esc", "esc")
	d.hides("still being read")
	d.press("ctrl+f", "x", "enter")
	d.shows("the session cannot be read")
	d.press("esc")
	d.wantCommands()
	d.press("ctrl+home")
	if got := d.screen(); !strings.HasPrefix(got, "agent 0.1") {
		t.Errorf("ctrl+home does not show the first loaded event:\n%s", got)
	}
}
