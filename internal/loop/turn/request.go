package turn

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

const (
	// retryTime is how long a request is retried after its first failure, if the
	// provider is busy or cannot be reached.
	retryTime = 10 * time.Minute
	// maxTries limits the attempts after any other failure.
	maxTries  = 6
	firstWait = time.Second
	maxWait   = time.Minute // unless the provider asks for more
	// fallbackWait is the longest wait that a provider can ask for before a fallback
	// replaces its model.
	fallbackWait = 10 * time.Second
)

// requester gets the replies of the model: it chooses the model and how to connect to
// it, and retries.
type requester struct {
	models    Models
	limits    Limits
	session   string // as Turn.Session
	prefix    *prefixer
	conv      *Conversation
	out       *reporter
	user      confirmer
	answer    *answerFitter
	compactor *compactor
	trial     bool     // the conversation is compacted only for this request
	shown     *preview // of the last reply
	unlisted  bool     // the turn has tried to leave out the definitions of MCP tools
	// rejected is the fact about the definitions that were left out, until the provider
	// accepts a request without them.
	rejected string
}

// reply returns the reply to the conversation and the model that wrote it. If the
// conversation is too long for the model, or may be, it compacts the conversation and
// sends it again, once. The reply is never nil; after an error it holds the part received.
func (q *requester) reply(ctx context.Context) (*llm.Reply, Model, error) {
	reply, model, err := q.anyModel(ctx)
	if e, ok := errors.AsType[*llm.Error](err); ok && !accepted(reply) && ctx.Err() == nil {
		switch {
		case e.Kind == llm.ErrTooLong && q.compactor.rejected(ctx, model, e):
			reply, model, err = q.anyModel(ctx)
		case e.Vague && q.compactor.suspects(model):
			reply, model, err = q.tryShorter(ctx, model, reply, e)
		}
	}
	if err == nil {
		q.conv.accept(model)
		q.keepRejection()
	}
	q.measure(ctx, model, reply)
	before := len(q.conv.Messages)
	q.conv.meter = q.conv.meter.Counted(reply.Finish.Usage, before, before+len(reply.Messages()))
	return reply, model, err
}

// anyModel returns the reply of the model, or of a fallback.
func (q *requester) anyModel(ctx context.Context) (*llm.Reply, Model, error) {
	models := q.conv.cooldown.available(q.models.Current(), q.out.clock.Now())
	for i, m := range models {
		last := i == len(models)-1
		tries := 0
		if !last {
			tries = 2
		}
		reply, err := q.retry(ctx, m, tries)
		pause := cooldownFor(err)
		if last || accepted(reply) || pause == 0 || ctx.Err() != nil {
			return reply, m, err
		}
		q.conv.cooldown[m.Name] = q.out.clock.Now().Add(pause)
		q.out.emit(event.Notice{Text: fmt.Sprintf("%v. Using %s instead of %s for %s.", err, models[i+1].Name, m.Name, pause.Round(time.Second))})
	}
	panic("turn: no model to ask")
}

// request returns the next request to m.
func (q *requester) request(m Model) llm.Request {
	req := NewRequest(*q.conv.Prefix, q.conv.Messages, m)
	req.CacheKey = q.session
	q.answer.require(&req)
	return req
}

// NewRequest returns the request to m that sends msgs after the prefix p. All of its
// content is in the log of a session. The caller must not change what msgs holds.
func NewRequest(p event.Prefix, msgs []llm.Message, m Model) llm.Request {
	req := llm.Request{Model: m.ID, System: p.System, Tools: slices.Clone(p.Tools), Messages: renamed(&p, withCutsMarked(msgs)), Effort: m.Effort, MaxTokens: m.MaxTokens, WebSearch: p.WebSearch && m.ApproveSearch == nil}
	if m.NoImages {
		req.Messages = withoutImages(req.Messages)
	}
	if n := len(msgs); n > 0 && msgs[n-1].Kind == llm.User && forbidsTools(msgs[n-1].Text) {
		req.ToolChoice.Mode = llm.ChoiceNone
	}
	return req
}

// retry streams one reply of m, in at most tries attempts; 0 is no limit and means
// that no fallback follows. It retries while no part of a reply was accepted and the
// error allows it, and once if the reply is empty.
func (q *requester) retry(ctx context.Context, m Model, tries int) (*llm.Reply, error) {
	emptyBefore := false
	var giveUp time.Time // set by the first failure
	for try := 1; ; try++ {
		req := q.request(m)
		reply, err := q.stream(ctx, m, req)
		if err == nil && isEmpty(reply) && !emptyBefore {
			emptyBefore = true
			q.out.emit(event.Retrying{Attempt: 2, Of: 2, Error: "the model gave an empty answer"})
			continue
		}
		e, ok := errors.AsType[*llm.Error](err)
		if ok && q.adapt(ctx, m, req, reply, e) {
			continue
		}
		if !ok || !e.Retry || accepted(reply) || ctx.Err() != nil {
			return reply, err
		}
		of := attempts(e, tries)
		if of > 0 && try >= of {
			return reply, err
		}
		now := q.out.clock.Now()
		if giveUp.IsZero() {
			giveUp = now.Add(retryTime)
		}
		if tries > 0 && e.RetryAfter > fallbackWait {
			return reply, err
		}
		left := giveUp.Sub(now)
		if e.RetryAfter > 0 && e.RetryAfter > left {
			later := *e
			later.Retry, later.Hint = false, waitHint(now, e.RetryAfter)
			return reply, &later
		}
		if left <= 0 {
			return reply, err
		}
		wait := max(min(backoff(try, q.out.clock.Rand()), left), e.RetryAfter)
		q.out.emit(event.Retrying{Attempt: try + 1, Of: of, In: wait, Error: e.Error(), Hint: e.Hint})
		if q.out.clock.Sleep(ctx, wait) != nil {
			return reply, err
		}
	}
}

