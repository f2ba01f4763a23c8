package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coder/acp-go-sdk"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
)

// call is a tool call that the editor shows.
type call struct {
	command string // that it runs; empty for other calls
	output  string // the end of its output so far
	asked   bool   // it stands for a question that belongs to no call of the model
}

// content returns the command and its output.
func (c *call) content() []acp.ToolCallContent {
	var out []acp.ToolCallContent
	if c.command != "" {
		out = append(out, textContent(fence("sh", ink.Exact(c.command))))
	}
	if c.output != "" {
		out = append(out, textContent(fence("", cut(clean(c.output)))))
	}
	return out
}

// textContent returns Markdown as content of a call.
func textContent(markdown string) acp.ToolCallContent {
	return acp.ToolContent(acp.TextBlock(markdown))
}

// fence returns text as a code block in Markdown.
func fence(language, text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks
}

// cut returns text without its middle if it is longer than maxOutput.
func cut(text string) string {
	const end = maxOutput / 4
	if len(text) <= maxOutput {
		return text
	}
	head, tail := text[:maxOutput-end], text[len(text)-end:]
	left := phrase.Bytes(int64(len(text) - maxOutput))
	return strings.ToValidUTF8(head, "") + "\n[" + left + " omitted]\n" + strings.ToValidUTF8(tail, "")
}

// called announces a call that the model wants.
func (f *feed) called(m llm.Message) {
	f.calls[m.ID] = &call{}
	f.update(acp.StartToolCall(acp.ToolCallId(m.ID), clean(m.Name), acp.WithStartKind(acp.ToolKindOther),
		acp.WithStartStatus(acp.ToolCallStatusPending), acp.WithStartRawInput(rawInput(m.Input))))
}

// rawInput returns the arguments of a call, or nil if they are long.
func rawInput(args json.RawMessage) any {
	if len(args) == 0 || len(args) > maxOutput {
		return nil
	}
	return args
}

// toolStart shows that a call runs.
func (f *feed) toolStart(e *event.ToolStart) {
	if f.replay {
		return
	}
	c := f.call(e.ID)
	c.command = commandIn(e.Targets)
	f.show(e.ID, shown{title: titleOf(e.Title, c.command), kind: kindOf(e.Effect, nil), status: acp.ToolCallStatusInProgress,
		locations: f.locations(e.Targets, nil), content: c.content()})
}

// call returns the call with that ID. It announces one that the editor does not know.
func (f *feed) call(id string) *call {
	c := f.calls[id]
	if c == nil {
		c = &call{}
		f.calls[id] = c
		f.update(acp.StartToolCall(acp.ToolCallId(id), "tool call", acp.WithStartKind(acp.ToolKindOther), acp.WithStartStatus(acp.ToolCallStatusPending)))
	}
	return c
}

// shown is how the editor shows a call.
type shown struct {
	title     string
	kind      acp.ToolKind
	status    acp.ToolCallStatus
	locations []acp.ToolCallLocation
	content   []acp.ToolCallContent
}

// show sends the state of a call.
func (f *feed) show(id string, s shown) {
	f.dirty = slices.DeleteFunc(f.dirty, func(other string) bool { return other == id })
	f.update(acp.SessionUpdate{ToolCallUpdate: &acp.SessionToolCallUpdate{
		ToolCallId: acp.ToolCallId(id), Title: &s.title, Kind: &s.kind, Status: &s.status, Locations: s.locations, Content: s.content,
	}})
}

// progress collects output of a running call.
func (f *feed) progress(e event.Progress) {
	c := f.calls[e.ID]
	if c == nil {
		return
	}
	if c.output += e.Text; len(c.output) > 2*maxOutput {
		c.output = strings.ToValidUTF8(c.output[len(c.output)-maxOutput:], "")
	}
	if !slices.Contains(f.dirty, e.ID) {
		f.dirty = append(f.dirty, e.ID)
	}
}

