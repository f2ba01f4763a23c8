package delegate

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/advice"
)

const (
	// maxAnswer and minAnswer limit the length of an answer for the model, in bytes:
	// about 4,000 and 500 tokens. Between them it is a 16th of the context window, so
	// that the answers of several delegates fit.
	maxAnswer = 16_000
	minAnswer = 2_000
	// finishTime limits how long an interrupted delegate may take to handle its
	// changes, because the user waits for it.
	finishTime = time.Second
)

// delegate is a delegate that works or has ended.
type delegate struct {
	pool   *Pool
	host   Host
	task   Task
	call   string // as in event.DelegateStart
	cancel func() // stops it before its session runs
	orders *commandQueue
	// detached is closed when the delegate continues in the background.
	detached chan struct{}
	done     chan struct{} // closed when it has ended
	end      *event.DelegateEnd
	changes  []tools.Change // changes that were applied to the workspace
	note     string         // on its changes, at the end of the answer; may be empty

	shown event.Delegate // guarded by the lock of the pool

	stopped atomic.Bool // interrupt was called
}

// interrupt stops the delegate. A second call kills running commands.
func (d *delegate) interrupt() {
	again := d.stopped.Swap(true)
	if d.cancel(); again {
		d.orders.give(event.Interrupt{})
	}
}

// work waits for a slot, runs the session and reports its end.
func (d *delegate) work(ctx context.Context) {
	p := d.pool
	p.listSoon()
	d.end = &event.DelegateEnd{ID: d.task.ID, Name: d.task.Name, Reason: event.UserInterrupt}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		d.finish("")
		return
	}
	begun := p.o.Now()
	p.change(d, func(s *event.Delegate) { s.State, s.Began = event.DelegateWorking, begun })
	s, err := d.launch(ctx)
	if err != nil {
		if ctx.Err() == nil {
			d.end.Reason, d.end.Error = event.ProviderError, advice.Cause(err)
			d.end.Advice = strings.TrimPrefix(err.Error(), d.end.Error)
		}
		d.finish("")
		return
	}
	d.run(ctx, s)
	finishing, stop := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	if ctx.Err() == nil {
		stop()
		finishing, stop = context.WithCancel(ctx)
	}
	defer stop()
	var note string
	note, d.end.Transcript, d.changes = s.Finish(finishing, d.end.Reason)
	d.end.Duration = p.o.Now().Sub(begun)
	d.finish(note)
}

// launch asks the user to confirm a repository's agent, prepares the session and
// announces the delegate.
func (d *delegate) launch(ctx context.Context) (s Session, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	if err := d.confirm(ctx); err != nil {
		return nil, err
	}
	if s, err = d.pool.o.Launch(ctx, d.host, d.task); err != nil {
		return nil, err
	}
	start := s.Info()
	start.Meta = event.Meta{Time: d.pool.o.Now()}
	start.ID, start.Call, start.Name, start.Prompt = d.task.ID, d.call, d.task.Name, d.task.Prompt
	d.pool.change(d, func(l *event.Delegate) { l.Model, l.Session = start.Model, start.Session })
	if err := d.host.Emit(&start); err != nil {
		_, _, _ = s.Finish(ctx, "")
		return nil, err
	}
	return s, nil
}

// finish sets the answer and reports the end. note describes the delegate's changes to
// files; it may be empty.
func (d *delegate) finish(note string) {
	p, e := d.pool, d.end
	if d.note = note; note != "" {
		e.Answer = strings.TrimSpace(e.Answer + "\n\n" + note)
	}
	left := d.orders.close()
	p.mu.Lock()
	d.shown.Ended, d.shown.Action = p.o.Now(), ""
	d.shown.State = e.State()
	e.Background = d.shown.Background
	p.mu.Unlock()
	for _, c := range left {
		if prompt, ok := c.(event.Prompt); ok {
			_ = d.host.Emit(event.Unsent{Text: prompt.Text})
		}
	}
	e.Meta = event.Meta{Time: p.o.Now()}
	p.List(event.Ref{})
	_ = d.host.Emit(e)
	if e.Background {
		finished := Finished{End: e}
		if d.call == "" {
			finished.Task = d.task.Prompt
		}
		p.addFinished(finished)
	}
}

// answerLimit returns the maximum length of an answer, in bytes, for a model whose
// context window has that many tokens; 0 means unknown.
func answerLimit(window int) int {
	const bytesOfToken = 4
	if window == 0 {
		return maxAnswer
	}
	return min(max(window/16*bytesOfToken, minAnswer), maxAnswer)
}

// clip truncates an answer to limit bytes.
func clip(answer string, limit int) string {
	answer = strings.TrimSpace(answer)
	short := phrase.Clip(answer, limit)
	if short == answer {
		return answer
	}
	return short + "\n[truncated: the transcript has the complete answer]"
}
