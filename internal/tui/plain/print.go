package plain

import (
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/transcript"
)

// outputLines is how many lines of a tool's output are told, its last ones.
const outputLines = 8

// begin tells where one is, and what was said last.
func (p *front) begin() {
	p.print(p.Options.Heading(p.Feed.Title))
	for _, n := range p.Options.Notices {
		p.block("note", ink.Sanitize(n))
	}
	if p.Feed.Host != "" {
		p.block("note", p.AboutModel())
	}
	last := 0
	for i, ev := range p.Options.Session.History {
		if said, ok := ev.(*event.UserSaid); ok && !said.Steered {
			last = i
		}
	}
	typed := p.in.Typed
	p.in.Typed = false // nobody typed this here
	for _, ev := range p.Options.Session.History[last:] {
		switch ev.(type) {
		case *event.ModelSet, *event.ModeSet: // what holds now may be something else
		default:
			p.event(ev)
		}
	}
	p.in.Typed = typed
	p.printUnsent()
	p.Transcript.OnAdd = p.told
}

// told tells of what the model adds to the transcript, but for what is told of
// when it happens.
func (p *front) told(it transcript.Item) {
	switch it := it.(type) {
	case *transcript.Notice:
		p.block("note", ink.Sanitize(it.Text))
	case *transcript.Problem:
		p.block("error", ink.Sanitize(it.Text))
		if it.Hint != "" {
			p.block("", ink.Sanitize(it.Hint))
		}
	case *transcript.Closing:
		who := "note"
		if p.ending {
			who = "done"
		}
		p.block(who, ink.Sanitize(it.Text))
	case *slash.Facts:
		for _, row := range it.Rows {
			p.print("  " + row[0] + ": " + row[1])
		}
	case *transcript.Retry:
		p.block("error", strings.Join(it.Draw(transcript.Canvas{Styles: p.Styles, Width: width}), "\n"))
	}
}

// event tells of what happens.
func (p *front) event(ev event.Event) {
	switch ev := ev.(type) {
	case *event.UserSaid:
		if !ev.Auto && !p.in.Typed {
			p.block("you", ink.Sanitize(ev.Text))
		}
	case event.Streamed:
		if d, ok := ev.Delta.(llm.TextDelta); ok {
			p.said += d.Text
			p.whole(p.said[:strings.LastIndexByte(p.said, '\n')+1])
		}
	case *event.MessageDone:
		p.message(ev.Message)
	case event.Retrying:
		p.said, p.printed = "", 0
	case *event.ToolStart:
		if ev.Effect != "read" {
			p.started[ev.ID] = true
			p.block("tool", ink.SanitizeLine(ev.Title))
		}
	case *event.ToolEnd:
		p.toolEnd(ev)
	case *event.ModelSet:
		if ev.Model != p.Feed.Model || ev.Effort != p.Feed.Effort || ev.Host != p.Feed.Host {
			name := strings.TrimSpace(ev.Model + " " + ev.Effort)
			if ev.Host != "" {
				name += " at " + ev.Host
			}
			p.block("note", ink.SanitizeLine(name)+" answers from here on")
		}
	case *event.ModeSet:
		if ev.Mode != p.mode {
			p.mode = ev.Mode
			p.block("note", screen.ModeWords(ev.Mode))
		}
	case *event.ShellEnd:
		p.block("ran", ink.SanitizeLine(transcript.AsTyped(ev.Line, ev.Join)))
		p.block("", ink.Sanitize(strings.TrimRight(ev.Text, "\n")))
	}
}

// whole tells what of the message that streams is on lines that have ended.
func (p *front) whole(lines string) {
	if len(lines) <= p.printed {
		return
	}
	who := "agent"
	if p.printed > 0 {
		who = ""
	}
	p.block(who, ink.Sanitize(lines[p.printed:]))
	p.printed = len(lines)
}

// message tells the rest of a message.
func (p *front) message(m llm.Message) {
	switch m.Kind {
	case llm.Assistant:
		if !strings.HasPrefix(m.Text, p.said[:p.printed]) {
			p.printed = 0
		}
		p.said = m.Text
		if strings.TrimSpace(m.Text[p.printed:]) != "" {
			p.whole(m.Text)
		}
		if m.Cut {
			p.print("  (cut)")
		}
		p.said, p.printed = "", 0
	case llm.Thinking:
		first, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
		if first != "" {
			p.block("thought", ink.Truncate(ink.SanitizeLine(strings.Trim(first, "*# ")), width))
		}
	}
}

func (p *front) toolEnd(ev *event.ToolEnd) {
	facts := string(ev.Outcome)
	if ev.Summary != "" {
		facts += ", " + ink.SanitizeLine(ev.Summary)
	}
	facts += ", " + phrase.Duration(ev.Duration)
	if p.started[ev.Result.ID] {
		p.print("  " + facts)
	} else {
		p.block("tool", ink.SanitizeLine(ev.Title)+" ("+facts+")")
	}
	delete(p.started, ev.Result.ID)
	for _, d := range ev.Diffs {
		p.print("  " + ink.SanitizeLine(d.Path) + " " + diff.Stat(d))
	}
	if ev.Outcome == event.OK && (ev.Effect == "read" || len(ev.Diffs) > 0) {
		return
	}
	lines := strings.Split(strings.TrimRight(ink.Sanitize(ev.Result.Text), "\n"), "\n")
	if more := len(lines) - outputLines; more > 0 {
		p.print("    " + phrase.Count(more, "earlier line"))
		lines = lines[more:]
	}
	for _, l := range lines {
		p.print("    " + l)
	}
}

// help lists what can be typed.
func (p *front) help() {
	p.block("note", p.AboutModel())
	p.print("  a prompt is sent with enter; a backslash at the end of a line joins it with the next; ctrl+c stops a turn")
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
}
