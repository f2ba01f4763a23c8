package headless

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/sessions"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
)

// Printer prints the events and the result of a run. It ignores write errors: Output
// records them.
type Printer interface {
	Event(event.Event)
	End(Result) // after the last event
}

// NewPrinter returns the printer for --output, which writes to out. With onlyAnswer, a
// text printer prints nothing but the answer, at the end. Previews are those of stream-json.
func NewPrinter(format string, streams command.IO, out *Output, onlyAnswer bool, previews Previews) (Printer, error) {
	switch format {
	case "text":
		return &TextPrinter{Out: out, Err: streams.Err, terminal: streams.Out.Terminal, shared: streams.SharedOutput(), onlyAnswer: onlyAnswer}, nil
	case "json":
		return &jsonPrinter{out}, nil
	case "stream-json":
		return &streamPrinter{out, previews}, nil
	}
	return nil, command.Usage("--output: unknown format %q: use text, json or stream-json", format)
}

// TextPrinter streams the answer to Out and prints everything else to Err.
type TextPrinter struct {
	Out, Err io.Writer

	terminal   bool // Out is a terminal
	shared     bool // Out and Err are the same file
	onlyAnswer bool // print only the answer to Out, at the end
	midLine    bool // the last line on Out is not ended
	continues  bool // the next text continues a truncated answer
	wrote      bool // something was written to Out
	reply      string
	index      int
}

// Event prints e.
func (p *TextPrinter) Event(e event.Event) {
	switch e := e.(type) {
	case event.Streamed:
		if d, ok := e.Delta.(llm.TextDelta); ok && !p.onlyAnswer {
			p.text(e.Reply, d)
		}
	case *event.MessageDone:
		p.message(e.Message)
	case *event.ToolStart:
		if e.Effect != event.ReadEffect { // a call that only reads is printed when it is done
			p.note("◦ %s", ink.SanitizeLine(e.Title))
		}
	case *event.ToolEnd:
		p.continues = false
		p.toolEnd(e)
	case *event.FilesChanged:
		for _, l := range e.Lost {
			p.note("· cannot be undone: %s", ink.SanitizeLine(strings.TrimPrefix(l.Path+": ", ": ")+l.Why))
		}
	case *event.DelegateEnd:
		if e.Background { // otherwise the result of the call says it
			p.note("· %s", ink.SanitizeLine(delegateEnd(e)))
		}
	case event.Delegated:
		if end, ok := e.Event.(*event.ToolEnd); ok {
			p.delegateCall(e.ID, end)
		}
	case event.Retrying:
		p.note("✗ %s Retrying %s (attempt %d).", sentence(ink.SanitizeLine(e.Error)), phrase.In(e.In), e.Attempt)
	case event.Notice:
		p.note("%s", ink.Sanitize(Advice(e.Text)))
	case event.Unreadable:
		p.note("Cannot read the session: %s", ink.SanitizeLine(e.Why))
	case event.Opened:
		for _, text := range e.Problems {
			p.note("%s", ink.Sanitize(text))
		}
	}
}

// message prints the parts of a finished message that do not stream: web searches, and the
// sources of an answer.
func (p *TextPrinter) message(m llm.Message) {
	switch {
	case m.Search != nil:
		p.note("· %s", ink.SanitizeLine(m.Search.Text()))
	case m.Kind == llm.Assistant:
		if sources := strings.TrimPrefix(m.WithSources(), m.Text); sources != "" && !p.onlyAnswer {
			p.text(p.reply, llm.TextDelta{Index: p.index, Text: sources})
		}
		p.continues = m.Cut
	}
}

// text writes a delta of the answer. A new message begins a new paragraph, unless it
// continues a truncated one.
func (p *TextPrinter) text(reply string, d llm.TextDelta) {
	continues := p.continues && reply != p.reply
	if p.wrote && !continues && (reply != p.reply || d.Index != p.index) {
		p.endLine()
		fmt.Fprintln(p.Out)
	}
	p.reply, p.index = reply, d.Index
	if text := p.clean(d.Text); text != "" {
		fmt.Fprint(p.Out, text)
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
func (p *TextPrinter) delegateCall(id int, e *event.ToolEnd) {
	called := *e
	called.Title = fmt.Sprintf("[%d] %s", id, e.Title)
	p.toolEnd(&called)
}

func (p *TextPrinter) toolEnd(e *event.ToolEnd) {
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

// End prints what only the result has, such as the evidence and the error.
func (p *TextPrinter) End(r Result) {
	if p.onlyAnswer && r.Reason == string(event.Done) {
		if p.terminal { // a program reads the JSON unchanged
			r.Answer = ink.Sanitize(r.Answer)
		}
		fmt.Fprintln(p.Out, r.Answer)
	}
	p.endLine()
	if r.Plan != nil && !p.onlyAnswer {
		p.plan(r.Plan.Text)
	}
	if line := r.Evidence.Line(); line != "" {
		p.note("%s", ink.SanitizeLine(line))
	}
	if len(r.RunLater) > 0 {
		p.note("Changed files that programs run later: %s", ink.SanitizeLine(strings.Join(r.RunLater, ", ")))
	}
	if r.Error != "" {
		p.note("✗ %s", ink.SanitizeLine(r.Error))
	}
	if r.Hint != "" {
		p.note("  %s", ink.SanitizeLine(r.Hint))
	}
}

// clean returns text of the model as it may be printed to Out.
func (p *TextPrinter) clean(text string) string {
	return command.Console{Terminal: p.terminal}.Clean(text)
}

// plan writes a plan after the answer.
func (p *TextPrinter) plan(text string) {
	if p.wrote {
		fmt.Fprintln(p.Out)
	}
	fmt.Fprintln(p.Out, strings.TrimRight(p.clean(text), "\n"))
}

// note writes a line to Err. If Out is the same file, it ends the line there first.
func (p *TextPrinter) note(format string, args ...any) {
	if p.shared {
		p.endLine()
	}
	fmt.Fprintf(p.Err, format+"\n", args...)
}

// sentence returns text with a full stop, unless it ends with one or with another
// mark.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

func (p *TextPrinter) endLine() {
	if p.midLine {
		fmt.Fprintln(p.Out)
		p.midLine = false
	}
}

// jsonPrinter prints only the result, as one JSON object.
type jsonPrinter struct{ out io.Writer }

func (p *jsonPrinter) Event(event.Event) {}

func (p *jsonPrinter) End(r Result) { _ = command.WriteLine(p.out, r) }
