package acp

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// frame is the time for which streamed text and output are collected into one update.
const frame = time.Second / 30

// session is an open session. Its loop, a goroutine, takes the events of the agent and
// sends updates to the editor, in order.
type session struct {
	id      acp.SessionId
	opened  *Opened
	servers []acp.McpServer // of the editor
	dirs    []string        // further directories of the editor
	outbox  *screen.Outbox
	answers screen.Answers

	ctx    context.Context // ends when the session is closed
	stop   context.CancelFunc
	events chan event.Event
	work   chan func() // runs in the loop
	ended  chan struct{}
	side   sync.WaitGroup // the search for a model, and what a turn waits for

	// The fields below are owned by the loop.
	updates    *updates
	feed       *feed
	flush      *time.Timer // nil if nothing waits to be sent
	questions  *questions
	transcript loadedTranscript
	announced  []acp.AvailableCommand // the slash commands that the editor has; nil before announce

	choices *choices
	turns   turns
}

// loadedTranscript is the transcript of a session.
type loadedTranscript struct {
	count int // of its events, as in event.Opened
	todo  []event.TodoItem
	// loaded is closed once the agent has read the session, or could not. Then err says why.
	loaded  chan struct{}
	err     error
	replays bool // the transcript is sent once the session is read
}

// updates sends the updates of a session. Until the editor knows the session, it keeps them,
// because the editor would ignore them.
type updates struct {
	conn  *conn
	id    acp.SessionId
	known bool
	kept  []acp.SessionUpdate
}

func (us *updates) send(u acp.SessionUpdate) {
	if !us.known {
		us.kept = append(us.kept, u)
		return
	}
	_ = us.conn.Notify(acp.ClientMethodSessionUpdate, acp.SessionNotification{SessionId: us.id, Update: u})
}

// release sends the updates that were kept. From now on, none is kept.
func (us *updates) release() {
	us.known = true
	for _, u := range us.kept {
		us.send(u)
	}
	us.kept = nil
}

