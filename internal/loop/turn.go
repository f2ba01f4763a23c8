package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/window"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// Model is a way to reach a model.
type Model struct {
	Name      string // PROVIDER/NAME, as people write it
	ID        string // as the provider knows it
	Provider  llm.Provider
	Context   int    // its window in tokens, 0 if unknown
	Blind     bool   // it is known to see no images
	MaxTokens int    // limit of a reply; 0 leaves it to the dialect
	Effort    string // of its reasoning; empty leaves it to the provider
	Why       string // why it was chosen, in words that follow "because"
	BaseURL   string // where its requests go, without secrets; empty for none
	Host      string // of BaseURL, if that is not the provider's own address
	// Confirm must be approved before the first request; nil is nothing.
	Confirm *Confirm
	// Cost is the price of what a reply used, in US dollars, if that is known.
	// Nil where it never is.
	Cost func(llm.Usage) (usd float64, known bool)
	// AsText reaches the same model with calls written as text, for a server that
	// turns out to know no tool calling. Nil where that is not offered.
	AsText llm.Provider
	// Fallbacks answer in its place, in this order, while it is overloaded or
	// its quota is used up. Their own are not looked at.
	Fallbacks []Model
}

// Confirm is a question about where the conversation is sent.
type Confirm struct {
	Question string
	Why      string
	Remedy   string // how the question is avoided, for the user who rejects it
}

const (
	// DefaultMaxSteps is the number of steps after which a turn asks whether it
	// may go on.
	DefaultMaxSteps = 50
	// maxFailing is how many steps in a row may have nothing but failed tools.
	maxFailing = 3
)

// Turn carries one prompt to its end. Its functions are called from the
// goroutine of Run alone, but for Emit with a Progress or a Notice.
type Turn struct {
	Model  func() Model // asked before each request
	System string
	Tools  []tools.Tool
	// Interceptors act around every call.
	Interceptors tools.Interceptors
	Schema       *Schema // what the last answer must fit; nil for any
	MaxSteps     int     // 0 is DefaultMaxSteps
	// MaxReplyBytes limits each reply: text, thinking and tool arguments together,
	// in bytes. 0 is llm.MaxReplyBytes.
	MaxReplyBytes int

	Ledger *workspace.Ledger // takes what the model gets to know of files; may be nil
	Force  <-chan struct{}   // closed when what runs is to be killed at once; nil never is

	// Judge decides whether a call may run unasked.
	Judge func(context.Context, tools.Call) policy.Verdict
	// Approve asks the person and waits. Its error is that of ctx. When nobody
	// can be asked it is nil, and what would be asked is refused. An Always makes
	// the offer a standing permission, which is returned as the log is to keep it.
	Approve func(ctx context.Context, ask event.Ask, offer policy.Grant) (event.Answer, *policy.Grant, error)
	Paths   policy.Paths // by which standing permissions are described
	// News returns what this program has to tell the model before its next step.
	// Optional.
	News func() []string
	// Ran returns the commands of the person's that have ended and of which the
	// model has not been told. Emit of their ShellTold takes them out. Optional.
	Ran func() []*event.ShellEnd
	// Confirmed takes note that the user approved the Confirm of the model: from
	// then on Model returns it without one.
	Confirmed func()
	// Inbox returns what the person said since it was last called. Optional.
	Inbox func() []event.Prompt
	// Emit takes every event. An error of it ends the turn before the next tool
	// runs: what happens then could not be told later.
	Emit func(event.Event) error

	// Silence is how long a reply may bring nothing before the person is told
	// that its connection is alive all the same; 0 is five minutes.
	Silence time.Duration

	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error // until d passed or ctx ended
	Rand  func() float64                                   // in [0, 1), spreads retries

	conv     *conversation // apart from its messages
	end      event.TurnEnd
	started  time.Time
	failing  int     // steps in a row whose tools all failed
	allowed  int     // steps until the guard asks
	repeats  repeats // of the same calls
	outputs  string  // where what is cut can be looked up; empty for nowhere
	fitting  fitting // how far the answer is from its schema
	went     bool    // a cut answer was continued already
	unpriced bool    // the price of a step is not known
	cost     float64 // of the steps whose price is known
	auto     string  // what this program has to say before the next step
	logErr   error   // the first error of Emit
}

// Run carries the conversation msgs, whose last message is the person's, until
// the model is done or a guard, the person or an error ends it. It returns the
// conversation with what was said and done, and how it ended, which Emit has
// got too. Cancelling ctx is the person's interrupt.
func (t *Turn) Run(ctx context.Context, msgs []llm.Message) ([]llm.Message, event.TurnEnd) {
	t.started = t.Now()
	t.end = event.TurnEnd{}
	if t.conv == nil {
		t.conv = newConversation()
	}
	if t.MaxSteps == 0 {
		t.MaxSteps = DefaultMaxSteps
	}
	if t.Silence == 0 {
		t.Silence = 5 * time.Minute
	}
	t.allowed = t.MaxSteps
	for t.end.Reason == "" {
		msgs = t.step(ctx, msgs)
	}
	if t.logErr != nil {
		t.end.Reason = event.LogError
		t.end.Error = "the session could not be saved: " + t.logErr.Error()
		t.end.Hint = "make room or mend what is wrong there; what was said so far is kept and saved with the next prompt"
	}
	t.end.Meta = event.Meta{Time: t.Now()}
	t.end.Duration = t.end.Time.Sub(t.started)
	if !t.unpriced && t.end.Steps > 0 {
		t.end.Cost = &t.cost
	}
	end := t.end
	t.emit(&end)
	return msgs, end
}

