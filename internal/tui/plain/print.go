package plain

import (
	"cmp"
	"strings"

	"agent/internal/link"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/diff"
	"agent/internal/tui/ink"
	"agent/internal/tui/slash"
	"agent/internal/tui/transcript"
)

// outputLines is the maximum number of printed lines of a tool's output, the last
// ones.
const outputLines = 8

// printer prints events, and the items that the program adds to the transcript.
type printer struct {
	*output
	feed *transcript.Feed

	typed      bool // the user types the prompts, which are not printed again
	turnEnding bool // a TurnEnd is being applied

	streamed string          // text of the current message
	printed  int             // bytes of streamed that are printed
	started  map[string]bool // calls whose start is printed, by ID
	edited   string          // the ID of the last call that ended with diffs
	mode     string          // permission mode that was printed last
}

// item prints an item that is added to the transcript, unless event prints
// its event.
func (p *printer) item(it transcript.Item) {
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
		if p.turnEnding {
			who = "done"
		}
		p.block(who, ink.Sanitize(it.Text))
	case *slash.Written:
		p.block("note", it.Title())
		p.hunks(it.Diff.Unified)
	case *slash.Properties:
		for _, row := range it.Rows {
			p.print("  " + row[0] + ": " + row[1])
		}
	case *slash.Costs:
		p.costs(it)
	case *transcript.Report:
		for line := range strings.Lines(it.Summary + "\n" + it.Text) {
			p.print(ink.Sanitize(strings.TrimSuffix(line, "\n")))
		}
	case *transcript.Plan:
		p.block("plan", it.Line())
		p.block("", ink.Sanitize(it.Text))
	case *transcript.Retry:
		p.block("note", it.Text())
	}
}

// costs prints the answer of /cost.
func (p *printer) costs(it *slash.Costs) {
	lines := it.Lines()
	if len(lines) == 0 {
		p.block("note", slash.NoTokens)
	}
	for _, l := range lines {
		if !l.Head {
			l.Text = "  " + l.Text
		}
		p.print(l.Text)
	}
}

// event prints an event.
func (p *printer) event(ev event.Event) {
	switch ev := ev.(type) {
	case *event.UserSaid:
		if !ev.Auto && !p.typed {
			p.block("you", ink.Sanitize(ev.Text))
		}
	case event.Streamed:
		if d, ok := ev.Delta.(llm.TextDelta); ok {
			p.streamed += d.Text
			p.stream(p.streamed[:strings.LastIndexByte(p.streamed, '\n')+1])
		}
	case *event.MessageDone:
		p.message(ev.Message)
	case event.Retrying:
		p.streamed, p.printed = "", 0
	case *event.ToolStart:
		if ev.Effect != event.ReadEffect {
			p.started[ev.ID] = true
			p.block("tool", ink.SanitizeLine(ev.Title))
		}
	case *event.ToolEnd:
		p.toolEnd(ev)
	case *event.PlanSet:
		p.planSet(ev)
	case *event.ModelSet:
		if ev.Model != p.feed.State.Model || ev.Effort != p.feed.State.Effort || ev.Host != p.feed.State.Host {
			name := strings.TrimSpace(ev.Model + " " + ev.Effort)
			if ev.Host != "" {
				name += " at " + ev.Host
			}
			p.block("note", "model: "+ink.SanitizeLine(name))
		}
	case *event.ModeSet:
		if ev.Mode != p.mode {
			p.mode = ev.Mode
			p.block("note", "permission mode: "+event.Mode(ev.Mode).Name())
		}
	case *event.DelegateStart:
		p.print("agent " + transcript.DelegateLabel(ev.Name, ev.ID) + " started: " + ink.Truncate(ink.SanitizeLine(ev.Prompt), width))
	case *event.DelegateEnd:
		p.delegateEnd(ev)
	case *event.FilesChanged:
		p.filesChanged(ev)
	case *event.Undone:
		p.undone(ev)
	case *event.ShellEnd:
		p.block("ran", ink.SanitizeLine(transcript.AsTyped(ev.Line, ev.Join)))
		p.block("", ink.Sanitize(strings.TrimRight(ev.Text, "\n")))
	}
}

// filesChanged prints what a call, a typed command or jobs did to files. The result of an
// edit shows it already.
func (p *printer) filesChanged(ev *event.FilesChanged) {
	if text := transcript.ChangedText(ev); text != "" && (ev.ID == "" || ev.ID != p.edited) {
		p.print("  " + text)
	}
	for _, l := range ev.Lost {
		p.block("", transcript.LostText(l))
	}
}

