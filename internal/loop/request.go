package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

const (
	maxTries   = 6
	firstWait  = 500 * time.Millisecond
	longestTry = 30 * time.Second // the longest wait that is ours to choose
	// patience is the longest wait that a provider may ask for. Beyond it the
	// turn ends, and says when to come back.
	patience = time.Hour
	// partialEvery is how often what streams is saved.
	partialEvery = time.Second
)

// ask streams one reply, of the model or of one that stands in for it. The
// reply is never nil; with an error it holds what had come by then.
func (t *Turn) ask(ctx context.Context, msgs []llm.Message) (*llm.Reply, Model, error) {
	models := t.conv.resting.candidates(t.Model(), t.Now())
	for i, m := range models {
		tries := maxTries
		if i < len(models)-1 {
			tries = 2 // another one waits
		}
		reply, err := t.askOne(ctx, m, msgs, tries)
		if i == len(models)-1 || accepted(reply) || restFor(err) == 0 || ctx.Err() != nil {
			return reply, m, err
		}
		t.takeOver(m, models[i+1], err)
	}
	panic("loop: no model to ask")
}

// request is what m is told.
func (t *Turn) request(m Model, msgs []llm.Message) llm.Request {
	req := llm.Request{Model: m.ID, System: t.System, Messages: told(msgs), Effort: m.Effort, MaxTokens: m.MaxTokens}
	if m.Blind {
		req.Messages = unseen(req.Messages)
	}
	for _, tool := range t.Tools {
		req.Tools = append(req.Tools, tool.Spec())
	}
	t.fitting.request(t.Schema, &req)
	return req
}

// askOne streams one reply of m. It tries again while nothing of a reply was
// accepted and the error says that this may help, and once when the reply is
// empty.
func (t *Turn) askOne(ctx context.Context, m Model, msgs []llm.Message, tries int) (*llm.Reply, error) {
	emptyBefore := false
	for try := 1; ; try++ {
		req := t.request(m, msgs)
		reply, err := t.stream(ctx, m, req)
		if err == nil && len(reply.Messages()) == 0 && reply.Finish.Reason == llm.Stop && !emptyBefore {
			emptyBefore = true
			t.emit(event.Retrying{Attempt: 2, Of: 2, Error: "the model gave an empty answer"})
			continue
		}
		e, ok := errors.AsType[*llm.Error](err)
		if ok && e.Kind == llm.ErrInvalid && req.Schema != nil && !accepted(reply) {
			t.fitting.plain = true
			t.emit(event.Notice{Text: e.Error() + ". The schema is left out of the request and checked here."})
			continue
		}
		if ok && e.Kind == llm.ErrNoTools && t.writesCalls(ctx, m, e) {
			continue
		}
		if !ok || !e.Retry || accepted(reply) || ctx.Err() != nil {
			return reply, err
		}
		of := tries
		if e.Tries > 0 {
			of = min(of, e.Tries)
		}
		if try >= of {
			return reply, err
		}
		wait := t.backoff(try, e.RetryAfter)
		if e.RetryAfter > patience {
			later := *e
			later.Hint = askedToWait(t.Now(), e.RetryAfter)
			return reply, &later
		}
		t.emit(event.Retrying{Attempt: try + 1, Of: of, In: wait, Error: e.Error(), Hint: e.Hint})
		if t.Sleep(ctx, wait) != nil {
			return reply, err
		}
	}
}

// provider is how m is reached.
func (t *Turn) provider(m Model) llm.Provider {
	if t.conv.asText[m.Name] && m.AsText != nil {
		return m.AsText
	}
	return m.Provider
}

// writesCalls reports whether m, which knows no tool calling, is asked again
// with calls written as text. The person is asked where there is one.
func (t *Turn) writesCalls(ctx context.Context, m Model, err error) bool {
	if m.AsText == nil || t.conv.asText[m.Name] {
		return false
	}
	if t.Approve != nil && !t.goOn(ctx, event.TextAsk, m.Name+" has no tool calling. Go on with calls written as text?", err.Error()) {
		return false
	}
	t.conv.asText[m.Name] = true
	t.emit(event.Notice{Text: m.Name + " writes its tool calls as text from here on."})
	return true
}

