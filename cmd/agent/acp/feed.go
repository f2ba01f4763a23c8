package acp

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/coder/acp-go-sdk"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	records "agent/internal/loop/session"
	"agent/internal/tui/ink"
)

// maxOutput is the size limit of a tool's output in an update, in bytes.
const maxOutput = 10 << 10

// feed turns the events of a session into updates for the editor. It collects streamed
// text and output until flush, or until another update follows.
type feed struct {
	dir    string // of the session, absolute
	send   func(acp.SessionUpdate)
	replay bool // the events are of the past: messages of the user are sent, and calls only once they have ended
	quiet  bool // send no state of the session: mode, usage and title

	window   int     // context window in tokens; 0 if unknown
	cost     float64 // of the session so far, in US dollars
	unpriced bool    // the price of a step is unknown
	titled   bool

	pending  strings.Builder     // collected text
	last     piece               // its message, or that of the last text
	spoke    bool                // the last update was text of the answer
	streamed map[piece]*streamed // by reply and kind; the index is 0
	calls    map[string]*call
	dirty    []string // IDs of calls with output that was not sent
	whole    int      // messages that did not stream, and notes, that were sent
}

// piece identifies a message of a reply.
type piece struct {
	reply    string
	index    int // that of its deltas; negative if it did not stream
	thinking bool
}

// streamed is the text of one kind that streamed for a reply.
type streamed struct {
	text strings.Builder
	used int // bytes that belong to messages that have ended
}

func newFeed(dir string, send func(acp.SessionUpdate)) *feed {
	return &feed{dir: dir, send: send, streamed: map[piece]*streamed{}, calls: map[string]*call{}}
}

// clean makes untrusted text visible: control characters become escapes. Tabs stay,
// because the text can be code.
func clean(text string) string {
	parts := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\t")
	for i, p := range parts {
		parts[i] = ink.Sanitize(p)
	}
	return strings.Join(parts, "\t")
}

// hintOf returns the hint of the end of a turn, without the names of keys.
func hintOf(e *event.TurnEnd) string { return clean(event.WithoutKeys(e.Hint)) }

// handleEvent sends the updates for an event.
func (f *feed) handleEvent(e event.Event) {
	switch e := e.(type) {
	case event.Streamed:
		f.stream(e)
	case *event.MessageDone:
		f.message(e.Message)
	case *event.UserSaid:
		f.user(e)
	case *event.ToolStart:
		f.toolStart(e)
	case event.Progress:
		f.progress(e)
	case *event.ToolEnd:
		f.toolEnd(e)
	case event.AskDone:
		f.answered(e.ID)
	case *event.TodoSet:
		if !f.replay {
			f.todo(e.Items)
		}
	case *event.ModelSet:
		f.window = e.Context
	case *event.StepEnd:
		f.step(e)
	case *event.Renamed:
		f.title(e.Title)
	case *event.TurnEnd:
		f.turnEnd(e)
	default:
		if text := noteOf(e); text != "" && !f.replay {
			f.note(text)
		}
	}
}

// noteOf returns the note to the user about an event; empty for none.
func noteOf(e event.Event) string {
	switch e := e.(type) {
	case event.Notice:
		return e.Text
	case event.Retrying:
		return fmt.Sprintf("%s. Retrying %s (attempt %d).", strings.TrimRight(e.Error, "."), phrase.In(e.In), e.Attempt)
	case event.Opened:
		return strings.Join(e.Problems, "\n\n")
	case *event.Compacted:
		return fmt.Sprintf("Compacted the model's context: about %d tokens saved.", e.Saved)
	case *event.FilesChanged:
		var lost []string
		for _, l := range e.Lost {
			lost = append(lost, "This change cannot be undone: "+strings.TrimPrefix(l.Path+": ", ": ")+l.Why)
		}
		return strings.Join(lost, "\n\n")
	case *event.Undone:
		return undone(e)
	case *event.DelegateEnd:
		if e.Background && e.Reason == event.Done {
			return event.DelegateLabel(e.Name, e.ID) + " is done."
		}
		if e.Background {
			return event.DelegateLabel(e.Name, e.ID) + " ended early: " + strings.TrimSpace(e.Error)
		}
	}
	return ""
}