// adapt changes the next request to m after an error that another form of it can
// avoid. It reports whether it changed anything.
func (q *requester) adapt(ctx context.Context, m Model, req llm.Request, reply *llm.Reply, err *llm.Error) bool {
	if req.WebSearch && (err.Kind == llm.ErrInvalid || err.Kind == llm.ErrNoTools) && strings.Contains(strings.ToLower(err.Message), "web_search") {
		err.Hint = "Turn the web search off with /web off, or choose another model with /model."
		return false
	}
	if q.unlist(req, reply, err) {
		return true
	}
	if err.Kind == llm.ErrInvalid && req.Schema != nil && !accepted(reply) {
		q.answer.plain = true
		q.out.emit(event.Notice{Text: err.Error() + ". The request is sent again without the schema; agent checks the answer itself."})
		return true
	}
	if err.Kind == llm.ErrImage && !q.trial && !accepted(reply) && q.removeImages(err) {
		return true
	}
	return err.Kind == llm.ErrNoTools && q.switchToText(ctx, m, err)
}

// attempts returns how many attempts a request gets after err, at most tries if
// that is not 0; 0 if only retryTime limits them.
func attempts(err *llm.Error, tries int) int {
	limit := maxTries
	switch {
	case err.Tries > 0:
		limit = err.Tries
	case err.Kind == llm.ErrRate, err.Kind == llm.ErrOverloaded, err.Kind == llm.ErrNetwork, err.Kind == llm.ErrTimeout:
		return tries
	}
	if tries > 0 {
		return min(limit, tries)
	}
	return limit
}

// provider returns the connection to m, with tool calls as text if m needs that.
func (q *requester) provider(m Model) llm.Provider {
	if q.conv.textCalls[m.Name] && m.AsText != nil {
		return m.AsText
	}
	return m.Provider
}

// switchToText makes m, which has no tool calling, write its calls as text from now
// on, if the user approves. It reports whether it switched.
func (q *requester) switchToText(ctx context.Context, m Model, err error) bool {
	if m.AsText == nil || q.conv.textCalls[m.Name] {
		return false
	}
	question := m.Name + " has no tool calling. Continue with tool calls written as text?"
	if q.user.attended() && q.user.confirm(ctx, event.TextAsk, question, err.Error(), ending{reason: event.ProviderError}).reason != "" {
		return false
	}
	q.conv.textCalls[m.Name] = true
	if m.NoTools != nil {
		m.NoTools()
	}
	q.out.emit(event.Notice{Text: m.Name + " now writes its tool calls as text."})
	return true
}

// printsCalls makes m, which printed a call, write its calls as text for the rest of the
// session.
func (q *requester) printsCalls(m Model) {
	if m.AsText == nil || q.conv.textCalls[m.Name] {
		return
	}
	q.conv.textCalls[m.Name] = true
	q.out.emit(event.Notice{Text: m.Name + " printed a tool call instead of calling the tool. It now writes its tool calls as text in this session."})
}

// isEmpty reports whether a complete reply says nothing.
func isEmpty(r *llm.Reply) bool {
	switch r.Finish.Reason {
	case llm.Length, llm.Filtered, llm.Paused:
		return false
	}
	return r.Exceeded() == "" && !answers(r.Messages())
}

// answers reports whether a reply has text or a call. One of only reasoning has neither.
func answers(said []llm.Message) bool {
	return slices.ContainsFunc(said, func(m llm.Message) bool {
		return m.Kind == llm.ToolCall || m.Kind == llm.Assistant && strings.ContainsFunc(thought.ReplaceAllString(m.Text, ""), isVisible)
	})
}

// thought matches reasoning that a model writes before its text.
var thought = regexp.MustCompile(`(?s)^\s*<(think|thinking)>.*?</(think|thinking)>`)

// isVisible reports whether r is more than space, a format character or a control character.
func isVisible(r rune) bool { return !unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf) }

// accepted reports whether a reply has content other than thinking. Such a reply is
// not requested again.
func accepted(r *llm.Reply) bool {
	for _, m := range r.Messages() {
		if m.Kind != llm.Thinking {
			return true
		}
	}
	return false
}

// backoff returns how long to wait after a try: an interval that doubles from
// firstWait to maxWait. Spread, a number in [0, 1), varies it by a tenth.
func backoff(try int, spread float64) time.Duration {
	wait := maxWait
	if try <= 6 {
		wait = firstWait << (try - 1)
	}
	return min(time.Duration(float64(wait)*(0.9+0.2*spread)), maxWait)
}

// waitHint returns the hint for a provider that asks for a longer wait than a turn
// retries.
func waitHint(now time.Time, wait time.Duration) string {
	const day = 24 * time.Hour
	if wait >= 365*day {
		return "The provider asks to wait for a year or more. Choose another model with /model."
	}
	at := now.Add(wait)
	form := "15:04"
	if at.YearDay() != now.YearDay() || wait >= day {
		form = "2006-01-02 15:04"
	}
	minutes := int((wait + time.Minute - 1) / time.Minute)
	length := fmt.Sprintf("%d min", minutes)
	switch {
	case wait < time.Hour:
	case wait < day:
		length = fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	default:
		length = fmt.Sprintf("%d d %d h", minutes/60/24, minutes/60%24)
	}
	return "The provider asks to wait until " + at.Format(form) + " (" + length + "). Retry then, or choose another model with /model."
}