// accepted reports whether anything of a reply counts: thinking alone can be
// thought again.
func accepted(r *llm.Reply) bool {
	for _, m := range r.Messages() {
		if m.Kind != llm.Thinking {
			return true
		}
	}
	return false
}

// backoff returns how long to wait before the try that follows try: spread over
// the whole of a doubling interval, but at least what the provider asks for, which
// is counted up to patience.
func (t *Turn) backoff(try int, atLeast time.Duration) time.Duration {
	wait := min(firstWait<<(try-1), longestTry)
	return min(max(atLeast, 0), patience) + time.Duration(t.Rand()*float64(wait))
}

// askedToWait is the hint of an error whose provider asks for a wait that is too
// long for a turn.
func askedToWait(now time.Time, wait time.Duration) string {
	const day = 24 * time.Hour
	then := "; try again then, or choose another model with /model"
	if wait >= 365*day {
		return "the provider asks to wait for a year or more; choose another model with /model"
	}
	at := now.Add(wait)
	form := "15:04"
	if at.YearDay() != now.YearDay() || wait >= day {
		form = "2006-01-02 15:04"
	}
	minutes := int((wait + time.Minute - 1) / time.Minute)
	length := fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	if wait >= day {
		length = fmt.Sprintf("%d d %d h", minutes/60/24, minutes/60%24)
	}
	return "the provider asks to wait until " + at.Format(form) + " (" + length + ")" + then
}

// stream takes one reply from the provider as it comes, shows each delta and
// saves what streams from time to time.
func (t *Turn) stream(ctx context.Context, m Model, req llm.Request) (*llm.Reply, error) {
	reply := llm.NewReply("")
	reply.MaxBytes = t.MaxReplyBytes
	save := saver{t: t, reply: reply.ID, last: t.Now()}
	silent := time.AfterFunc(t.Silence, func() {
		_ = t.Emit(event.Notice{Text: m.Name + " has said nothing for " + t.Silence.String() + ", but the connection is alive."})
	})
	defer silent.Stop()
	for d, err := range t.provider(m).Stream(ctx, req) {
		if err != nil {
			return reply, err
		}
		silent.Reset(t.Silence)
		if d = reply.Add(d); d != nil {
			t.emit(event.Streamed{Reply: reply.ID, Delta: d})
			save.add(d)
		}
		if t.logErr != nil || reply.Exceeded() != "" { // to stop here ends the request
			return reply, ctx.Err()
		}
	}
	if reply.Finish.Reason == "" && ctx.Err() == nil {
		provider, _, _ := strings.Cut(m.Name, "/")
		return reply, &llm.Error{Kind: llm.ErrCut, Provider: provider, Retry: true, Message: "the answer was cut in the middle. What arrived is kept",
			Hint: "say \"go on\" to continue"}
	}
	return reply, ctx.Err()
}

// saver writes what streams to the log, at most once every partialEvery.
type saver struct {
	t      *Turn
	reply  string
	last   time.Time
	pieces []*unsavedPiece // one for each kind, in the order in which they began
}

// unsavedPiece is what streamed of the messages of one kind since the last save.
type unsavedPiece struct {
	kind llm.Kind
	text strings.Builder
}

func (s *saver) add(d llm.Delta) {
	switch d := d.(type) {
	case llm.TextDelta:
		s.piece(llm.Assistant).WriteString(d.Text)
	case llm.ThinkingDelta:
		s.piece(llm.Thinking).WriteString(d.Text)
	default:
		return
	}
	if now := s.t.Now(); now.Sub(s.last) >= partialEvery {
		s.last = now
		s.flush()
	}
}

// piece returns where text of a kind gathers.
func (s *saver) piece(kind llm.Kind) *strings.Builder {
	for _, p := range s.pieces {
		if p.kind == kind {
			return &p.text
		}
	}
	s.pieces = append(s.pieces, &unsavedPiece{kind: kind})
	return &s.pieces[len(s.pieces)-1].text
}

func (s *saver) flush() {
	for _, p := range s.pieces {
		if p.text.Len() > 0 {
			s.t.emit(&event.Partial{Meta: s.t.now(), Reply: s.reply, Kind: p.kind, Text: p.text.String()})
		}
	}
	s.pieces = nil
}
