package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop"
)

// points is the list of the prompts that one can go back to.
type points struct {
	chooser
	head, hint string
	now        func() time.Time
	all, found []turned
	chose      func(turned) tea.Cmd
}

// take implements overlay.
func (p *points) take(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch p.chooser.take(msg) {
	case narrowed:
		p.refine()
	case chosen:
		return p.chose(p.found[p.at]), true
	case closed:
		return nil, true
	}
	p.clamp()
	return nil, false
}

func (p *points) refine() {
	p.found = nil
	for _, t := range p.all {
		if p.fits(t.text) {
			p.found = append(p.found, t)
		}
	}
	p.count = len(p.found)
	p.clamp()
}

// lines implements overlay.
func (p *points) lines() ([]string, *tea.Cursor) {
	return p.draw(page{head: p.head, row: p.row, none: "no prompt fits", marked: p.whole, hint: p.hint})
}

func (p *points) row(i int) string {
	t := p.found[i]
	if t.end {
		return p.entry(i, "now", "the end: nothing is left out", "")
	}
	return p.entry(i, shortTime(t.when, p.now()), strings.Join(strings.Fields(Sanitize(t.text)), " "), "")
}

// whole is the marked prompt, as far as there is room.
func (p *points) whole(height int) []string {
	if p.at >= len(p.found) || p.found[p.at].end {
		return nil
	}
	u := &user{text: p.found[p.at].text, open: true}
	lines := u.draw(canvas{st: p.st, width: max(p.width, 1)})
	if len(lines) > height {
		lines = append(lines[:height-1:height-1], p.st.Dim.Render("  …"))
	}
	return lines
}

// choosePoint lists the prompts, the newest first, below what is above them.
func (m *model) choosePoint(head, hint string, above []turned, chose func(turned) tea.Cmd) tea.Cmd {
	if m.feed.running {
		m.say(stopFirst)
		return nil
	}
	if len(m.feed.turned) == 0 {
		m.say("nothing was said yet")
		return nil
	}
	p := &points{chooser: chooser{keys: m.keys, st: m.st}, head: head, now: m.now, chose: chose,
		hint: "type to search · " + hint + " · esc closes"}
	p.all = slices.Clone(m.feed.turned)
	slices.Reverse(p.all)
	p.all = append(above, p.all...)
	p.refine()
	return m.show(p)
}

func (m *model) slashRewind(arg string) tea.Cmd {
	if arg == "" {
		return m.choosePoint("take back a prompt, with all that followed, to say it otherwise", "enter takes back", nil, m.rewind)
	}
	said, ok := m.back(arg)
	if !ok {
		m.say("use /rewind, or /rewind N, where N is how many prompts are taken back")
		return nil
	}
	return m.rewind(said)
}

func (m *model) slashFork(arg string) tea.Cmd {
	if arg == "" {
		end := turned{at: len(m.feed.events), end: true}
		return m.choosePoint("go on in a copy of this session, from before a prompt or from its end", "enter forks", []turned{end}, m.fork)
	}
	said, ok := m.back(arg)
	if !ok {
		m.say("use /fork, or /fork N, where N is how many of the last prompts the fork is to lack")
		return nil
	}
	return m.fork(said)
}

// back is the prompt so many prompts back, in digits; for none at all, what
// would be the next one.
func (m *model) back(arg string) (turned, bool) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 || n > len(m.feed.turned) {
		return turned{}, false
	}
	end := turned{at: len(m.feed.events), end: true}
	return append(slices.Clone(m.feed.turned), end)[len(m.feed.turned)-n], true
}

// rewind takes back a prompt and all that followed. It can be said otherwise.
func (m *model) rewind(to turned) tea.Cmd {
	if m.feed.running {
		m.say(stopFirst)
		return nil
	}
	m.send(loop.Rewind{Keep: to.at})
	m.giveBack(to.text)
	return nil
}

// fork goes on in a fork of the session, which ends before a prompt.
func (m *model) fork(before turned) tea.Cmd {
	if m.o.SessionID == "" {
		m.say("this session is kept nowhere: there is nothing to fork")
		return nil
	}
	return m.switchTo(Exit{Fork: &before.at, Draft: before.text})
}

// goBack opens the list of prompts when it is wanted twice.
func (m *model) goBack(again bool) tea.Cmd {
	switch {
	case again:
		return m.slashRewind("")
	case len(m.feed.turned) > 0:
		m.escaped = m.now()
	}
	return nil
}
