package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"agent/cmd/agent/sessions"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// printer prints the events and the result of a headless run. It ignores write
// errors: output records them.
type printer interface {
	event(event.Event)
	end(result) // after the last event
}

// result is the result of a headless run: the object that --output json prints.
type result struct {
	Type    string `json:"type"` // "result"
	Session string `json:"session,omitempty"`
	Model   string `json:"model"`
	Answer  string `json:"answer"` // all text since the last tool result
	// Continued is set if Answer was cut off and the model continued it.
	Continued bool      `json:"continued,omitempty"`
	Reason    string    `json:"reason"` // why the turn ended
	Error     string    `json:"error,omitempty"`
	Hint      string    `json:"hint,omitempty"`
	Steps     int       `json:"steps"`
	Usage     llm.Usage `json:"usage"`
	Cost      *float64  `json:"cost_usd,omitempty"` // nil if a price is unknown
	Duration  int64     `json:"duration_ms"`
	ExitCode  int       `json:"exit_code"`
	// Evidence is nil if nothing was checked or edited.
	Evidence *event.Evidence `json:"evidence,omitempty"`
	// Plan is the plan that the model presented; nil if it presented none.
	Plan *presentedPlan `json:"plan,omitempty"`

	final  llm.Answer
	denied bool // a call was denied because no user could approve it
}

// presentedPlan is a plan in a result.
type presentedPlan struct {
	event.Plan
	Text string `json:"text"` // the same as Markdown

	call string // ID of the call that presented it
}

// textPrinter streams the answer to out and prints everything else to err.
type textPrinter struct {
	out, err   io.Writer
	sanitize   bool // out is a terminal: escape control characters
	shared     bool // out and err are the same file
	onlyAnswer bool // print only the answer to out, at the end
	midLine    bool // the last line on out is not ended
	continues  bool // the next text continues a truncated answer
	wrote      bool // something was written to out
	reply      string
	index      int
}

func (p *textPrinter) event(e event.Event) {
	switch e := e.(type) {
	case event.Streamed:
		if d, ok := e.Delta.(llm.TextDelta); ok && !p.onlyAnswer {
			p.text(e.Reply, d)
		}
	case *event.MessageDone:
		if e.Message.Kind == llm.Assistant {
			p.continues = e.Message.Cut
		}
	case *event.ToolStart:
		if e.Effect != event.ReadEffect { // a call that only reads is printed when it is done
			p.note("◦ %s", ink.SanitizeLine(e.Title))
		}
	case *event.ToolEnd:
		p.continues = false
		p.toolEnd(e)
	case *event.DelegateEnd:
		if e.Background { // otherwise the result of the call says it
			p.note("· %s", ink.SanitizeLine(delegateEnd(e)))
		}
	case event.Delegated:
		if end, ok := e.Event.(*event.ToolEnd); ok {
			p.delegateCall(e.ID, end)
		}
	case event.Retrying:
		p.note("✗ %s Retrying in %s (attempt %d).", sentence(ink.SanitizeLine(e.Error)), phrase.Seconds(e.In), e.Attempt)
	case event.Notice:
		p.note("%s", ink.Sanitize(e.Text))
	case event.Unreadable:
		p.note("Cannot read the session: %s", ink.SanitizeLine(e.Why))
	case event.Opened:
		for _, text := range e.Problems {
			p.note("%s", ink.Sanitize(text))
		}
	}
}

// text writes a delta of the answer. A new message begins a new paragraph, unless it
// continues a truncated one.
func (p *textPrinter) text(reply string, d llm.TextDelta) {
	continues := p.continues && reply != p.reply
	if p.wrote && !continues && (reply != p.reply || d.Index != p.index) {
		p.endLine()
		fmt.Fprintln(p.out)
	}
	p.reply, p.index = reply, d.Index
	text := d.Text
	if p.sanitize {
		text = ink.Sanitize(text)
	}
	if text != "" {
		fmt.Fprint(p.out, text)
		p.wrote, p.midLine = true, !strings.HasSuffix(text, "\n")
	}
}

// delegateEnd describes the end of a delegate: "explore 2 done, 4 steps".
func delegateEnd(e *event.DelegateEnd) string {
	how := "done"
	if e.Reason != event.Done {
		how = "ended early: " + cmp.Or(e.Error, string(e.Reason))
	}
	return fmt.Sprintf("%s %s, %s", event.DelegateLabel(e.Name, e.ID), how, phrase.Count(e.Steps, "step"))
}

// delegateCall prints a call of the delegate with that ID.
func (p *textPrinter) delegateCall(id int, e *event.ToolEnd) {
	called := *e
	called.Title = fmt.Sprintf("[%d] %s", id, e.Title)
	p.toolEnd(&called)
}

func (p *textPrinter) toolEnd(e *event.ToolEnd) {
	title := ink.SanitizeLine(e.Title)
	if e.Outcome != event.OK {
		p.note("✗ %s  %s", title, ink.SanitizeLine(sessions.Failure(e)))
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
	if p.onlyAnswer && r.Reason == string(event.Done) {
		if p.sanitize {
			r.Answer = ink.Sanitize(r.Answer)
		}
		fmt.Fprintln(p.out, r.Answer)
	}
	p.endLine()
	if r.Plan != nil && !p.onlyAnswer {
		p.plan(r.Plan.Text)
	}
	if line := r.Evidence.Line(); line != "" {
		p.note("%s", ink.SanitizeLine(line))
	}
	if r.Error != "" {
		p.note("✗ %s", ink.SanitizeLine(r.Error))
	}
	if r.Hint != "" {
		p.note("  %s", ink.SanitizeLine(r.Hint))
	}
}

// plan writes a plan after the answer.
func (p *textPrinter) plan(text string) {
	if p.sanitize {
		text = ink.Sanitize(text)
	}
	if p.wrote {
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out, strings.TrimRight(text, "\n"))
}

// note writes a line to err. If out is the same file, it ends the line there first.
func (p *textPrinter) note(format string, args ...any) {
	if p.shared {
		p.endLine()
	}
	fmt.Fprintf(p.err, format+"\n", args...)
}

// sentence returns text with a full stop, unless it ends with one or with another
// mark.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

func (p *textPrinter) endLine() {
	if p.midLine {
		fmt.Fprintln(p.out)
		p.midLine = false
	}
}

// jsonPrinter prints the result as one JSON object. If lines is set, it first
// prints each durable event as it is stored in the session.
type jsonPrinter struct {
	out   io.Writer
	lines bool
}

func (p *jsonPrinter) event(e event.Event) {
	if of, ok := e.(event.Delegated); ok {
		e = of.Event // it names its agent
	}
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
