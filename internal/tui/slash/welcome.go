package slash

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// welcome is an item that says, at the first start without a model, what was
// found and what can be done. It stands where the session begins, and keeps
// nobody from typing.
type welcome struct {
	waits   bool // a model is being searched for
	looked  bool
	models  []screen.Model
	offline string // what answers meanwhile
}

// providersShown is how many providers that could be connected are listed.
const providersShown = 6

func (w *welcome) Draw(c transcript.Canvas) []string {
	if w.waits {
		return ink.Hang(" ", []string{c.Styles.Dim.Render(ink.Truncate("Searching for a model on this machine …", c.Inner()))})
	}
	var lines []string
	add := func(text string) { lines = append(lines, ink.Wrap(text, c.Inner())...) }
	add(w.offline)
	lines = append(lines, "")
	usable, missing := w.sorted()
	switch {
	case !w.looked:
		add("Looking for what is there …")
	case len(usable) > 0:
		add("These can be used: /model takes one.")
		lines = append(lines, w.rows(c, usable)...)
	default:
		add("To connect one, do what stands beside it:")
	}
	if len(missing) > 0 {
		if len(usable) > 0 {
			add("Others need something:")
		}
		shown := simplest(missing)
		lines = append(lines, w.rows(c, shown)...)
		if more := len(missing) - len(shown); more > 0 {
			lines = append(lines, ink.RenderLines(c.Styles.Dim, ink.Wrap(fmt.Sprintf("and %d more: /model lists them", more), c.Inner()))...)
		}
	}
	lines = append(lines, "")
	add("Or go on as it is: just type.")
	return ink.Hang(" ", lines)
}

// sorted splits the models in those that can be used and the others.
func (w *welcome) sorted() (usable, missing []screen.Model) {
	for _, d := range w.models {
		switch {
		case d.Needs != "":
			missing = append(missing, d)
		case !strings.HasPrefix(d.Name, "offline/"):
			usable = append(usable, d)
		}
	}
	return usable, missing
}

// simplest are the providers of which it is said shortly what they need.
func simplest(missing []screen.Model) []screen.Model {
	const short = 75
	var out []screen.Model
	for _, d := range missing {
		if len(d.Needs) <= short && len(out) < providersShown {
			out = append(out, d)
		}
	}
	return out
}

func (w *welcome) rows(c transcript.Canvas, models []screen.Model) []string {
	var rows [][2]string
	for _, d := range models {
		rows = append(rows, [2]string{ink.SanitizeLine(d.Name), ink.SanitizeLine(d.Needs + d.Why)})
	}
	var out []string
	for _, l := range ink.Columns(c.Styles, rows, max(c.Inner()-ink.Gutter, 1)) {
		out = append(out, strings.TrimPrefix(l, "  "))
	}
	return out
}

// Greet puts the welcome in the transcript, for somebody who has no model yet.
func (p *Models) Greet() {
	if p.Options.Models.Welcome != "" {
		p.greeting = p.Transcript.Head(&welcome{offline: p.Options.Models.Welcome, waits: p.Options.Models.Searching})
	}
}

// connected removes the welcome once a model is connected before the first turn:
// how to connect one no longer matters.
func (p *Models) connected() {
	if s := (screen.Status{Model: p.Feed.Model}); p.greeting != nil && s.Offline() == "" && p.Feed.Turns == 0 {
		p.Transcript.RemoveHead(p.greeting)
		p.greeting = nil
	}
}

// searched ends the search for a model: the welcome says how to connect one.
func (p *Models) searched() {
	if p.greeting == nil {
		return
	}
	p.greeting.Item.(*welcome).waits = false
	p.showWelcome()
}

// showWelcome draws the welcome again after it changed. In a low window it is
// read from its beginning.
func (p *Models) showWelcome() {
	p.greeting.Touch()
	if p.Feed.Turns == 0 && len(p.Feed.Pending) == 0 {
		p.Transcript.ShowStart()
	}
}

// ReadForWelcome returns the command that finds out what the welcome tells.
func (p *Models) ReadForWelcome() tea.Cmd {
	if p.greeting == nil {
		return nil
	}
	return p.read(true)
}

// welcomed fills in what was found.
func (p *Models) welcomed(r modelsRead) {
	if p.greeting == nil || !r.whole {
		return
	}
	w := p.greeting.Item.(*welcome)
	w.looked, w.models = true, r.models
	p.showWelcome()
}