// toolEnd shows the result of a call.
func (f *feed) toolEnd(e *event.ToolEnd) {
	id := e.Result.ID
	s := shown{title: clean(e.Title), kind: kindOf(e.Effect, e.Diffs), status: acp.ToolCallStatusCompleted, locations: f.locations(nil, e.Diffs)}
	if e.Outcome != event.OK {
		s.status = acp.ToolCallStatusFailed
	}
	text := e.Result.Text
	if e.Error != "" {
		text = e.Error
	}
	c := f.calls[id]
	if f.replay || c == nil {
		c = &call{}
	}
	s.title = titleOf(e.Title, c.command)
	switch {
	case len(e.Diffs) > 0:
		s.content = f.diffs(e.Diffs)
	case len(e.Proposed) > 0:
		s.content = append(f.diffs(e.Proposed), textContent(cut(clean(text))))
	default:
		c.output = text
		s.content = c.content()
	}
	if f.replay {
		f.update(acp.StartToolCall(acp.ToolCallId(id), s.title, acp.WithStartKind(s.kind), acp.WithStartStatus(s.status),
			acp.WithStartContent(s.content), func(u *acp.SessionUpdateToolCall) { u.Locations = s.locations }))
		return
	}
	f.call(id)
	delete(f.calls, id)
	f.show(id, s)
}

// ask shows a question about a call before the user is asked.
func (f *feed) ask(ask event.Ask) {
	c := f.calls[ask.ID]
	if c == nil {
		f.call(ask.ID).asked = true
		c = f.calls[ask.ID]
	}
	c.command = commandIn(ask.Targets)
	f.show(ask.ID, shown{title: askTitle(ask), kind: kindOf(ask.Effect, ask.Diffs), status: acp.ToolCallStatusPending,
		locations: f.locations(ask.Targets, ask.Diffs), content: f.askContent(ask)})
}

// answered ends the call that stands for a question, once that is answered or withdrawn.
func (f *feed) answered(id string) {
	if c := f.calls[id]; c != nil && c.asked {
		delete(f.calls, id)
		f.update(acp.UpdateToolCall(acp.ToolCallId(id), acp.WithUpdateStatus(acp.ToolCallStatusCompleted)))
	}
}

// askTitle returns the title of a question. That of a command is the command.
func askTitle(ask event.Ask) string {
	title := dialog.QuestionText(ask, func(dir string) string { return dir })
	if command := commandIn(ask.Targets); command != "" {
		title = titleOf(ask.Title, command)
	}
	return title
}

// askContent returns all that the user needs to know to answer a question.
func (f *feed) askContent(ask event.Ask) []acp.ToolCallContent {
	out := (&call{command: commandIn(ask.Targets)}).content()
	var lines []string
	add := func(text string) {
		if text != "" {
			lines = append(lines, text)
		}
	}
	if len(out) > 0 || len(ask.Diffs) > 0 {
		add(dialog.QuestionText(ask, func(dir string) string { return dir }))
	}
	add(clean(ask.Plan))
	add(dialog.ReasonText(ask))
	add(clean(dialog.ReasonOf(ask)))
	for _, w := range dialog.WarningsOf(ask) {
		add("Warning: " + clean(w))
	}
	lines = append(lines, valueFacts(ask)...)
	for i, c := range ask.Choices {
		if c.Explain != "" {
			add(fmt.Sprintf("%d. %s: %s", i+1, clean(c.Text), clean(c.Explain)))
		}
	}
	if t := ask.Targets; len(t) == 1 && t[0].Kind == event.HostTarget {
		add(fence("", ink.Exact(dialog.RequestOf(ask.Title))))
	}
	if len(lines) > 0 {
		out = append(out, textContent(strings.Join(lines, "\n\n")))
	}
	return append(out, f.diffs(ask.Diffs)...)
}

// commandIn returns the command among the targets of a call; empty if there is none.
func commandIn(targets []event.Target) string {
	for _, t := range targets {
		if t.Kind == event.CommandTarget {
			return t.Value
		}
	}
	return ""
}

