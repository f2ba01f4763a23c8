package tui

import (
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// feed reduces events to the items of the transcript and to what the status
// line tells. A resumed session goes through it as a running one does.
type feed struct {
	list *transcript
	now  func() time.Time

	model, why string
	effort     string  // of the model, empty where it is its own
	host       string  // where its requests go, if that is not the provider's own address
	baseURL    string  // the same as a whole URL, without secrets
	context    int     // tokens of the model's window, 0 if unknown
	used       int     // tokens of it that the last step took
	cost       float64 // US dollars of the session, as far as prices are known
	cut        bool    // the last answer was cut, and can go on
	mode       string

	todo []event.TodoItem
	jobs []event.Job

	running  bool
	stopping bool
	killing  bool      // asked a second time to stop
	since    time.Time // of the turn

	title   string             // that the person gave the session
	said    []event.PastPrompt // by the person, oldest first
	prompts []string           // that the person sent, or did not, oldest first
	pending []pending          // sent, and not yet in the conversation
	answer  string             // the last one, whole
	turns   int
	kept    int // events that the session was last rewound to

	tools  map[string]*row // by the call's id
	calls  []*row          // of the current reply, in order
	reply  string          // the current one
	open   []*preview      // its messages that still stream
	typed  *row            // the command of the person's that runs; nil if none does
	retry  *row            // the last failed try, until something arrives
	failed *retry
	files  tally // of this turn
}

// pending is a prompt that waits to be taken into the conversation.
type pending struct {
	text   string
	steers bool // a turn ran when it was sent
}

// preview is a message that is not whole yet.
type preview struct {
	kind  llm.Kind
	index int    // in the reply
	row   *row   // the last of its rows, which grows
	ended []*row // those before it, of a long answer
	cut   cutter // of that answer
}

// rows returns all rows of the message.
func (p *preview) rows() []*row { return append(p.ended[:len(p.ended):len(p.ended)], p.row) }

func newFeed(list *transcript, now func() time.Time) *feed {
	return &feed{list: list, now: now, tools: map[string]*row{}, files: tally{}}
}

// apply takes the next event. A loop.Partial is passed over: what it holds was
// shown as it streamed, and comes once more as a finished message.
func (f *feed) apply(ev event.Event) {
	f.count(ev)
	switch ev := ev.(type) {
	case *event.UserSaid:
		f.userSaid(ev)
	case *event.MessageDone:
		f.messageDone(ev.Message)
	case *event.Decided:
		f.decided(ev)
	case *event.ToolStart:
		f.call(ev.ID, func(t *tool) { t.start(ev, f.now()) })
	case *event.ToolEnd:
		f.toolEnd(ev)
	case *event.TodoSet:
		f.todoSet(ev)
	case *event.StepEnd:
		f.stepEnd(ev)
	case *event.TurnEnd:
		f.turnEnd(ev)
	case *event.ModelSet:
		f.model, f.why, f.context, f.effort = ev.Model, ev.Why, ev.Context, ev.Effort
		f.host, f.baseURL = ev.Host, ev.BaseURL
	case *event.ModeSet:
		f.mode = ev.Mode
	case *event.Renamed:
		f.title = ev.Title
		f.list.put(&ending{"this session is called " + ink.Quoted(ev.Title)})
	case *event.Compacted:
		f.compacted(ev)
	case event.Streamed:
		f.streamed(ev)
	case *event.ShellStart, *event.ShellEnd:
		f.shell(ev)
	case event.Progress:
		f.shell(ev)
		if r := f.tools[ev.ID]; r != nil {
			r.item.(*tool).progress(ev.Text)
			r.touch()
		}
	case event.Asked:
		f.asked(ev.Ask)
	case event.JobsNow:
		f.jobs = ev.Jobs
	case event.Retrying:
		f.retrying(ev)
	case event.Notice:
		f.list.add(&notice{ev.Text})
	case event.Unsent:
		f.pending = slices.DeleteFunc(f.pending, func(p pending) bool { return p.text == ev.Text })
	}
}

func (f *feed) userSaid(ev *event.UserSaid) {
	if ev.Auto {
		f.list.put(&notice{ev.Text})
		return
	}
	if i := slices.IndexFunc(f.pending, func(p pending) bool { return p.text == ev.Text }); i >= 0 {
		f.pending = f.pending[i+1:]
	}
	f.prompts = append(f.prompts, ev.Text)
	f.said = append(f.said, event.PastPrompt{Text: ev.Text, Time: ev.Time, At: f.list.events() - 1, Steered: ev.Steered})
	f.list.put(&user{text: ev.Text})
	if ev.Steered {
		return
	}
	f.turns++
	f.begin()
}

// count takes note of a durable event, with which a page may begin.
func (f *feed) count(ev event.Event) {
	bytes := 0
	switch ev := ev.(type) {
	case *event.Partial, *event.Rewound:
		return
	case *event.UserSaid:
		if !ev.Steered && !ev.Auto {
			f.settle()
			f.bound(false)
			f.list.turn = f.list.events()
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
func (f *feed) begin() {
	if !f.running {
		f.since = f.now()
	}
	f.running, f.stopping, f.killing, f.cut = true, false, false, false
	clear(f.files)
}

// sent takes a prompt that was handed to the agent.
func (f *feed) sent(text string) {
	f.pending = append(f.pending, pending{text, f.running})
	if !f.running {
		f.begin()
	}
}

// next makes reply the current one. What an earlier one left unfinished was a
// try that failed.
func (f *feed) next(reply string) {
	f.arrived()
	if reply == f.reply {
		return
	}
	f.dropOpen()
	f.reply, f.calls = reply, nil
}

// dropOpen takes away what still streams.
func (f *feed) dropOpen() {
	for _, p := range f.open {
		for _, r := range p.rows() {
			f.list.remove(r)
		}
		f.calls = slices.DeleteFunc(f.calls, func(r *row) bool { return r == p.row })
	}
	f.open = nil
}

// arrived takes the note of a failed try away.
func (f *feed) arrived() {
	if f.retry != nil {
		f.list.remove(f.retry)
		f.retry, f.failed = nil, nil
	}
}

// streamed takes a piece of a reply. Once the turn is to stop, pieces are passed
// over: what came of the reply is told again as finished messages.
func (f *feed) streamed(ev event.Streamed) {
	f.next(ev.Reply)
	if f.stopping {
		return
	}
	switch d := ev.Delta.(type) {
	case llm.TextDelta:
		f.answering(f.streaming(llm.Assistant, d.Index), d.Text)
	case llm.ThinkingDelta:
		r := f.streaming(llm.Thinking, d.Index).row
		r.item.(*thinking).text.WriteString(d.Text)
		r.touch()
	case llm.CallDelta:
		r := f.streaming(llm.ToolCall, d.Index).row
		t := r.item.(*tool)
		if t.title == "" {
			t.title = d.Name
		}
		t.written += len(d.Args)
		r.touch()
	}
}

// answering adds text to an answer that streams. What is drawn of a long one is
// only its last part: the parts before it have rows of their own.
func (f *feed) answering(p *preview, text string) {
	for len(text) > partBytes { // a large piece would be copied with each part of it
		f.answeringPiece(p, text[:partBytes])
		text = text[partBytes:]
	}
	f.answeringPiece(p, text)
}

// answeringPiece adds a piece of at most partBytes.
func (f *feed) answeringPiece(p *preview, text string) {
	a := p.row.item.(*answer)
	a.text.WriteString(text)
	for {
		done, rest, ok := p.cut.next(a.text.String())
		if !ok {
			break
		}
		a.finish(done)
		p.row.touch()
		if n := len(p.ended); n > 0 { // it is far above the window by now
			p.ended[n-1].item.(*answer).release()
			p.ended[n-1].release()
		}
		p.ended = append(p.ended, p.row)
		a = &answer{head: p.cut.head, joins: p.cut.joins, plain: p.cut.within}
		a.text.WriteString(rest)
		p.row = f.list.putAfter(p.row, a)
	}
	p.row.touch()
}

// streaming returns the message that streams at index, a new one if there is
// none.
func (f *feed) streaming(kind llm.Kind, index int) *preview {
	for _, p := range f.open {
		if p.kind == kind && p.index == index {
			return p
		}
	}
	for _, p := range f.open { // the model has gone on to something else
		if it, ok := p.row.item.(*thinking); ok && !it.done {
			it.done = true
			p.row.touch()
		}
	}
	p := &preview{kind: kind, index: index, row: f.addMessage(kind)}
	f.open = append(f.open, p)
	return p
}

// addMessage adds an empty item for a message of the current reply.
func (f *feed) addMessage(kind llm.Kind) *row {
	switch kind {
	case llm.Thinking:
		return f.list.put(&thinking{})
	case llm.ToolCall:
		t := &tool{reply: f.reply}
		if rows := f.list.last().rows; len(rows) > 0 && len(f.calls) > 0 {
			t.joins = rows[len(rows)-1] == f.calls[len(f.calls)-1]
		}
		r := f.list.put(t)
		f.calls = append(f.calls, r)
		return r
	}
	return f.list.put(&answer{})
}

// messageDone puts a finished message in the place of its preview.
func (f *feed) messageDone(m llm.Message) {
	f.next(m.Reply)
	if m.Kind != llm.ToolCall && strings.TrimSpace(m.Text) == "" {
		return
	}
	p := f.finished(m.Kind)
	r := p.row
	r.tellsOf(f.list.events() - 1)
	switch it := r.item.(type) {
	case *answer:
		f.finishAnswer(p.rows(), m)
	case *thinking:
		it.finish(m.Text)
	case *tool:
		it.id, it.title, it.stage = m.ID, m.Name, waiting
		f.tools[m.ID] = r
	}
	r.touch()
}

// finishAnswer makes the text of m an answer's, which is a row for each part of
// a long text. Rows are those that it has so far.
func (f *feed) finishAnswer(rows []*row, m llm.Message) {
	f.answer = m.Text
	parts := markdownParts(m.Text)
	for len(rows) > len(parts) {
		f.list.remove(rows[len(rows)-1])
		rows = rows[:len(rows)-1]
	}
	var r *row
	for i, part := range parts {
		if i < len(rows) {
			r = rows[i]
		} else {
			r = f.list.putAfter(r, &answer{})
		}
		it := r.item.(*answer)
		it.finish(part)
		it.cut = m.Cut && i == len(parts)-1
		r.tellsOf(f.list.events() - 1)
		r.touch()
	}
}

// finished returns the first message of kind that still streams, and forgets that
// it does; a new one if there is none.
func (f *feed) finished(kind llm.Kind) *preview {
	for i, p := range f.open {
		if p.kind == kind {
			f.open = slices.Delete(f.open, i, i+1)
			return p
		}
	}
	return &preview{kind: kind, row: f.addMessage(kind)}
}
