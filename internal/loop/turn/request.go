package turn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

const (
	maxTries   = 6
	firstWait  = 500 * time.Millisecond
	longestTry = 30 * time.Second // the longest wait that is ours to choose
	// patience is the longest wait that a provider may ask for. Beyond it the
	// turn ends, and says when to come back.
	patience = time.Hour
)

// requester gets the replies of the model. It chooses the model and the way to
// reach it, makes room in the window, and retries.
type requester struct {
	*Turn
	conv   *Conversation
	out    *reporter
	user   confirmer
	answer *answerFitter
}

// reply returns the reply to the conversation and the model that gave it. If the
// conversation is too long for the model, old content is shortened and it is sent
// once more. The reply is never nil; with an error it holds what had come by then.
func (q *requester) reply(ctx context.Context) (*llm.Reply, Model, error) {
	q.makeRoom()
	reply, model, err := q.anyModel(ctx)
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Kind == llm.ErrTooLong && !accepted(reply) && ctx.Err() == nil {
		need := window.Need{Enough: q.conv.Tokens() / 3, Least: 1, Why: "it was too long for the model"}
		if q.conv.Compact(need, q.out.emit, q.out.meta) {
			reply, model, err = q.anyModel(ctx)
		}
	}
	q.conv.meter = q.conv.meter.Counted(reply.Finish.Usage, len(q.conv.Messages)+len(reply.Messages()))
	return reply, model, err
}

// anyModel returns the reply of the model, or of a fallback.
func (q *requester) anyModel(ctx context.Context) (*llm.Reply, Model, error) {
	models := q.conv.cooldown.available(q.Models.Current(), q.out.clock.Now())
	for i, m := range models {
		last := i == len(models)-1
		tries := maxTries
		if !last {
			tries = 2 // there is a fallback
		}
		reply, err := q.retry(ctx, m, tries)
		pause := cooldownFor(err)
		if last || accepted(reply) || pause == 0 || ctx.Err() != nil {
			return reply, m, err
		}
		q.conv.cooldown[m.Name] = q.out.clock.Now().Add(pause)
		q.out.emit(event.Notice{Text: fmt.Sprintf("%v. %s answers in the place of %s for %s.", err, models[i+1].Name, m.Name, pause.Round(time.Second))})
	}
	panic("turn: no model to ask")
}

// request returns what is sent to m.
func (q *requester) request(m Model) llm.Request {
	req := llm.Request{Model: m.ID, System: q.System, Messages: withCutsMarked(q.conv.Messages), Effort: m.Effort, MaxTokens: m.MaxTokens}
	if m.Blind {
		stripImages(req.Messages)
	}
	for _, tool := range q.Tools {
		req.Tools = append(req.Tools, tool.Spec())
	}
	q.answer.require(&req)
	return req
}

// retry streams one reply of m. It tries again while nothing of a reply was
// accepted and the error says that this may help, and once when the reply is
// empty.
func (q *requester) retry(ctx context.Context, m Model, tries int) (*llm.Reply, error) {
	emptyBefore := false
	for try := 1; ; try++ {
		req := q.request(m)
		reply, err := q.stream(ctx, m, req)
		if err == nil && len(reply.Messages()) == 0 && reply.Finish.Reason == llm.Stop && !emptyBefore {
			emptyBefore = true
			q.out.emit(event.Retrying{Attempt: 2, Of: 2, Error: "the model gave an empty answer"})
			continue
		}
		e, ok := errors.AsType[*llm.Error](err)
		if ok && e.Kind == llm.ErrInvalid && req.Schema != nil && !accepted(reply) {
			q.answer.plain = true
			q.out.emit(event.Notice{Text: e.Error() + ". The schema is left out of the request and checked here."})
			continue
		}
		if ok && e.Kind == llm.ErrNoTools && q.switchToText(ctx, m, e) {
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
		if e.RetryAfter > patience {
			later := *e
			later.Hint = waitHint(q.out.clock.Now(), e.RetryAfter)
			return reply, &later
		}
		wait := backoff(try, e.RetryAfter, q.out.clock.Rand())
		q.out.emit(event.Retrying{Attempt: try + 1, Of: of, In: wait, Error: e.Error(), Hint: e.Hint})
		if q.out.clock.Sleep(ctx, wait) != nil {
			return reply, err
		}
	}
}

// provider returns how m is reached.
func (q *requester) provider(m Model) llm.Provider {
	if q.conv.textCalls[m.Name] && m.AsText != nil {
		return m.AsText
	}
	return m.Provider
}

// switchToText has m, which knows no tool calling, write its calls as text from
// now on, if the user does not object. It reports whether that is new.
func (q *requester) switchToText(ctx context.Context, m Model, err error) bool {
	if m.AsText == nil || q.conv.textCalls[m.Name] {
		return false
	}
	question := m.Name + " has no tool calling. Go on with calls written as text?"
	if q.user.attended() && q.user.confirm(ctx, event.TextAsk, question, err.Error(), ending{reason: event.ProviderError}).reason != "" {
		return false
	}
	q.conv.textCalls[m.Name] = true
	q.out.emit(event.Notice{Text: m.Name + " writes its tool calls as text from here on."})
	return true
}

// accepted reports whether anything of a reply counts: thinking alone can be
// repeated.
func accepted(r *llm.Reply) bool {
	for _, m := range r.Messages() {
		if m.Kind != llm.Thinking {
			return true
		}
	}
	return false
}

// backoff returns how long to wait after a try: spread, a number in [0, 1), of a
// doubling interval, but at least what the provider asks for, up to patience.
func backoff(try int, atLeast time.Duration, spread float64) time.Duration {
	wait := min(firstWait<<(try-1), longestTry)
	return min(max(atLeast, 0), patience) + time.Duration(spread*float64(wait))
}

// waitHint is the hint of an error whose provider asks for a wait that is too
// long for a turn.
func waitHint(now time.Time, wait time.Duration) string {
	const day = 24 * time.Hour
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
	return "the provider asks to wait until " + at.Format(form) + " (" + length + "); try again then, or choose another model with /model"
}
