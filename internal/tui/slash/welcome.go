package slash

import (
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// welcome is the item at the top of a new session without a model. It shows how to
// connect one.
type welcome struct {
	searching bool // for a model on this machine; the text is not shown meanwhile
	text      string
}

// Draw implements transcript.Item.
func (w *welcome) Draw(c transcript.Canvas) []string {
	if w.searching {
		return ink.Hang(" ", []string{c.Styles.Dim.Render(ink.Truncate("Searching for a model on this machine …", c.Inner()))})
	}
	return ink.Hang(" ", ink.Wrap(w.text, c.Inner()))
}

// Greet adds the welcome to the transcript, if Options.Models.Welcome is set.
func (p *Models) Greet() {
	if p.Options.Models.Welcome != "" {
		p.greeting = p.list.Head(&welcome{text: p.Options.Models.Welcome, searching: p.Options.Models.Searching})
		p.list.ShowStart()
	}
}

// CanConnect reports whether models can be connected in this session.
func (p *Models) CanConnect() bool { return p.Options.Connect.Providers != nil }

// connected removes the welcome if a model is connected before the first turn.
func (p *Models) connected() {
	if s := (screen.Status{Model: p.feed.State.Model}); p.greeting != nil && s.Offline() == "" && p.feed.State.Turns == 0 {
		p.list.RemoveHead(p.greeting)
		p.greeting = nil
	}
}

// searched handles the end of the search for a model on this machine. Before the
// first turn it shows the welcome from its first line.
func (p *Models) searched() {
	if p.greeting == nil {
		return
	}
	p.greeting.Item.(*welcome).searching = false
	p.greeting.Touch()
	if p.feed.State.Turns == 0 && len(p.feed.Log.Pending) == 0 {
		p.list.ShowStart()
	}
}
