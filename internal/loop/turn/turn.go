package turn

import (
	"context"
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/budget"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// Turn holds the dependencies of a turn. Run calls its functions and interfaces from
// its own goroutine, except Emit with a Progress or a Notice.
type Turn struct {
	Models      Models
	Permissions Permissions
	Approver    Approver // nil without a user: calls that need approval are denied
	// Delegated is set if the turn is that of a delegate. At a limit, and when a guard
	// stops it, it does not ask the user: the model gets one last reply without tools.
	Delegated bool
	Inbox     Inbox
	// Emit receives every event. An error of the log ends the turn before the next
	// tool runs, because that call would not be recorded.
	Emit func(event.Event) error

	Session string // identifies the session to the provider's cache; may be empty
	// Prefix returns the prefix of the requests to a model. Before is the one of the
	// session; nil if there is none.
	Prefix func(m Model, before *event.Prefix) event.Prefix
	// Summary returns the model that summarizes conversations; nil for the current one.
	Summary   func() (Model, error)
	Additions Additions
	Tools     []tools.Tool
	Runner    Runner
	// Instead returns what the model does instead of a call that the permission mode denies;
	// empty for Call.Instead. Offered reports whether the model has a tool. Nil means that
	// Call.Instead always applies.
	Instead func(c tools.Call, offered func(tool string) bool) string
	Schema  *Schema // of the last answer; may be nil
	Hooks   Hooks   // nil for none
	// Evidence records the checks and edits of the turn; nil for none.
	Evidence Evidence
	Limits   Limits
	Budget   *budget.Account
	Clock    Clock
}

// Additions are what the program adds to the prompts of the user. Its functions may be nil.
type Additions struct {
	// Instructions returns notes with the instructions of the directories that tools
	// have touched since its previous call. The model gets each note once. It may be
	// nil.
	Instructions func() []string
	// Mentioned returns a note for the model about the agents that a prompt mentions;
	// empty for none. It may be nil.
	Mentioned func(prompt string) string
	// Attach reads the resources that a prompt mentions: see event.Prompt. It may be nil.
	Attach func(ctx context.Context, mentions []string) []tools.Attachment
	// Situation returns a description of the environment, which is sent ahead of the prompt;
	// empty if the model knows it. It is called once, in another goroutine, while Prefix runs. It
	// may be nil.
	Situation func() string
}

// run is a turn in progress.
type run struct {
	turn     *Turn
	conv     *Conversation
	out      *reporter
	input    *input
	requests *requester
	calls    *executor
	guards   *guards
	answer   *answerFitter
	final    llm.Answer // of this turn
	end      event.TurnEnd
	resumed  bool // the previous reply was cut off, and the model was asked to continue
	hooked   bool // a hook has continued the turn
	noticed  int  // steps of the turn at the last notice about them
	// limit is how the turn ends after the next reply, because a limit or a guard
	// stopped it and could not ask a user; zero before that.
	limit ending
	// lastNote forbids tools in the next reply; empty if they are allowed.
	lastNote string
}

// ending is why a turn ends: its reason, and the error with its hint for the user.
// The zero value lets the turn continue.
type ending struct {
	reason    event.Reason
	err, hint string
}

// Run works on the prompt p until the model is done, or a guard, the user or an
// error ends the turn. An empty p sends the conversation again. Run adds all messages
// to c, and emits and returns the end of the turn. Canceling ctx means that the user
// interrupts.
func (t *Turn) Run(ctx context.Context, c *Conversation, p event.Prompt) event.TurnEnd {
	r := newRun(t, c)
	start := r.out.clock.Now()
	r.out.fail(t.Models.Announce())
	r.input.addPrefix()
	r.input.addCommands()
	r.input.addNews()
	var end ending
	if p.IsEmpty() {
		r.input.note = c.continuation()
	} else {
		limited, stop := r.withTimeLimit(ctx)
		end = r.input.say(limited, p, false)
		stop()
	}
	for end.reason == "" {
		end = r.step(ctx)
	}
	if r.turn.Hooks != nil && end.reason != event.Done {
		r.turn.Hooks.Ended(ctx, end.reason, r.final.Text(), r.hooked)
	}
	if r.turn.Evidence != nil {
		r.end.Evidence = r.turn.Evidence.End()
	}
	return r.finish(end, start)
}

// finish emits and returns the end of a turn that began at start.
func (r *run) finish(end ending, start time.Time) event.TurnEnd {
	if r.out.err != nil {
		end = ending{event.LogError, "the session could not be saved: " + r.out.err.Error(),
			"Free up disk space or fix the cause. The conversation is safe and will be saved with your next prompt."}
	}
	r.end.Reason, r.end.Error, r.end.Hint = end.reason, end.err, end.hint
	r.end.Meta = r.out.meta()
	r.end.Duration = r.end.Time.Sub(start)
	r.end.Usage, r.end.Cost = r.turn.Budget.End()
	done := r.end
	r.out.emit(&done)
	return done
}

func newRun(t *Turn, c *Conversation) *run {
	t.Budget.Begin()
	out := &reporter{send: t.Emit, clock: t.Clock.WithDefaults()}
	user := confirmer{t.Approver}
	guards := &guards{user: user, budget: t.Budget, fixed: t.Limits.Fixed}
	if t.Delegated {
		guards.user, guards.delegated = confirmer{}, true
	}
	answer := &answerFitter{schema: t.Schema}
	prefix := &prefixer{models: t.Models, build: t.Prefix, conv: c, out: out}
	summaries := &summarizer{models: t.Models, model: t.Summary, budget: t.Budget, out: out, accepted: c.accepted}
	requests := &requester{
		models: t.Models, limits: t.Limits, session: t.Session, prefix: prefix, conv: c, out: out, user: user, answer: answer,
		compactor: &compactor{models: t.Models, conv: c, out: out, summarizer: summaries},
	}
	r := &run{turn: t, conv: c, out: out, answer: answer, guards: guards, requests: requests, calls: t.executor(c, out)}
	r.input = &input{
		inbox: t.Inbox, additions: t.Additions, permissions: t.Permissions, hooks: t.Hooks, delegated: t.Delegated,
		prefix: prefix, conv: c, out: out, answer: &r.final,
	}
	return r
}

// step gets one reply of the model and runs its calls.
func (r *run) step(ctx context.Context) ending {
	end := r.beforeStep(ctx)
	if end.reason == "" {
		end = r.confirmHost(ctx)
	}
	if end.reason == "" {
		end = r.confirmSearch(ctx)
	}
	if end.reason != "" {
		return end
	}
	user := ctx
	ctx, stop := r.withTimeLimit(user)
	defer stop()
	r.addInput(ctx)
	if r.out.err != nil { // the model must not receive unrecorded messages
		return ending{reason: event.LogError}
	}
	if end := r.requests.compactor.makeRoom(ctx); end.reason != "" {
		r.end.Unanswered = end.reason == event.UserInterrupt && !timeUp(ctx)
		return r.orTimeUp(ctx, end)
	}
	reply, model, err := r.requests.reply(ctx)
	r.end.Steps++
	r.conv.Steps++
	cost := r.spend(reply, model) // before delegates start
	said, printed := r.read(reply, model)
	r.addReply(said)
	calls := callsOf(said)
	withoutTools := r.lastNote != ""
	end, notRun := r.judgeReply(ctx, reply, err, said)
	if withoutTools {
		end, notRun = r.endLastReply(ctx, end, notRun, len(calls) > 0)
	}
	end = r.orTimeUp(ctx, end)
	got := r.calls.run(ctx, calls, notRun)
	if printed && got.ran {
		r.requests.printsCalls(model)
	}
	r.conv.add(got.messages...)
	for _, m := range got.messages {
		r.final.Add(m)
	}
	r.endStep(reply, model, cost)
	if end.reason == "" && len(calls) > 0 {
		end = r.judgeResults(user, ctx, said, got)
		if end.reason == "" && got.endsTurn {
			end.reason = event.Done
		}
	}
	if end.reason == event.Done {
		return r.judgeAnswer(ctx)
	}
	return end
}

// read returns the messages of a reply of m as they are recorded, and whether they are calls
// that the reply printed as text. It shows all other text of the reply.
func (r *run) read(reply *llm.Reply, m Model) (said []llm.Message, printed bool) {
	calls := r.calls.reader
	calls.begin()
	said = reply.Messages()
	if r.lastNote == "" && !r.input.wantsText {
		said, printed = calls.printed(said, reply)
	}
	if !printed {
		r.requests.shown.release()
	}
	said = calls.understand(r.answer.unwrap(ownNames(r.conv.Prefix, distinct(r.conv.Messages, said))))
	if r.conv.textCalls[m.Name] {
		calls.doubtQuoted(said)
	}
	return said, printed
}

// judgeAnswer returns how the turn ends after the last answer of the model; the zero
// value if the model has to improve it or to read a message of the user.
func (r *run) judgeAnswer(ctx context.Context) ending {
	end, note := r.answer.judge(&r.final)
	if end.reason == event.Done && note == "" {
		note = r.moreForHooks(ctx)
	}
	if note != "" {
		r.input.note, end = note, ending{}
	}
	if r.input.addPrompts(ctx) { // the model has to read them
		return ending{}
	}
	return end
}

// addInput adds what the model gets with its next request.
func (r *run) addInput(ctx context.Context) {
	r.input.addCommands()
	r.input.addNews()
	r.input.addPrompts(ctx)
	if r.lastNote != "" { // the last message, which forbids tools
		r.input.addNotes(r.lastNote)
	}
	r.input.prefix.set()
}

// addReply adds the messages of a reply.
func (r *run) addReply(said []llm.Message) {
	for _, m := range said {
		r.out.emit(&event.MessageDone{Meta: r.out.meta(), Message: m})
		r.final.Add(m)
	}
	r.conv.add(said...)
}

// judgeResults returns how the turn ends after the calls in said, which ctx could
// interrupt; the zero value if it continues.
func (r *run) judgeResults(user, ctx context.Context, said []llm.Message, got results) ending {
	switch {
	case ctx.Err() != nil:
		return r.orTimeUp(ctx, ending{reason: event.UserInterrupt})
	case r.out.err != nil:
		return ending{reason: event.LogError}
	}
	return r.orLastReply(r.guards.afterCalls(user, said, callsOf(said), got))
}

// confirmHost asks the user whether the conversation may be sent to the host of the
// model, if that host needs approval.
func (r *run) confirmHost(ctx context.Context) ending {
	c := r.turn.Models.Current().Confirm
	if c == nil {
		return ending{}
	}
	end := r.requests.user.confirm(ctx, event.HostAsk, c.Question, c.Why,
		ending{event.ProviderError, "nothing was sent: " + c.Why, "Choose another model with /model, or " + strings.TrimRight(c.Remedy, ".") + "."})
	if end.reason == "" {
		r.turn.Models.Update(func(m Model) Model {
			m.Confirm = nil
			return m
		})
	}
	return end
}

// confirmSearch asks the user whether the model may use the web search of its provider, if
// that needs approval. A turn continues without it if the user rejects it.
func (r *run) confirmSearch(ctx context.Context) ending {
	m := r.turn.Models.Current()
	if m.ApproveSearch == nil {
		return ending{}
	}
	end := r.requests.user.confirm(ctx, event.SearchAsk, "Let "+m.Name+" search the web in this session?",
		"its provider sends search terms from the conversation to the web, and may charge for each search", ending{reason: event.Done})
	if end.reason == event.UserInterrupt {
		return end
	}
	m.ApproveSearch(end.reason == "")
	return ending{}
}

// spend counts a step. It returns its cost, which is nil if it is unknown.
func (r *run) spend(reply *llm.Reply, model Model) (cost *float64) {
	u := reply.Finish.Usage
	if model.Cost != nil {
		if usd, known := model.Cost(u); known {
			cost = &usd
		}
	}
	r.out.spend(r.turn.Budget, 1, model.Name, u, cost)
	return cost
}

// endStep emits the usage and the cost of a step.
func (r *run) endStep(reply *llm.Reply, model Model, cost *float64) {
	r.out.emit(&event.StepEnd{
		Meta: r.out.meta(), Reply: reply.ID, Model: model.Name, Finish: reply.Finish.Reason,
		Usage: reply.Finish.Usage, Cost: cost, Lost: reply.Finish.Lost,
	})
	r.out.showBudget(r.turn.Budget)
}

// distinct renames the calls in said whose ID is in msgs already: some servers count
// from 0 in every reply. It changes and returns said.
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
	return slices.DeleteFunc(slices.Clone(msgs), func(m llm.Message) bool { return m.Kind != llm.ToolCall })
}