// maxTitle is the length limit of a title, in bytes.
const maxTitle = 300

// titleOf returns the title of a call: the exact command, as code in Markdown, or the title
// of the event.
func titleOf(title, command string) string {
	if command == "" {
		return clean(title)
	}
	line := dialog.ExactLine(command)
	if len(line) > maxTitle {
		line = strings.ToValidUTF8(line[:maxTitle], "") + "…"
	}
	if strings.Contains(line, "`") {
		return line
	}
	return "`" + line + "`"
}

// kindOf returns the kind of a call, which selects its icon.
func kindOf(e event.Effect, diffs []event.Diff) acp.ToolKind {
	switch e {
	case event.ReadEffect:
		return acp.ToolKindRead
	case event.WriteEffect:
		all := func(is func(event.Diff) bool) bool {
			return len(diffs) > 0 && !slices.ContainsFunc(diffs, func(d event.Diff) bool { return !is(d) })
		}
		switch {
		case all(func(d event.Diff) bool { return d.Moved != "" }):
			return acp.ToolKindMove
		case all(func(d event.Diff) bool { return d.Deleted }):
			return acp.ToolKindDelete
		}
		return acp.ToolKindEdit
	case event.ExecuteEffect:
		return acp.ToolKindExecute
	case event.NetworkEffect:
		return acp.ToolKindFetch
	}
	return acp.ToolKindOther
}

// locations returns the files of a call, with the first changed line of each diff. The
// editor can follow them.
func (f *feed) locations(targets []event.Target, diffs []event.Diff) []acp.ToolCallLocation {
	var out []acp.ToolCallLocation
	for _, d := range diffs {
		l := acp.ToolCallLocation{Path: f.path(d.Path)}
		if hunks := hunksOf(d.Unified); len(hunks) > 0 && !d.Deleted {
			l.Line = &hunks[0].line
		}
		out = append(out, l)
	}
	if len(diffs) > 0 {
		return out
	}
	for _, t := range targets {
		if t.Kind == event.PathTarget {
			out = append(out, acp.ToolCallLocation{Path: f.path(t.Value)})
		}
	}
	return out
}

// diffs returns changes as content: one diff for every hunk, because events do not hold
// the complete files.
func (f *feed) diffs(all []event.Diff) []acp.ToolCallContent {
	var out []acp.ToolCallContent
	for _, d := range all {
		for _, h := range hunksOf(d.Unified) {
			c := acp.ToolDiffContent(f.path(d.Path), h.after, h.before)
			if d.Created {
				c.Diff.OldText = nil
			}
			out = append(out, c)
		}
	}
	return out
}

// hunk is a part of a file before and after a change.
type hunk struct {
	line          int // of the first changed line after the change, from 1
	before, after string
}

// hunksOf splits the hunks of a unified diff.
func hunksOf(unified string) []hunk {
	var out []hunk
	changed, last := false, byte(0)
	for line := range strings.Lines(unified) {
		if rest, ok := strings.CutPrefix(line, "@@ "); ok {
			out = append(out, hunk{line: max(firstLine(rest), 1)})
			changed = false
			continue
		}
		if len(out) == 0 {
			continue
		}
		h := &out[len(out)-1]
		mark := line[0]
		switch mark {
		case ' ':
			h.before, h.after = h.before+line[1:], h.after+line[1:]
			if !changed {
				h.line++
			}
		case '-':
			h.before, changed = h.before+line[1:], true
		case '+':
			h.after, changed = h.after+line[1:], true
		case '\\': // the line before it has no newline
			if last != '+' {
				h.before = strings.TrimSuffix(h.before, "\n")
			}
			if last != '-' {
				h.after = strings.TrimSuffix(h.after, "\n")
			}
		}
		last = mark
	}
	return out
}

// firstLine returns the first line of a hunk after the change, from "-1,3 +1,4 @@".
func firstLine(header string) int {
	_, after, _ := strings.Cut(header, "+")
	digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
	n, _ := strconv.Atoi(digits)
	return n
}