// waits reports whether text or output waits for flush.
func (f *feed) waits() bool { return f.pending.Len() > 0 || len(f.dirty) > 0 }

// flush sends the collected text and output.
func (f *feed) flush() {
	f.flushText()
	for _, id := range f.dirty {
		if c := f.calls[id]; c != nil {
			f.send(acp.UpdateToolCall(acp.ToolCallId(id), acp.WithUpdateContent(c.content())))
		}
	}
	f.dirty = nil
}

// flushText sends the collected text.
func (f *feed) flushText() {
	if f.pending.Len() == 0 {
		return
	}
	text := f.pending.String()
	f.pending.Reset()
	id := f.last.reply + "/" + strconv.Itoa(f.last.index)
	var u acp.SessionUpdate
	if f.last.thinking {
		u = acp.UpdateAgentThoughtText(text)
		u.AgentThoughtChunk.MessageId = &id
	} else {
		u = acp.UpdateAgentMessageText(text)
		u.AgentMessageChunk.MessageId = &id
	}
	f.send(u)
	f.spoke = !f.last.thinking
}

// update flushes and sends an update that is not text.
func (f *feed) update(u acp.SessionUpdate) {
	f.flush()
	f.spoke = false
	f.send(u)
}

// text collects text of a message. A new message begins a new paragraph.
func (f *feed) text(of piece, text string) {
	if text == "" {
		return
	}
	if of != f.last {
		f.flushText()
		if f.spoke && !of.thinking { // for editors that ignore the ID of the message
			text = "\n\n" + text
		}
	}
	f.last = of
	f.pending.WriteString(clean(text))
}

// note sends text to the user that is not the model's, as a quotation in Markdown.
func (f *feed) note(text string) {
	f.flush()
	f.whole++
	f.text(piece{reply: "note", index: f.whole}, "> "+strings.ReplaceAll(strings.TrimSpace(text), "\n", "  \n> "))
	f.flush()
}

// stream takes a piece of a reply.
func (f *feed) stream(e event.Streamed) {
	of, text := piece{reply: e.Reply}, ""
	switch d := e.Delta.(type) {
	case llm.TextDelta:
		of.index, text = d.Index, d.Text
	case llm.ThinkingDelta:
		of.index, text, of.thinking = d.Index, d.Text, true
	default:
		return
	}
	f.text(of, text)
	f.streamOf(of).text.WriteString(text)
}

// streamOf returns the text that streamed for the reply and kind of a piece.
func (f *feed) streamOf(of piece) *streamed {
	of.index = 0
	if f.streamed[of] == nil {
		f.streamed[of] = &streamed{}
	}
	return f.streamed[of]
}

// message takes a finished message of the model and sends the part of it that did not
// stream.
func (f *feed) message(m llm.Message) {
	switch m.Kind {
	case llm.ToolCall:
		if !m.Cut && !f.replay {
			f.called(m)
		}
		return
	case llm.WebSearch:
		if m.Search != nil {
			f.note(clean(m.Search.Text()))
		}
		return
	case llm.Assistant, llm.Thinking:
		defer f.sources(m)
	default:
		return
	}
	of := piece{reply: m.Reply, thinking: m.Kind == llm.Thinking}
	s := f.streamOf(of)
	sent := s.text.String()[s.used:]
	rest, isRest := strings.CutPrefix(m.Text, sent)
	switch {
	case strings.HasPrefix(sent, m.Text):
		s.used += len(m.Text)
		return
	case !isRest:
		s.used += len(sent)
		return
	case sent == "":
		f.whole++
		of.index = -f.whole
	default:
		of.index = f.last.index
	}
	s.used += len(sent)
	f.text(of, rest)
}

// sources sends the pages that a finished message cites.
func (f *feed) sources(m llm.Message) {
	if text := strings.TrimPrefix(m.WithSources(), m.Text); text != "" {
		f.whole++
		f.text(piece{reply: m.Reply, index: -f.whole}, strings.TrimLeft(text, "\n"))
	}
}

