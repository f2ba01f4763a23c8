package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// printer tells of a headless run. Its writers' errors are not its concern: see
// headless.
type printer interface {
	event(event.Event)
	end(result) // after the last event
}

// result is what a headless run came to: the object that --output json prints.
type result struct {
	Type     string    `json:"type"` // "result"
	Session  string    `json:"session,omitempty"`
	Model    string    `json:"model"`
	Answer   string    `json:"answer"` // of the last step
	Reason   string    `json:"reason"` // why the turn ended
	Error    string    `json:"error,omitempty"`
	Hint     string    `json:"hint,omitempty"`
	Steps    int       `json:"steps"`
	Usage    llm.Usage `json:"usage"`
	Cost     *float64  `json:"cost_usd,omitempty"` // where the price is known
	Duration int64     `json:"duration_ms"`
	ExitCode int       `json:"exit_code"`

	cut bool // what Answer holds so far was cut
}

// textPrinter streams the answer to out, and tells of the rest on err.
type textPrinter struct {
	out, err io.Writer
	clean    bool // out is a terminal: nothing reaches it raw
	whole    bool // nothing but the answer is written to out, at the end
	open     bool // the last line on out is not ended
	said     bool // something was written to out
	reply    string
	index    int
}

func (p *textPrinter) event(e event.Event) {
	switch e := e.(type) {
	case event.Streamed:
		if d, ok := e.Delta.(llm.TextDelta); ok && !p.whole {
			p.text(e.Reply, d)
		}
	case *event.ToolStart:
		if e.Effect != "read" { // what only reads is told of when it is done
			p.note("◦ %s", ink.SanitizeLine(e.Title))
		}
	case *event.ToolEnd:
		p.toolEnd(e)
	case event.Retrying:
		p.note("✗ %s. Retrying in %s (attempt %d).", strings.TrimRight(ink.SanitizeLine(e.Error), "."), e.In.Round(100e6), e.Attempt)
	case event.Notice:
		p.note("%s", ink.Sanitize(e.Text))
	case event.Unreadable:
		p.note("The session cannot be read: %s", ink.SanitizeLine(e.Why))
	case event.Opened:
		for _, text := range e.Problems {
			p.note("%s", ink.Sanitize(text))
		}
	}
}

// text writes a piece of the answer. A new message begins a new paragraph.
func (p *textPrinter) text(reply string, d llm.TextDelta) {
	if p.said && (reply != p.reply || d.Index != p.index) {
		p.endLine()
		fmt.Fprintln(p.out)
	}
	p.reply, p.index = reply, d.Index
	text := d.Text
	if p.clean {
		text = ink.Sanitize(text)
	}
	if text != "" {
		fmt.Fprint(p.out, text)
		p.said, p.open = true, !strings.HasSuffix(text, "\n")
	}
}

func (p *textPrinter) toolEnd(e *event.ToolEnd) {
	title := ink.SanitizeLine(e.Title)
	if e.Outcome != event.OK {
		first, _, _ := strings.Cut(cmp.Or(e.Error, e.Result.Text), "\n")
		if e.Outcome == event.Refused && e.Summary != "" { // what Result says is for the model
			first = e.Summary
		}
		p.note("✗ %s  %s: %s", title, e.Outcome, ink.SanitizeLine(first))
		return
	}
	line := "· " + title
	if e.Summary != "" {
		line += "  " + ink.SanitizeLine(e.Summary)
	}
	for _, d := range e.Diffs {
		line += "  " + diff.Stat(d)
	}
	p.note("%s", line)
}

func (p *textPrinter) end(r result) {
	if p.whole && r.ExitCode == exitDone {
		if p.clean {
			r.Answer = ink.Sanitize(r.Answer)
		}
		fmt.Fprintln(p.out, r.Answer)
	}
	p.endLine()
	if r.Error != "" {
		p.note("✗ %s", ink.SanitizeLine(r.Error))
	}
	if r.Hint != "" {
		p.note("  %s", ink.SanitizeLine(r.Hint))
	}
}

// note writes a line to err, on a line of its own where both are one terminal.
func (p *textPrinter) note(format string, args ...any) {
	if p.clean {
		p.endLine()
	}
	fmt.Fprintf(p.err, format+"\n", args...)
}

func (p *textPrinter) endLine() {
	if p.open {
		fmt.Fprintln(p.out)
		p.open = false
	}
}

// jsonPrinter writes one object at the end; with lines, each durable event
// before it as well, as the session holds it.
type jsonPrinter struct {
	out   io.Writer
	lines bool
}

func (p *jsonPrinter) event(e event.Event) {
	d, ok := e.(event.Durable)
	if !ok || !p.lines {
		return
	}
	if line, err := event.Encode(d); err == nil {
		fmt.Fprintf(p.out, "%s\n", line)
	}
}

func (p *jsonPrinter) end(r result) {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(r)
}
