package headless

import (
	"context"
	"errors"
	"fmt"
	"os"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// noAnswer is the comment of a question that is rejected because the input has ended.
const noAnswer = "The input of the program has ended, so no user can answer."

// Conversation is a session that another program controls: it sends commands and reads
// events. It ends when the input has ended and the last turn is over.
type Conversation struct {
	Turn  // without a Prompt
	Input Input
}

// conversing is the state of a Conversation that runs.
type conversing struct {
	Conversation
	p    Printer
	out  *Output
	stop func() // ends the agent at once

	lines  chan received // nil after its end
	queue  []event.Command
	asks   map[string]event.Ask // the open questions by ID
	turn   Result               // of the turn that runs, or of the next one
	code   int                  // exit code of the last turn
	killed int                  // exit code of the signal that ends the program; 0 for none
}

// Run executes the commands of the input and prints the events with p, which writes to
// out. Its error holds the exit code: that of the last turn.
func (c Conversation) Run(p Printer, out *Output) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	signals := make(chan os.Signal, 4)
	running := c.Signals.Begin(exit.Forward(signals), true)
	defer running.End()

	commands, events := make(chan event.Command), make(chan event.Event, 64)
	go c.Agent.Run(ctx, commands, events)
	expiring, cancel := context.WithCancel(context.Background())
	defer cancel()
	expired := c.Expire(expiring)

	s := &conversing{Conversation: c, p: p, out: out, stop: stop, lines: make(chan received), asks: map[string]event.Ask{}, turn: c.result()}
	go c.Input.read(ctx, s.lines) // may run until the process exits, because a read cannot be cancelled
	for events != nil {
		lines, next, to := s.ready(commands)
		select {
		case sig := <-signals:
			s.signal(exit.SignalCode(sig))
		case r, ok := <-lines:
			s.receive(r, ok)
		case to <- next:
			s.queue = s.queue[1:]
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			s.event(e)
		case text, ok := <-expired:
			if !ok {
				expired = nil
				continue
			}
			p.Event(event.Notice{Text: text})
		}
	}
	cancel()
	if expired != nil {
		for range expired { // wait for the end of Expire
		}
	}
	if s.killed != 0 {
		s.code = s.killed
	}
	return c.outcome(s.code, out)
}

// ready returns the input if another line can be handled, and the next command with the
// channel to send it to.
func (s *conversing) ready(commands chan<- event.Command) (<-chan received, event.Command, chan<- event.Command) {
	if len(s.queue) == 0 {
		return s.lines, nil, nil
	}
	return nil, s.queue[0], commands
}

// signal interrupts the turn and ends the program, the second time without waiting.
func (s *conversing) signal(code int) {
	if s.killed != 0 {
		s.stop()
		return
	}
	s.killed = code
	s.queue = append(s.queue, event.Interrupt{})
	s.end()
}

// end stops reading the input. It rejects open questions, and lets the agent end with the
// last turn.
func (s *conversing) end() {
	if s.lines == nil {
		return
	}
	s.lines = nil
	for id := range s.asks {
		s.reject(id)
	}
	s.queue = append(s.queue, event.Finish{})
}

// reject rejects a question that nobody can answer.
func (s *conversing) reject(id string) {
	s.turn.run.denied.add(s.asks[id].Effect)
	delete(s.asks, id)
	s.queue = append(s.queue, event.Answer{ID: id, Decision: event.Refuse, Note: noAnswer})
}

// receive handles a line of the input, or its end.
func (s *conversing) receive(r received, ok bool) {
	if !ok {
		s.end()
		return
	}
	if a, isAnswer := r.command.(event.Answer); isAnswer && r.err == nil {
		if r.err = s.check(a); r.err == nil {
			delete(s.asks, a.ID)
		}
	}
	if r.err != nil {
		_ = command.WriteLine(s.out, badLine{Type: "error", Line: r.line, Error: r.err.Error()})
		return
	}
	s.queue = append(s.queue, r.command)
}

// check returns an error if an answer does not fit an open question, which then stays open.
func (s *conversing) check(a event.Answer) error {
	ask, open := s.asks[a.ID]
	if !open {
		return fmt.Errorf("answer: no question with the ID %.100q is open", a.ID)
	}
	for _, i := range a.Choices {
		if a.Decision == event.Answered && (i < 0 || i >= len(ask.Choices)) {
			return fmt.Errorf("answer: there is no choice %d: the question has %s, numbered from 0", i, phrase.Count(len(ask.Choices), "choice"))
		}
	}
	if ask.Form == nil || a.Decision == event.Refuse {
		return nil
	}
	switch answered := a.Decision == event.Answered; {
	case ask.Form.URL != "" && answered:
		return errors.New("answer: the question is about a page: use the decision allow or refuse")
	case ask.Form.URL == "" && !answered:
		return errors.New("answer: the question is about a value: use the decision answer or refuse")
	}
	return nil
}

// event prints an event and updates the state.
func (s *conversing) event(e event.Event) {
	s.p.Event(e)
	if s.killed == 0 && s.out.closed() {
		s.signal(exit.OutputClosed)
	}
	switch e := e.(type) {
	case event.Asked:
		if s.asks[e.Ask.ID] = e.Ask; s.lines == nil {
			s.reject(e.Ask.ID)
		}
	case event.AskDone:
		delete(s.asks, e.ID)
	case *event.ModelSet:
		s.Model, s.turn.Model = e.Model, e.Model
	}
	if s.turn.Add(e) {
		s.turn.finish(s.Schema, 0)
		s.code = s.turn.ExitCode
		s.p.End(s.turn)
		s.turn = s.result()
	}
}