// user takes a message of the user.
func (f *feed) user(e *event.UserSaid) {
	if e.Auto {
		return
	}
	if !f.titled && !f.quiet {
		f.title(records.FirstWords(e.Text))
	}
	if !f.replay {
		return
	}
	text := clean(e.Text)
	if n := len(e.Images); n > 0 {
		text += "\n\n(" + phrase.Count(n, "image") + ")"
	}
	f.update(acp.UpdateUserMessageText(text))
}

// title sends the title of the session.
func (f *feed) title(text string) {
	text = clean(text)
	f.titled = true
	if !f.quiet && text != "" {
		f.update(acp.SessionUpdate{SessionInfoUpdate: &acp.SessionSessionInfoUpdate{Title: &text}})
	}
}

// mode sends the permission mode.
func (f *feed) mode(m event.Mode) {
	if !f.quiet {
		f.update(acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: acp.SessionModeId(m)}})
	}
}

// todo sends the plan of the model.
func (f *feed) todo(items []event.TodoItem) {
	if len(items) == 0 && f.replay {
		return
	}
	states := map[event.TodoState]acp.PlanEntryStatus{
		event.TodoPending: acp.PlanEntryStatusPending, event.TodoActive: acp.PlanEntryStatusInProgress, event.TodoDone: acp.PlanEntryStatusCompleted,
	}
	entries := []acp.PlanEntry{}
	for _, i := range items {
		entries = append(entries, acp.PlanEntry{Content: clean(i.Text), Priority: acp.PlanEntryPriorityMedium, Status: states[i.State]})
	}
	f.update(acp.UpdatePlan(entries...))
}

// step sends what the session uses after a step.
func (f *feed) step(e *event.StepEnd) {
	clear(f.streamed)
	if f.quiet {
		return
	}
	if e.Cost != nil {
		f.cost += *e.Cost
	} else {
		f.unpriced = true
	}
	if f.window == 0 || e.Usage.Total() == 0 {
		return
	}
	u := &acp.SessionUsageUpdate{Size: f.window, Used: e.Usage.Total()}
	if !f.unpriced {
		u.Cost = &acp.Cost{Amount: f.cost, Currency: "USD"}
	}
	f.update(acp.SessionUpdate{UsageUpdate: u})
}

// turnEnd sends what the user must know about the end of a turn, other than an error: that
// is the answer to the prompt.
func (f *feed) turnEnd(e *event.TurnEnd) {
	clear(f.streamed)
	if f.replay {
		return
	}
	if line := e.Evidence.Line(); line != "" {
		f.note(line)
	}
	switch e.Reason {
	case event.Done, event.UserInterrupt, event.ProviderError, event.LogError, event.BadAnswer, event.Blocked:
	default:
		f.note(strings.TrimSpace(e.Error + " " + event.WithoutKeys(e.Hint)))
	}
	f.flush()
	f.spoke = false
	if !f.quiet {
		at := e.Time.UTC().Format(time.RFC3339)
		f.send(acp.SessionUpdate{SessionInfoUpdate: &acp.SessionSessionInfoUpdate{UpdatedAt: &at}})
	}
}

// path returns a path of an event as an absolute path of the system.
func (f *feed) path(p string) string {
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(f.dir, p)
}

// undone describes an undo or a redo.
func undone(e *event.Undone) string {
	verb := "Undo"
	if e.Redo {
		verb = "Redo"
	}
	text := fmt.Sprintf("%s: %s restored.", verb, phrase.Count(len(e.Restored)+len(e.Merged), "file"))
	if n := len(e.Conflicts); n > 0 {
		text += fmt.Sprintf(" %s not restored, because others changed the same lines: %s.", phrase.Count(n, "file"), strings.Join(e.Conflicts, ", "))
	}
	for _, l := range e.Lost {
		text += " Not restored: " + strings.TrimPrefix(l.Path+": ", ": ") + l.Why + "."
	}
	for _, l := range e.Unsaved {
		text += " Content not kept: " + strings.TrimPrefix(l.Path+": ", ": ") + l.Why + "."
	}
	return text
}
