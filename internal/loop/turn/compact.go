package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/budget"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

// muchFreed is the number of tokens above which a compaction returns its memory to
// the system at once. Today's windows are smaller.
const muchFreed = 4 << 20

// compactor keeps the conversation within the context window of the model.
type compactor struct {
	models      Models
	conv        *Conversation
	out         *reporter
	summarizer  *summarizer
	lastSummary int  // number of the step of the last summary
	summarized  bool // a summary was requested in this turn
}

// makeRoom compacts the conversation if the window is nearly full. It ends the turn
// if a request cannot fit.
func (k *compactor) makeRoom(ctx context.Context) ending {
	m := k.conv.cooldown.available(k.models.Current(), k.out.clock.Now())[0]
	b := k.conv.budget(m)
	used := k.conv.used()
	if b.Limit == 0 || used <= b.Start {
		return ending{}
	}
	why := fmt.Sprintf("about %s tokens were used", phrase.Thousands(used))
	if m.Context > 0 {
		why = fmt.Sprintf("about %s of %s tokens of the context window were used", phrase.Thousands(used), phrase.Thousands(m.Context))
	}
	_, fits, err := k.compact(ctx, b, why)
	switch {
	case err != nil:
		return ending{reason: event.UserInterrupt}
	case !fits && k.conv.learned[m.Name] == 0:
		return ending{event.ProviderError, fmt.Sprintf("the prompt was not sent: with the system prompt and the tools (about %s tokens) it does not fit in the context window of %s (%s tokens)",
			phrase.Thousands(b.Prefix), m.Name, phrase.Thousands(m.Context)), "Choose a model with a larger context window with /model, or send a shorter prompt."}
	}
	return ending{}
}

// rejected compacts the conversation after m rejected it as too long. It reports
// whether the conversation is smaller now.
func (k *compactor) rejected(ctx context.Context, m Model, rejection *llm.Error) bool {
	b := k.conv.budget(m)
	if limit := window.RejectedLimit(rejection.Error(), k.conv.used()); b.Limit == 0 || limit < b.Limit {
		b = b.Within(limit)
	}
	steps, _, err := k.compact(ctx, b, m.Name+" rejected the request as too long")
	if steps > 0 {
		k.conv.learned[m.Name] = b.Limit
	}
	return steps > 0 && err == nil
}

// compact applies the steps after which the conversation fits b. It returns their
// number, and the error of ctx if the user interrupted a summary.
func (k *compactor) compact(ctx context.Context, b window.Budget, why string) (steps int, fits bool, err error) {
	const pause = 3 // steps between two summaries
	c, used := k.conv.content(why), k.conv.used()
	maySummarize := !k.summarizer.failed && (!k.summarized || k.conv.Steps-k.lastSummary >= pause)
	plan := window.MakePlan(c, b, maySummarize)
	if plan.NeedsSummary {
		k.summarized, k.lastSummary = true, k.conv.Steps
		written, err := k.summarizer.summarize(ctx, k.conv.Messages, "", b.Limit)
		switch {
		case ctx.Err() != nil:
			return 0, false, ctx.Err()
		case err != nil:
			plan = window.MakePlan(c, b, false)
		default:
			plan = window.PlanSummary(c, b, written)
		}
	}
	k.apply(plan.Steps...)
	if used > muchFreed && len(plan.Steps) > 0 {
		debug.FreeOSMemory() // before the next request is encoded
	}
	return len(plan.Steps), plan.Fits, nil
}

// apply emits steps and changes the conversation. If originals cannot be saved, the
// steps name no files.
func (k *compactor) apply(steps ...*event.Compacted) {
	for _, e := range steps {
		if err := k.conv.Apply(e, k.out.emit, k.out.meta); err != nil {
			for _, later := range steps {
				later.Outputs = ""
			}
		}
	}
}

