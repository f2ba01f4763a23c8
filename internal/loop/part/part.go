// Package part makes an agent out of what each feature adds to it. A session has one list of
// parts; its order is the order in which the parts see a tool call. Start reading at List.For.
package part

import (
	"slices"

	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// Agent is an agent that parts add something to: the main agent of a session, or a delegate.
type Agent struct {
	Workspace *workspace.Workspace
	Commands  tools.Commands    // in Workspace
	Ledger    *workspace.Ledger // the files that the model has read
	Number    int               // of a delegate, from 1; 0 for the main agent
	// Isolated is set for a delegate in a git worktree of its own: what it changes there is
	// not in the workspace of the session yet.
	Isolated bool
}

// Part is what one feature adds to the agents of a session. Its methods can be called on a
// nil pointer if the feature is turned off.
type Part interface {
	For(Agent) (Added, error)
	// Close releases what the part holds for the session, and returns messages for the user.
	Close() []string
}

// Func is a part that holds nothing.
type Func func(Agent) (Added, error)

// For returns what the part adds to a.
func (f Func) For(a Agent) (Added, error) { return f(a) }

// Close does nothing.
func (f Func) Close() []string { return nil }

// Added is what a part adds to an agent. Each field may be nil.
type Added struct {
	Tools     []tools.Tool
	Arguments tools.ArgumentsInterceptor
	Check     tools.CheckInterceptor
	Around    tools.RunInterceptor
	Listen    func(event.Event) // as in loop.Options
	// Instructions and Notes are Instructions and InstructionNotes of loop.PromptOptions. At
	// most one part has them.
	Instructions func(window int) (text string, files []event.InstructionFile)
	Notes        func() (notes, notices []string)
	Notices      <-chan string // for the user
	Close        func()        // of this agent
}

// List is the parts of a session. The first one sees the result of a call last, and is closed
// last.
type List []Part

// Sum is what all parts add to an agent.
type Sum struct {
	Tools        []tools.Tool
	Interceptors tools.Interceptors
	Instructions func(window int) (text string, files []event.InstructionFile)
	Notes        func() (notes, notices []string)
	Notices      []<-chan string

	listen []func(event.Event)
	close  []func()
}

// For returns what the parts add to a. The caller closes it, also after an error.
func (l List) For(a Agent) (s Sum, err error) {
	for _, p := range l {
		added, err := p.For(a)
		if err != nil {
			return s, err
		}
		s.add(added)
	}
	return s, nil
}

func (s *Sum) add(a Added) {
	s.Tools = append(s.Tools, a.Tools...)
	if a.Arguments != nil {
		s.Interceptors.Arguments = append(s.Interceptors.Arguments, a.Arguments)
	}
	if a.Check != nil {
		s.Interceptors.Check = append(s.Interceptors.Check, a.Check)
	}
	if a.Around != nil {
		s.Interceptors.Around = append(s.Interceptors.Around, a.Around)
	}
	if a.Instructions != nil {
		s.Instructions = a.Instructions
	}
	if a.Notes != nil {
		s.Notes = a.Notes
	}
	if a.Notices != nil {
		s.Notices = append(s.Notices, a.Notices)
	}
	if a.Listen != nil {
		s.listen = append(s.listen, a.Listen)
	}
	if a.Close != nil {
		s.close = append(s.close, a.Close)
	}
}

// Listen passes an event to all parts that listen.
func (s Sum) Listen(e event.Event) {
	for _, listen := range s.listen {
		listen(e)
	}
}

// Close releases what the parts hold for the agent.
func (s Sum) Close() {
	for _, end := range slices.Backward(s.close) {
		end()
	}
}

// Close closes the parts and returns their messages for the user.
func (l List) Close() (messages []string) {
	for _, p := range slices.Backward(l) {
		messages = append(messages, p.Close()...)
	}
	return messages
}
