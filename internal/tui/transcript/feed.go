package transcript

import (
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Feed reduces events to the items of the transcript and to what the status
// line tells. A resumed session goes through it as a running one does.
type Feed struct {
	list *Transcript
	now  func() time.Time

	Model, Why string
	Effort     string  // of the model, empty where it is its own
	Host       string  // where its requests go, if that is not the provider's own address
	BaseURL    string  // the same as a whole URL, without secrets
	Context    int     // tokens of the model's window, 0 if unknown
	Used       int     // tokens of it that the last step took
	Cost       float64 // US dollars of the session, as far as prices are known
	Cut        bool    // the last answer was cut, and can go on
	Mode       string

	Todo []event.TodoItem
	Jobs []event.Job

	Running  bool
	Stopping bool
	Killing  bool      // asked a second time to stop
	Since    time.Time // of the turn

	Title   string             // that the person gave the session
	Prompts []event.PastPrompt // by the person, oldest first
	Recall  []string           // that the person sent, or did not, oldest first
	Pending []pending          // sent, and not yet in the conversation
	Answer  string             // the last one, whole
	Turns   int
	kept    int // events that the session was last rewound to

	tools  map[string]*Row // by the call's id
	calls  []*Row          // of the current reply, in order
	reply  string          // the current one
	open   []*preview      // its messages that still stream
	Shell  *Row            // the command of the person's that runs; nil if none does
	retry  *Row            // the last failed try, until something arrives
	failed *Retry
	files  tally // of this turn
}

// pending is a prompt that waits to be taken into the conversation.
type pending struct {
	Text   string
	Steers bool // a turn ran when it was sent
}

// preview is a message that is not whole yet.
type preview struct {
	kind  llm.Kind
	index int    // in the reply
	row   *Row   // the last of its rows, which grows
	ended []*Row // those before it, of a long answer
	cut   Cutter // of that answer
}

// rows returns all rows of the message.
func (p *preview) rows() []*Row { return append(p.ended[:len(p.ended):len(p.ended)], p.row) }

func NewFeed(list *Transcript, now func() time.Time) *Feed {
	return &Feed{list: list, now: now, tools: map[string]*Row{}, files: tally{}}
}

// Apply takes the next event. A loop.Partial is passed over: what it holds was
// shown as it streamed, and comes once more as a finished message.
func (f *Feed) Apply(ev event.Event) {
	f.count(ev)
	switch ev := ev.(type) {
	case *event.UserSaid:
		f.userSaid(ev)
	case *event.MessageDone:
		f.messageDone(ev.Message)
	case *event.Decided:
		f.decided(ev)
	case *event.ToolStart:
		f.call(ev.ID, func(t *Tool) { t.start(ev, f.now()) })
	case *event.ToolEnd:
		f.toolEnd(ev)
	case *event.TodoSet:
		f.todoSet(ev)
	case *event.StepEnd:
		f.stepEnd(ev)
	case *event.TurnEnd:
		f.turnEnd(ev)
	case *event.ModelSet:
		f.Model, f.Why, f.Context, f.Effort = ev.Model, ev.Why, ev.Context, ev.Effort
		f.Host, f.BaseURL = ev.Host, ev.BaseURL
	case *event.ModeSet:
		f.Mode = ev.Mode
	case *event.Renamed:
		f.Title = ev.Title
		f.list.put(&Closing{"this session is called " + ink.Quoted(ev.Title)})
	case *event.Compacted:
		f.compacted(ev)
	case event.Streamed:
		f.streamed(ev)
	case *event.ShellStart, *event.ShellEnd:
		f.shell(ev)
	case event.Progress:
		f.shell(ev)
		if r := f.tools[ev.ID]; r != nil {
			r.Item.(*Tool).progress(ev.Text)
			r.Touch()
		}
	case event.Asked:
		f.asked(ev.Ask)
	case event.JobsNow:
		f.Jobs = ev.Jobs
	case event.Retrying:
		f.retrying(ev)
	case event.Notice:
		f.list.Add(&Notice{ev.Text})
	case event.Unsent:
		f.Pending = slices.DeleteFunc(f.Pending, func(p pending) bool { return p.Text == ev.Text })
	}
}

func (f *Feed) userSaid(ev *event.UserSaid) {
	if ev.Auto {
		f.list.put(&Notice{ev.Text})
		return
	}
	if i := slices.IndexFunc(f.Pending, func(p pending) bool { return p.Text == ev.Text }); i >= 0 {
		f.Pending = f.Pending[i+1:]
	}
	f.Recall = append(f.Recall, ev.Text)
	f.Prompts = append(f.Prompts, event.PastPrompt{Text: ev.Text, Time: ev.Time, At: f.list.Events() - 1, Steered: ev.Steered})
	f.list.put(&Prompt{Text: ev.Text})
	if ev.Steered {
		return
	}
	f.Turns++
	f.begin()
}

// count takes note of a durable event, with which a page may begin.
func (f *Feed) count(ev event.Event) {
	bytes := 0
	switch ev := ev.(type) {
	case *event.Partial, *event.Rewound:
		return
	case *event.UserSaid:
		if !ev.Steered && !ev.Auto {
			f.settle()
			f.bound(false)
			f.list.turn = f.list.Events()
		}
		bytes = len(ev.Text)
	case *event.MessageDone:
		bytes = len(ev.Message.Text)
	case *event.ToolEnd:
		bytes = len(ev.Result.Text)
	case event.Durable:
	default:
		return
	}
	f.list.count(bytes)
}

// begin marks the beginning of a turn, as soon as it is wanted.
func (f *Feed) begin() {
	if !f.Running {
		f.Since = f.now()
	}
	f.Running, f.Stopping, f.Killing, f.Cut = true, false, false, false
	clear(f.files)
}

// PromptSent takes a prompt that was handed to the agent.
func (f *Feed) PromptSent(text string) {
	f.Pending = append(f.Pending, pending{text, f.Running})
	if !f.Running {
		f.begin()
	}
}

// nextReply makes reply the current one. What an earlier one left unfinished was a
// try that failed.
func (f *Feed) nextReply(reply string) {
	f.arrived()
	if reply == f.reply {
		return
	}
	f.dropOpen()
	f.reply, f.calls = reply, nil
}

// dropOpen takes away what still streams.
func (f *Feed) dropOpen() {
	for _, p := range f.open {
		for _, r := range p.rows() {
			f.list.remove(r)
		}
		f.calls = slices.DeleteFunc(f.calls, func(r *Row) bool { return r == p.row })
	}
	f.open = nil
}

// arrived takes the note of a failed try away.
func (f *Feed) arrived() {
	if f.retry != nil {
		f.list.remove(f.retry)
		f.retry, f.failed = nil, nil
	}
}

// streamed takes a piece of a reply. Once the turn is to stop, pieces are passed
// over: what came of the reply is told again as finished messages.
func (f *Feed) streamed(ev event.Streamed) {
	f.nextReply(ev.Reply)
	if f.Stopping {
		return
	}
	switch d := ev.Delta.(type) {
	case llm.TextDelta:
		f.answering(f.streaming(llm.Assistant, d.Index), d.Text)
	case llm.ThinkingDelta:
		r := f.streaming(llm.Thinking, d.Index).row
		r.Item.(*thinking).text.WriteString(d.Text)
		r.Touch()
	case llm.CallDelta:
		r := f.streaming(llm.ToolCall, d.Index).row
		t := r.Item.(*Tool)
		if t.Title == "" {
			t.Title = d.Name
		}
		t.written += len(d.Args)
		r.Touch()
	}
}

// answering adds text to an answer that streams. What is drawn of a long one is
// only its last part: the parts before it have rows of their own.
func (f *Feed) answering(p *preview, text string) {
	for len(text) > partBytes { // a large piece would be copied with each part of it
		f.answeringPiece(p, text[:partBytes])
		text = text[partBytes:]
	}
	f.answeringPiece(p, text)
}

// answeringPiece adds a piece of at most partBytes.
func (f *Feed) answeringPiece(p *preview, text string) {
	a := p.row.Item.(*answer)
	a.text.WriteString(text)
	for {
		done, rest, ok := p.cut.Next(a.text.String())
		if !ok {
			break
		}
		a.finish(done)
		p.row.Touch()
		if n := len(p.ended); n > 0 { // it is far above the window by now
			p.ended[n-1].Item.(*answer).release()
			p.ended[n-1].release()
		}
		p.ended = append(p.ended, p.row)
		a = &answer{head: p.cut.head, joins: p.cut.joins, plain: p.cut.within}
		a.text.WriteString(rest)
		p.row = f.list.putAfter(p.row, a)
	}
	p.row.Touch()
}

// streaming returns the message that streams at index, a new one if there is
// none.
func (f *Feed) streaming(kind llm.Kind, index int) *preview {
	for _, p := range f.open {
		if p.kind == kind && p.index == index {
			return p
		}
	}
	for _, p := range f.open { // the model has gone on to something else
		if it, ok := p.row.Item.(*thinking); ok && !it.done {
			it.done = true
			p.row.Touch()
		}
	}
	p := &preview{kind: kind, index: index, row: f.addMessage(kind)}
	f.open = append(f.open, p)
	return p
}

// addMessage adds an empty item for a message of the current reply.
func (f *Feed) addMessage(kind llm.Kind) *Row {
	switch kind {
	case llm.Thinking:
		return f.list.put(&thinking{})
	case llm.ToolCall:
		t := &Tool{reply: f.reply}
		if rows := f.list.last().Rows; len(rows) > 0 && len(f.calls) > 0 {
			t.joins = rows[len(rows)-1] == f.calls[len(f.calls)-1]
		}
		r := f.list.put(t)
		f.calls = append(f.calls, r)
		return r
	}
	return f.list.put(&answer{})
}

// messageDone puts a finished message in the place of its preview.
func (f *Feed) messageDone(m llm.Message) {
	f.nextReply(m.Reply)
	if m.Kind != llm.ToolCall && strings.TrimSpace(m.Text) == "" {
		return
	}
	p := f.finished(m.Kind)
	r := p.row
	r.tellsOf(f.list.Events() - 1)
	switch it := r.Item.(type) {
	case *answer:
		f.finishAnswer(p.rows(), m)
	case *thinking:
		it.finish(m.Text)
	case *Tool:
		it.id, it.Title, it.Stage = m.ID, m.Name, waiting
		f.tools[m.ID] = r
	}
	r.Touch()
}

// finishAnswer makes the text of m an answer's, which is a row for each part of
// a long text. Rows are those that it has so far.
func (f *Feed) finishAnswer(rows []*Row, m llm.Message) {
	f.Answer = m.Text
	parts := MarkdownParts(m.Text)
	for len(rows) > len(parts) {
		f.list.remove(rows[len(rows)-1])
		rows = rows[:len(rows)-1]
	}
	var r *Row
	for i, part := range parts {
		if i < len(rows) {
			r = rows[i]
		} else {
			r = f.list.putAfter(r, &answer{})
		}
		it := r.Item.(*answer)
		it.finish(part)
		it.cut = m.Cut && i == len(parts)-1
		r.tellsOf(f.list.Events() - 1)
		r.Touch()
	}
}

// finished returns the first message of kind that still streams, and forgets that
// it does; a new one if there is none.
func (f *Feed) finished(kind llm.Kind) *preview {
	for i, p := range f.open {
		if p.kind == kind {
			f.open = slices.Delete(f.open, i, i+1)
			return p
		}
	}
	return &preview{kind: kind, row: f.addMessage(kind)}
}