// step asks the model once and runs the calls of its reply. It sets t.end's
// reason when no further step follows.
func (t *Turn) step(ctx context.Context, msgs []llm.Message) []llm.Message {
	if !t.mayGoOn(ctx) || !t.maySend(ctx) {
		return msgs
	}
	msgs = t.hear(msgs)
	if t.News != nil {
		msgs = t.tell(msgs, t.News()...)
	}
	msgs = t.steer(msgs)
	if t.logErr != nil { // what the model is asked about is not on record
		t.end.Reason = event.LogError
		return msgs
	}
	msgs, reply, model, err := t.askInFull(ctx, msgs)
	t.end.Steps++
	said := t.fitting.unwrap(t.Schema, distinct(msgs, reply.Messages()))
	for _, m := range said {
		t.emit(&event.MessageDone{Meta: t.now(), Message: m})
	}
	msgs = append(msgs, said...)
	calls := callsOf(said)
	notRun := t.judgeReply(ctx, reply, err, said)
	results, worked := t.results(ctx, calls, notRun)
	msgs = append(msgs, results...)
	t.endStep(reply, model)
	t.judgeResults(ctx, len(calls) > 0 && notRun == "", worked)
	if t.end.Reason == "" && len(calls) > 0 {
		t.judgeRepeats(ctx, calls, results)
	}
	if t.end.Reason == event.Done {
		t.judgeAnswer(said)
		before := len(msgs)
		if msgs = t.steer(msgs); len(msgs) > before {
			t.end.Reason = "" // something was said meanwhile: the model is told
		}
	}
	return msgs
}

// endStep puts on record what a step took.
func (t *Turn) endStep(reply *llm.Reply, model Model) {
	u := reply.Finish.Usage
	e := &event.StepEnd{Meta: t.now(), Reply: reply.ID, Model: model.Name, Finish: reply.Finish.Reason, Usage: u, Lost: reply.Finish.Lost}
	t.end.Usage = t.end.Usage.Add(u)
	if model.Cost != nil {
		if usd, known := model.Cost(u); known {
			e.Cost = &usd
			t.cost += usd
		}
	}
	t.unpriced = t.unpriced || e.Cost == nil
	t.emit(e)
}

// tell appends what this program has to say in the person's place.
func (t *Turn) tell(msgs []llm.Message, texts ...string) []llm.Message {
	for _, text := range texts {
		t.emit(&event.UserSaid{Meta: t.now(), Text: text, Steered: true, Auto: true})
		msgs = append(msgs, llm.Message{Kind: llm.User, Text: text})
	}
	return msgs
}

// steer appends what the guards have to say, and what the person said since the
// last step.
func (t *Turn) steer(msgs []llm.Message) []llm.Message {
	if t.auto != "" {
		msgs = t.tell(msgs, t.auto)
		t.auto = ""
	}
	if t.Inbox == nil {
		return msgs
	}
	for _, p := range t.Inbox() {
		t.emit(&event.UserSaid{Meta: t.now(), Text: p.Text, Images: p.Images, Steered: true})
		msgs = append(msgs, llm.Message{Kind: llm.User, Text: p.Text, Images: p.Images})
	}
	return msgs
}

// judgeReply sets the reason for which the turn ends with this reply, if it
// does, and returns why its calls must not run; empty if they may.
func (t *Turn) judgeReply(ctx context.Context, r *llm.Reply, err error, said []llm.Message) (notRun string) {
	calls := len(callsOf(said)) > 0
	if n := len(said); n > 0 {
		t.end.Cut = said[n-1].Kind == llm.Assistant && said[n-1].Cut
	}
	switch {
	case ctx.Err() != nil:
		t.end.Reason = event.UserInterrupt
		return "not run: the person stopped the turn"
	case t.logErr != nil:
		t.end.Reason = event.LogError
		return "not run: the session could not be saved"
	case err != nil && t.end.Cut && !calls && !t.went:
		t.went, t.auto = true, event.GoOn // once by itself
		t.emit(event.Notice{Text: err.Error() + ". Going on where the answer was cut."})
		return ""
	case err != nil:
		t.fail(err)
		return "not run: the reply was cut before it ended"
	}
	if r.Exceeded() != "" {
		return t.exceeded(r)
	}
	switch r.Finish.Reason {
	case llm.Stop, llm.Calls:
		if !calls {
			t.end.Reason = event.Done
			if len(said) == 0 {
				t.end.Reason = event.ProviderError
				t.end.Error = "the model gave an empty answer twice"
				t.end.Hint = "say it differently, or choose another model"
			}
		}
		return ""
	case llm.Length:
		t.end.Reason = event.OutOfTokens
		t.end.Error = "the answer hit the model's token limit and is cut"
		t.end.Hint = "say \"go on\" to continue"
		return "not run: the reply was cut at the model's token limit"
	case llm.Filtered:
		t.end.Reason = event.Filtered
		t.end.Error = "the provider or the model refused to answer"
		t.end.Hint = "say it differently, or choose another model"
		return "not run: the reply was refused by the provider"
	}
	if calls {
		t.end.Reason = event.ProviderError
		t.end.Error = fmt.Sprintf("the answer ended for an unknown reason (%q), so its tool calls were not run", r.Finish.Raw)
		t.end.Hint = "say \"go on\" to continue"
		return "not run: it is unknown whether the reply was whole"
	}
	t.end.Reason = event.Done
	return ""
}

