package loop

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"sync/atomic"

	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

// userShell runs the commands that the user types, one at a time, in the background.
type userShell struct {
	prepare      func(line string, join bool) (tools.Call, error) // nil: commands cannot be run
	interceptors tools.Interceptors
	rec          *recorder
	ended        func(id string) // called after a ShellEnd
	background   *sync.WaitGroup
	running      atomic.Pointer[interrupter] // nil if no command runs
	unfinished   atomic.Int64                // commands whose end has not been reported completely
	over         chan struct{}               // receives a value when that changes to 0; holds one
}

// busy reports whether a command runs or its end is being reported.
func (s *userShell) busy() bool { return s.unfinished.Load() > 0 }

// start prepares and starts a command. If it cannot, it emits a NotRun.
func (s *userShell) start(c event.RunShell) {
	reject := func(why string) { _ = s.rec.emit(event.NotRun{Line: c.Line, Join: c.Join, Why: why}) }
	if s.prepare == nil {
		reject("shell commands are not available")
		return
	}
	call, err := s.prepare(c.Line, c.Join)
	if err != nil {
		reject(err.Error())
		return
	}
	ctx, stop := context.WithCancel(context.Background()) // canceled by interrupt; Agent.Run interrupts at its end
	i := newInterrupter(stop)
	if !s.running.CompareAndSwap(nil, i) {
		stop()
		reject("another command of yours is still running")
		return
	}
	start := &event.ShellStart{Meta: s.rec.meta(), ID: "typed-" + strings.ToLower(rand.Text()), Line: c.Line, Join: c.Join}
	if err := s.rec.emit(start); err != nil {
		call.Run = func(context.Context, tools.Approved) (tools.Result, error) {
			return tools.Result{Text: "[not run: the session could not be saved: " + err.Error() + "]\n", IsError: true}, nil
		}
	}
	s.unfinished.Add(1)
	s.background.Go(func() {
		defer stop()
		r := turn.Runner{Interceptors: s.interceptors, Kill: i.kill}
		end := &event.ShellEnd{ID: start.ID, Line: start.Line, Join: start.Join}
		end.Outcome, end.Summary, end.Text = r.Command(ctx, start.ID, call, func(text string) {
			_ = s.rec.emit(event.Progress{ID: start.ID, Text: text})
		})
		end.Meta = s.rec.meta()
		end.Duration = end.Time.Sub(start.Time)
		s.running.Store(nil)
		_ = s.rec.emit(end)
		s.ended(end.ID)
		if s.unfinished.Add(-1) == 0 {
			select {
			case s.over <- struct{}{}:
			default:
			}
		}
	})
}

// interrupt interrupts the running command, if any.
func (s *userShell) interrupt() { s.running.Load().interrupt() }
