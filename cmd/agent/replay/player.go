package replay

import (
	"context"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// maxPause is the longest pause between two events at normal speed.
const maxPause = 2 * time.Second

// pieces is the number of pieces in which the text of a message streams, at most.
const pieces = 40

// player sends the events of a stored session, with the pauses between them.
type player struct {
	events []event.Durable
	speed  float64
	out    chan<- event.Event
	in     <-chan event.Command
	wait   func(time.Duration) <-chan time.Time

	skipping bool // to the end of the turn
	inTurn   bool
	blocks   map[string]int // messages of each reply so far
}

// play plays all events and then only answers commands, until ctx ends.
func (p *player) play(ctx context.Context) {
	p.blocks = map[string]int{}
	var last time.Time
	for _, e := range p.events {
		at := event.MetaOf(e).Time
		pause := min(at.Sub(last), maxPause)
		if last.IsZero() || pause < 0 {
			pause = 0
		}
		last = at
		if !p.event(ctx, e, time.Duration(float64(pause)/p.speed)) {
			return
		}
	}
	p.send(ctx, event.Notice{Text: "End of the session. Ctrl+D quits."})
	for p.command(ctx, nil) {
	}
}

// event sends e after a pause. The text of a message streams during the pause. It
// reports false when ctx has ended.
func (p *player) event(ctx context.Context, e event.Durable, pause time.Duration) bool {
	done, isMessage := e.(*event.MessageDone)
	switch {
	case isMessage && (done.Message.Kind == llm.Assistant || done.Message.Kind == llm.Thinking):
		if !p.stream(ctx, done.Message, pause) {
			return false
		}
	case !p.pause(ctx, pause):
		return false
	}
	switch e := e.(type) {
	case *event.UserSaid:
		p.inTurn = p.inTurn || !e.Situation
	case *event.TurnEnd:
		p.inTurn, p.skipping = false, false
	case *event.Partial: // its message follows
		return true
	}
	return p.send(ctx, e)
}

// stream sends the text of a message in pieces.
func (p *player) stream(ctx context.Context, m llm.Message, during time.Duration) bool {
	index := p.blocks[m.Reply]
	p.blocks[m.Reply]++
	text := []rune(m.Text)
	size := len(text)/pieces + 1
	count := (len(text) + size - 1) / size
	for i := range count {
		part := string(text[i*size : min(len(text), (i+1)*size)])
		var d llm.Delta = llm.TextDelta{Index: index, Text: part}
		if m.Kind == llm.Thinking {
			d = llm.ThinkingDelta{Index: index, Text: part}
		}
		if !p.pause(ctx, during/time.Duration(count)) {
			return false
		}
		if !p.skipping && !p.send(ctx, event.Streamed{Reply: m.Reply, Delta: d}) {
			return false
		}
	}
	return true
}

// pause waits for d, unless the user skips to the end of the turn.
func (p *player) pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 || p.skipping {
		return ctx.Err() == nil
	}
	over := p.wait(d)
	for !p.skipping {
		if !p.command(ctx, over) {
			return ctx.Err() == nil
		}
	}
	return true
}

// command handles one command of the screen. It reports false when over has received a
// value or ctx has ended.
func (p *player) command(ctx context.Context, over <-chan time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-over:
		return false
	case c := <-p.in:
		p.answer(ctx, c)
		return true
	}
}

// answer answers a command that a live session would execute.
func (p *player) answer(ctx context.Context, c event.Command) {
	switch c := c.(type) {
	case event.Interrupt:
		p.skipping = p.inTurn
	case event.SaveDraft: // the unsent prompt is lost
	case event.Prompt:
		p.send(ctx, event.Unsent{Text: c.Text})
		p.reject(ctx)
	case event.Retry, event.Compact:
		p.reject(ctx)
	case event.RunShell:
		p.send(ctx, event.NotRun{Line: c.Line, Join: c.Join, Why: "this is a replay"})
	case event.ListContext:
		p.send(ctx, event.ContextNow{})
	case event.ListJobs:
		p.send(ctx, event.JobsNow{})
	case event.ListDelegates:
		p.send(ctx, event.DelegatesNow{})
	default:
		p.send(ctx, event.Notice{Text: readOnly})
	}
}

// readOnly tells the user why a command has no effect.
const readOnly = "This is a replay: nothing is sent, run or changed."

// reject ends the turn that the screen expects after its command.
func (p *player) reject(ctx context.Context) {
	if p.inTurn {
		p.send(ctx, event.Notice{Text: readOnly})
		return
	}
	p.send(ctx, &event.TurnEnd{Reason: event.ProviderError, Error: readOnly})
}

// send reports false when ctx has ended.
func (p *player) send(ctx context.Context, e event.Event) bool {
	select {
	case p.out <- e:
		return true
	case <-ctx.Done():
		return false
	}
}