// undone prints an undo or redo.
func (p *printer) undone(ev *event.Undone) {
	u := transcript.Undone{Undone: ev}
	p.block("note", u.Title())
	shown := min(len(ev.Restored), listRows)
	for _, path := range ev.Restored[:shown] {
		p.print("  " + ink.SanitizeLine(path))
	}
	if more := len(ev.Restored) - shown; more > 0 {
		p.print("  and " + phrase.Count(more, "more file"))
	}
	for _, l := range append(u.Alerts(), u.Rest()...) {
		p.print("  " + l)
	}
}

// delegateEnd prints how a delegate ended, with its answer unless a tool call has it.
func (p *printer) delegateEnd(ev *event.DelegateEnd) {
	facts := append([]string{transcript.DelegateEnding(ev)}, transcript.DelegateUsage(ev.Steps, ev.Usage.Total(), ev.Duration)...)
	p.print("agent " + transcript.DelegateLabel(ev.Name, ev.ID) + " " + strings.Join(facts, ", "))
	if ev.Background && ev.Answer != "" {
		p.block("", ink.Sanitize(ev.Answer))
	}
}

// planSet prints a decision on a plan. Of a plan that the user approved or rejected as
// it was presented, the text is printed with the question.
func (p *printer) planSet(ev *event.PlanSet) {
	plan := transcript.Plan{PlanSet: ev}
	p.block("plan", plan.Line())
	if ev.Edited || ev.State == event.PlanPresented {
		p.block("", ink.Sanitize(ev.Text))
	}
}

// stream prints the complete lines of the streamed message that are not printed
// yet.
func (p *printer) stream(lines string) {
	if len(lines) <= p.printed {
		return
	}
	who := "agent"
	if p.printed > 0 {
		who = ""
	}
	p.block(who, ink.Sanitize(link.Annotate(lines[p.printed:])))
	p.printed = len(lines)
}

// message prints the rest of a finished message.
func (p *printer) message(m llm.Message) {
	switch m.Kind {
	case llm.Assistant:
		if !strings.HasPrefix(m.Text, p.streamed[:p.printed]) {
			p.printed = 0
		}
		p.streamed = m.WithSources()
		if strings.TrimSpace(p.streamed[p.printed:]) != "" {
			p.stream(p.streamed)
		}
		if m.Cut {
			p.print("  (truncated)")
		}
		p.streamed, p.printed = "", 0
	case llm.WebSearch:
		if m.Search != nil {
			p.block("search", ink.Truncate(ink.SanitizeLine(m.Search.Text()), width))
		}
	case llm.Thinking:
		first, _, _ := strings.Cut(strings.TrimSpace(m.Text), "\n")
		if first != "" {
			p.block("reasoning", ink.Truncate(ink.SanitizeLine(strings.Trim(first, "*# ")), width))
		}
	}
}

// toolEnd prints the end of a tool call, with the end of its output unless that only
// repeats a read or the changes.
func (p *printer) toolEnd(ev *event.ToolEnd) {
	facts := outcome(ev)
	if p.started[ev.Result.ID] {
		p.print("  " + facts)
	} else {
		p.block("tool", ink.SanitizeLine(ev.Title)+" ("+facts+")")
	}
	delete(p.started, ev.Result.ID)
	if len(ev.Diffs) > 0 {
		p.edited = ev.Result.ID
	}
	for _, d := range ev.Diffs {
		p.print("  " + ink.SanitizeLine(d.Path) + " " + diff.Stat(d))
	}
	if ev.Outcome == event.OK && (ev.Effect == event.ReadEffect || len(ev.Diffs) > 0) {
		return
	}
	lines := strings.Split(strings.TrimRight(ink.Sanitize(cmp.Or(ev.Error, ev.Result.Text)), "\n"), "\n")
	if more := len(lines) - outputLines; more > 0 {
		p.print("    " + phrase.Count(more, "earlier line"))
		lines = lines[more:]
	}
	for _, l := range lines {
		p.print("    " + l)
	}
}

// outcome describes how a call ended, with its summary and its duration.
func outcome(ev *event.ToolEnd) string {
	word := map[event.Outcome]string{event.Failed: "failed", event.Refused: "not run", event.Uncertain: "outcome unknown"}[ev.Outcome]
	facts := []string{cmp.Or(word, string(ev.Outcome))}
	summary := ink.SanitizeLine(ev.Summary)
	switch {
	case strings.HasPrefix(summary, facts[0]): // "interrupted · 20 lines"
		facts[0] = summary
	case summary != "":
		facts = append(facts, summary)
	}
	if ev.Duration > 0 || ev.Outcome == event.OK {
		facts = append(facts, phrase.Duration(ev.Duration))
	}
	return strings.Join(facts, ", ")
}