// exceeded ends the turn with a reply that was stopped at a limit, and returns
// what the model reads in place of the results of its calls.
func (t *Turn) exceeded(r *llm.Reply) (notRun string) {
	t.end.Reason = event.OutOfTokens
	t.end.Hint = "send a message to continue"
	if t.end.Cut {
		t.end.Hint = "press Enter to continue"
	}
	switch r.Exceeded() {
	case llm.LimitCalls:
		t.end.Error = fmt.Sprintf("the reply was stopped after %d tool calls, which were not run", llm.MaxReplyCalls)
		return fmt.Sprintf("not run: the reply was stopped after %d tool calls. Make at most %d calls in one reply", llm.MaxReplyCalls, maxCalls)
	case llm.LimitMessages:
		t.end.Error = fmt.Sprintf("the reply was stopped after %d messages. The text received is kept", llm.MaxReplyMessages)
		return fmt.Sprintf("not run: the reply was stopped after %d messages", llm.MaxReplyMessages)
	}
	size := byteCount(cmp.Or(t.MaxReplyBytes, llm.MaxReplyBytes))
	t.end.Error = "the reply reached the limit of " + size + " (max_reply_bytes) and was stopped. The text received is kept"
	return "not run: the reply was stopped at its limit of " + size + ". Write less in one reply: divide large files among several calls"
}

// byteCount writes a size: "8 MiB", "1000 bytes".
func byteCount(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// fail ends the turn with the error of a provider.
func (t *Turn) fail(err error) {
	t.end.Reason = event.ProviderError
	t.end.Error = err.Error()
	if e, ok := errors.AsType[*llm.Error](err); ok {
		t.end.Hint = e.Hint
		if e.Kind == llm.ErrTooLong {
			t.end.Hint = "cut old content with /compact, take something back with /rewind, begin anew with /new, or choose a model with a larger window"
		}
		if e.Hint == "" && e.Retry {
			t.end.Hint = "say \"go on\" to try again"
		}
	}
}

// emit hands an event on. The first failure ends the turn.
func (t *Turn) emit(e event.Event) {
	if err := t.Emit(e); err != nil && t.logErr == nil {
		t.logErr = err
	}
}

func (t *Turn) now() event.Meta { return event.Meta{Time: t.Now()} }

// distinct returns said with a new ID for each call whose ID the conversation
// has already: some servers count from 0 in every reply.
func distinct(msgs, said []llm.Message) []llm.Message {
	for i, m := range said {
		if m.Kind == llm.ToolCall && slices.ContainsFunc(msgs, func(o llm.Message) bool { return o.Kind == llm.ToolCall && o.ID == m.ID }) {
			said[i].ID = m.ID + "_" + m.Reply
		}
	}
	return said
}

// callsOf returns the tool calls among msgs.
func callsOf(msgs []llm.Message) []llm.Message {
	var out []llm.Message
	for _, m := range msgs {
		if m.Kind == llm.ToolCall {
			out = append(out, m)
		}
	}
	return out
}

const (
	// hugeAnswer is the size above which an answer that was cut is sent back
	// shortened, in bytes. No window of a model has room for much more.
	hugeAnswer = 1 << 20
	// keptAnswer is how much is kept of each end then.
	keptAnswer = 64 << 10
)

// shortened returns the two ends of a huge text: the second is what the model
// needs to continue.
func shortened(text string) string {
	if len(text) <= hugeAnswer {
		return text
	}
	end := strings.ToValidUTF8(text[len(text)-keptAnswer:], "")
	return fmt.Sprintf("%s\n\n[%d bytes are left out here]\n\n%s", window.Prefix(text, keptAnswer), len(text)-2*keptAnswer, end)
}

// told returns the conversation as the model is told it: an answer that was cut
// says so, cut thinking is left out.
func told(msgs []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(msgs))
	for _, m := range msgs {
		if m.Cut && m.Kind == llm.Thinking {
			continue
		}
		if m.Cut && m.Kind == llm.Assistant {
			m.Text = shortened(strings.TrimRight(m.Text, " \n")) + "\n\n[this answer was cut here]"
		}
		out = append(out, m)
	}
	return out
}