// Compact summarizes the conversation at the user's request. focus says what the
// summary must keep above all; it may be empty. Compact emits and returns the end,
// as Run does.
func (t *Turn) Compact(ctx context.Context, c *Conversation, focus string) event.TurnEnd {
	r := newRun(t, c)
	start := r.out.clock.Now()
	end := r.confirmHost(ctx)
	if end.reason == "" {
		end.reason = event.Done
		k := r.requests.compactor
		b := c.budget(t.Models.Current())
		written, err := k.summarizer.summarize(ctx, c.Messages, focus, b.Limit)
		switch plan := window.PlanRequested(c.content("requested"), b, written); {
		case err != nil && ctx.Err() != nil:
			end.reason = event.UserInterrupt
		case len(plan.Steps) == 0:
			r.out.emit(event.Notice{Text: "Nothing to compact."})
		default:
			k.apply(plan.Steps...)
		}
	}
	return r.finish(end, start)
}

// errTooShort is the error of a summary of a conversation without earlier steps.
var errTooShort = errors.New("it is too short")

// summarizer gets summaries of a conversation from a model.
type summarizer struct {
	models   Models
	model    func() (Model, error) // as Turn.Summary
	budget   *budget.Account
	out      *reporter
	accepted map[string]int // as in Conversation
	failed   bool           // a summary failed in this turn
}

// summarize returns a summary of msgs in at most a fifth of limit tokens; a limit of
// 0 is none. After an error it emits a notice, unless the user interrupted or there is
// nothing to summarize.
func (s *summarizer) summarize(ctx context.Context, msgs []llm.Message, focus string, limit int) (event.Compacted, error) {
	e, err := s.request(ctx, msgs, focus)
	if err != nil {
		s.failed = true
		if ctx.Err() == nil && !errors.Is(err, errTooShort) {
			s.out.emit(event.Notice{Text: "The conversation cannot be summarized: " + strings.TrimRight(err.Error(), ".") + ". Earlier tool calls are listed instead."})
		}
		return event.Compacted{}, err
	}
	const bytesPerToken = 4
	if limit > 0 {
		e.Text = window.Prefix(e.Text, limit*bytesPerToken/5)
	}
	return e, nil
}

// request sends the request for a summary to the model for summaries.
func (s *summarizer) request(ctx context.Context, msgs []llm.Message, focus string) (event.Compacted, error) {
	const unknownWindow = 100_000
	e := event.Compacted{}
	m, err := s.models.Current(), error(nil)
	if s.model != nil {
		m, err = s.model()
	}
	switch {
	case err != nil:
		return e, err
	case strings.HasPrefix(m.Name, "offline/"):
		return e, errors.New("no language model is connected")
	case m.Confirm != nil:
		return e, fmt.Errorf("%s needs your approval first: switch to it once with /model", m.Name)
	}
	limit := window.NewBudget(0, m.Context, m.MaxTokens).Limit
	switch {
	case m.Context == 0:
		limit = unknownWindow
	case m.Window != nil: // nothing is left out because of an assumption: m has answered requests with all of it
		limit = max(limit, 2*s.accepted[m.Name])
	}
	for try := 1; ; try++ {
		req, ok := window.SummaryRequest(msgs, focus, limit)
		if !ok {
			return e, errTooShort
		}
		req.Model, req.MaxTokens = m.ID, m.MaxTokens
		s.out.emit(event.Summarizing{Model: m.Name})
		text, done, err := m.Complete(ctx, req, s.out.clock.Now)
		done.Task = event.SummaryTask
		s.out.emit(done)
		s.spend(done, &e)
		if err == nil || ctx.Err() != nil {
			e.Text, e.Model = text, m.Name
			return e, err
		}
		failure, ok := errors.AsType[*llm.Error](err)
		switch again := ok && try < 3; {
		case again && failure.Kind == llm.ErrTooLong:
			limit /= 2
		case !again || !failure.Retry || s.out.clock.Sleep(ctx, max(backoff(try, s.out.clock.Rand()), failure.RetryAfter)) != nil:
			return e, err
		}
	}
}

// spend adds the usage of a request for a summary.
func (s *summarizer) spend(done event.RequestDone, e *event.Compacted) {
	if done.Usage == (llm.Usage{}) {
		return
	}
	e.Usage = e.Usage.Add(done.Usage)
	if done.Cost != nil {
		total := *done.Cost
		if e.Cost != nil {
			total += *e.Cost
		}
		e.Cost = &total
	}
	s.out.spend(s.budget, 0, done.Model, done.Usage, done.Cost)
}
