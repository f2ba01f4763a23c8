package slash

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// welcome is the item at the top of the first session without a model. It shows how
// to connect one.
type welcome struct {
	searching bool // for a model on this machine; nothing else is shown meanwhile
	complete  bool // models holds all of them
	models    []screen.Model
	offline   string // describes the offline guide
}

// providersShown is the maximum number of unconnected providers in the welcome.
const providersShown = 6

func (w *welcome) Draw(c transcript.Canvas) []string {
	if w.searching {
		return ink.Hang(" ", []string{c.Styles.Dim.Render(ink.Truncate("Searching for a model on this machine …", c.Inner()))})
	}
	var lines []string
	add := func(text string) { lines = append(lines, ink.Wrap(text, c.Inner())...) }
	add(w.offline)
	lines = append(lines, "")
	usable, missing := w.sorted()
	switch {
	case !w.complete:
		add("Searching for models …")
	case len(usable) > 0:
		add("Connected models (switch with /model):")
		lines = append(lines, w.rows(c, usable)...)
	default:
		add("To connect a model, do one of the following:")
	}
	if len(missing) > 0 {
		if len(usable) > 0 {
			add("To connect others:")
		}
		shown := shortest(missing)
		lines = append(lines, w.rows(c, shown)...)
		if more := len(missing) - len(shown); more > 0 {
			lines = append(lines, ink.RenderLines(c.Styles.Dim, ink.Wrap(fmt.Sprintf("and %d more (list them with /model)", more), c.Inner()))...)
		}
	}
	return ink.Hang(" ", lines)
}

// sorted splits the models into those that are connected and the others.
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

// shortest returns the first providers with short instructions.
func shortest(missing []screen.Model) []screen.Model {
	const short = 75 // bytes
	var out []screen.Model
	for _, d := range missing {
		if len(d.Needs) <= short && len(out) < providersShown {
			out = append(out, d)
		}
	}
	return out
}

// rows draws a table of models and how they are connected.
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

// Greet adds the welcome to the transcript, if Options.Models.Welcome is set.
func (p *Models) Greet() {
	if p.Options.Models.Welcome != "" {
		p.greeting = p.Transcript.Head(&welcome{offline: p.Options.Models.Welcome, searching: p.Options.Models.Searching})
	}
}

// connected removes the welcome if a model is connected before the first turn.
func (p *Models) connected() {
	if s := (screen.Status{Model: p.Feed.Model}); p.greeting != nil && s.Offline() == "" && p.Feed.Turns == 0 {
		p.Transcript.RemoveHead(p.greeting)
		p.greeting = nil
	}
}

// searched handles the end of the search for a model on this machine.
func (p *Models) searched() {
	if p.greeting == nil {
		return
	}
	p.greeting.Item.(*welcome).searching = false
	p.showWelcome()
}

// showWelcome draws the changed welcome again, from its first line.
func (p *Models) showWelcome() {
	p.greeting.Touch()
	if p.Feed.Turns == 0 && len(p.Feed.Pending) == 0 {
		p.Transcript.ShowStart()
	}
}

// ReadForWelcome returns the command that reads the models for the welcome.
func (p *Models) ReadForWelcome() tea.Cmd {
	if p.greeting == nil {
		return nil
	}
	return p.read(true)
}

// completeWelcome adds the models to the welcome.
func (p *Models) completeWelcome(r modelsRead) {
	if p.greeting == nil || !r.complete {
		return
	}
	w := p.greeting.Item.(*welcome)
	w.complete, w.models = true, r.models
	p.showWelcome()
}