// newSession runs the agent of an open session. Known reports whether the editor knows the
// session already, because it has named its ID. With replay, the transcript of a resumed
// session is sent before what the agent reports next.
func newSession(c *conn, o *Opened, client acp.ClientCapabilities, known, replay bool) *session {
	s := &session{
		id: acp.SessionId(o.ID), updates: &updates{conn: c, id: acp.SessionId(o.ID), known: known}, opened: o,
		events: make(chan event.Event, 64), work: make(chan func()), ended: make(chan struct{}),
		transcript: loadedTranscript{loaded: make(chan struct{}), replays: replay},
	}
	if !o.Resumed {
		close(s.transcript.loaded)
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.feed = newFeed(o.Dir, s.updates.send)
	s.feed.window = o.Model.Context
	commands := make(chan event.Command)
	s.outbox = screen.NewOutbox(s.ctx, commands)
	s.turns.outbox = s.outbox
	s.choices = &choices{opened: o, outbox: s.outbox, answers: &s.answers, ended: s.ended, mode: o.Mode, model: o.Model}
	s.questions = &questions{session: s.id, conn: c, client: client, feed: s.feed, ctx: s.ctx, cancel: s.cancel, open: map[string]context.CancelFunc{}}
	go o.Agent.Run(s.ctx, commands, s.events)
	go s.loop()
	if o.Search != nil {
		s.side.Go(func() { o.Search(s.ctx, commands) })
	}
	return s
}

// differs reports whether the session was opened with other MCP servers or directories. Nil
// stands for the present ones.
func (s *session) differs(servers []acp.McpServer, dirs []string) bool {
	return servers != nil && !reflect.DeepEqual(servers, s.servers) && len(servers)+len(s.servers) > 0 ||
		dirs != nil && !slices.Equal(dirs, s.dirs)
}

// close interrupts the turn, waits for the agent and releases the session.
func (s *session) close() {
	s.stop()
	<-s.ended
	s.questions.asking.Wait()
	s.side.Wait()
	s.opened.Close()
}

// do runs f in the loop and waits for it. It does nothing after the session was closed.
func (s *session) do(f func()) {
	done := make(chan struct{})
	select {
	case s.work <- func() { defer close(done); f() }:
		<-done
	case <-s.ended:
	}
}

// loop takes events until the agent has ended.
func (s *session) loop() {
	defer close(s.ended)
	for {
		var due <-chan time.Time
		if s.flush != nil {
			due = s.flush.C
		}
		select {
		case e, ok := <-s.events:
			if !ok {
				s.leave()
				return
			}
			s.safely(func() { s.handleEvent(e) })
		case f := <-s.work:
			s.safely(f)
		case <-s.opened.Changed:
			if s.announced != nil {
				s.safely(s.sendCommands)
			}
		case <-due:
			s.flush = nil
			s.feed.flush()
		}
		if s.feed.waits() && s.flush == nil {
			s.flush = time.NewTimer(frame)
		}
	}
}

// safely calls f. A panic is reported, and the session continues.
func (s *session) safely(f func()) {
	var err error
	defer s.updates.conn.recovered("session "+string(s.id), &err)
	f()
}

// leave ends the turn and the questions after the agent has ended.
func (s *session) leave() {
	s.feed.flush()
	s.questions.withdrawAll()
	s.turns.close()
}

// handleEvent handles an event of the agent.
func (s *session) handleEvent(e event.Event) {
	s.transcript.add(e)
	switch e := e.(type) {
	case event.Opened:
		s.feed.cost, s.feed.titled = e.Cost, len(e.Prompts) > 0
		s.choices.modeSet(event.Mode(e.Mode))
		if s.transcript.replays {
			s.transcript.err = s.replay()
		}
	case event.Asked:
		s.ask(e.Ask)
	case event.AskDone:
		s.questions.withdraw(e.ID)
	case *event.UserSaid:
		s.turns.took(e)
	case event.Unsent:
		s.turns.returned()
	case *event.ModeSet:
		s.choices.modeSet(event.Mode(e.Mode))
		s.feed.mode(event.Mode(e.Mode))
		s.sendOptions()
	case *event.ModelSet:
		s.choices.modelSet(*e)
		s.sendOptions()
	}
	s.feed.handleEvent(e)
	s.answers.Take(e)
	if end, ok := e.(*event.TurnEnd); ok {
		s.turns.turnEnd(end)
	}
}

// ask asks the user a question of the agent, and sends the answer.
func (s *session) ask(ask event.Ask) {
	s.feed.ask(ask)
	switch send := func(a event.Answer) { s.outbox.Send(a) }; {
	case ask.Form != nil && ask.Form.URL != "":
		s.questions.openPage(ask, send)
		return
	case ask.Form.AsksValue() && len(rowsOf(ask)) == 1: // only to decline
		send(event.Answer{ID: ask.ID, Decision: event.Refuse, Note: cannotType})
		return
	}
	s.questions.permission(ask, func(row *dialog.Row) { s.outbox.Send(answerOf(ask, row)) })
}

// add counts the events of the session, and keeps the plan of the model.
func (p *loadedTranscript) add(e event.Event) {
	switch e := e.(type) {
	case event.Opened:
		p.count, p.todo = e.Events, e.Todo
		close(p.loaded)
	case event.Unreadable:
		p.err = errors.New("the session cannot be read: " + clean(e.Why))
		close(p.loaded)
	case *event.Partial:
		return
	case *event.Rewound:
		p.count = e.Keep
		return
	case *event.TodoSet:
		p.todo = e.Items
	}
	if _, durable := e.(event.Durable); durable {
		p.count++
	}
}

// sendOptions sends the current values of the options.
func (s *session) sendOptions() {
	if !s.feed.quiet {
		s.feed.send(acp.SessionUpdate{ConfigOptionUpdate: &acp.SessionConfigOptionUpdate{ConfigOptions: s.choices.options(s.ctx)}})
	}
}

// restore waits until the session was read. With replay it sends the transcript.
func (s *session) restore(ctx context.Context, replay bool) error {
	select {
	case <-s.transcript.loaded:
	case <-s.ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	var err error
	s.do(func() {
		if err = s.transcript.err; err == nil && replay {
			err = s.replay()
		}
	})
	return err
}

// pageSize is the number of events that are read at a time for a replay.
const pageSize = 500

// replay sends the transcript of the session so far. It runs in the loop.
func (s *session) replay() error {
	feed := newFeed(s.opened.Dir, s.feed.send)
	feed.replay, feed.quiet = true, true
	for from := 0; from < s.transcript.count; from += pageSize {
		page, err := s.opened.Agent.Page(from, min(from+pageSize, s.transcript.count))
		if err != nil {
			return err
		}
		for _, e := range page {
			feed.handleEvent(e)
		}
		feed.flush()
	}
	feed.todo(s.transcript.todo)
	return nil
}

// announce sends what an editor gets after the answer that opened the session.
func (s *session) announce() {
	s.do(func() {
		s.updates.release()
		s.sendCommands()
		for _, text := range s.opened.Notices {
			s.feed.note(text)
		}
		s.opened.Notices = nil
		s.feed.flush()
	})
}

// prompt starts the turn of a prompt and returns the task that waits for its end.
func (s *session) prompt(blocks []acp.ContentBlock) (task, error) {
	waiting, t := s.turns.begin(s.ctx)
	if t == nil {
		return nil, acp.NewInvalidRequest(map[string]any{"error": "a prompt is already running in this session: wait for its answer, or cancel it first"})
	}
	command, err := s.commandOf(context.Background(), blocks)
	if err != nil {
		s.turns.finish(t, ending{err: err})
		return nil, err
	}
	switch c := command.(type) {
	case awaitedPrompt:
		s.side.Go(func() { s.await(waiting, t, c) })
	case event.PlanUndo:
		c.Ref = screen.Await(&s.answers, func(e event.Event) { s.planned(t, e) })
		s.turns.send(t, c)
	default:
		s.turns.send(t, c)
	}
	return func(ctx context.Context) (any, func(), error) {
		select {
		case end := <-t.ended:
			return end.response, nil, end.err
		case <-ctx.Done():
			s.cancel()
		}
		end := <-t.ended
		return end.response, nil, end.err
	}, nil
}

// cancel interrupts the turn that runs, also one that the agent started itself.
func (s *session) cancel() {
	if t := s.turns.cancel(); t != nil {
		s.side.Go(func() {
			s.do(s.questions.withdrawAll)
			s.turns.finish(t, stopped(acp.StopReasonCancelled))
		})
	}
}
