package plain

import (
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// begin prints the heading, the notices and the last turn of a resumed session.
func (p *front) begin() {
	p.print(p.session.Heading())
	if summary := p.session.Options.Instructions.Summary; summary != "" && len(p.session.Options.Session.History) == 0 {
		p.print(ink.Sanitize(summary))
	}
	for _, n := range p.session.Options.Notices {
		p.block("note", ink.Sanitize(n))
	}
	if p.session.Feed.State.Host != "" {
		p.block("note", screen.AboutModel(&p.session.Feed.State))
	}
	last := 0
	for i, ev := range p.session.Options.Session.History {
		if prompt, ok := ev.(*event.UserSaid); ok && !prompt.Steered {
			last = i
		}
	}
	typed := p.printer.typed
	p.printer.typed = false // print the prompts of the history too
	for _, ev := range p.session.Options.Session.History[last:] {
		switch ev.(type) {
		case *event.ModelSet, *event.ModeSet: // not necessarily the current ones
		default:
			p.printer.event(ev)
		}
	}
	p.printer.typed = typed
	p.printUnsent()
	p.session.Transcript.OnAdd = p.printer.item
}

// help prints what can be typed.
func (p *front) help() {
	p.block("note", screen.AboutModel(&p.session.Feed.State))
	p.print("  enter sends a prompt; a backslash at the end of a line continues it on the next; ctrl+c interrupts a turn")
	for _, s := range slash.Prefixes() {
		if !s.Screen {
			p.print("  " + s.Typed + ": " + s.What)
		}
	}
	for _, s := range p.slash.Commands() {
		if !s.Screen {
			p.print("  " + s.Usage() + ": " + s.Row().What)
		}
	}
	p.topics()
}

// topics prints the names of the help topics, a line for each group.
func (p *front) topics() {
	for _, g := range p.session.Options.Manual.Groups {
		p.print("  topics, " + g.Name + ": " + strings.Join(g.Topics, " "))
	}
}
