package window

import (
	"cmp"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// replyRoom is the part of the window reserved for the reply, in tokens, if the model
// has no limit of its own.
const replyRoom = 8 << 10

// Budget is how many tokens requests to a model may use.
type Budget struct {
	Prefix int // used by what precedes the messages
	Limit  int // of a request; it is never exceeded
	Start  int // of a request that is compacted
	Enough int // of a request after a compaction
	Usable int // of a request after a compaction that needs no summary
}

// NewBudget returns the budget for a model with that context window, whose replies
// have at most reply tokens, or a default for 0. prefix is the estimate of what
// precedes the messages.
func NewBudget(prefix, window, reply int) Budget {
	return Budget{Prefix: prefix}.Within(window - min(cmp.Or(reply, replyRoom), window/5))
}

// Within returns b with another limit.
func (b Budget) Within(limit int) Budget {
	b.Limit = limit
	free := max(limit-b.Prefix, 0)
	b.Start, b.Enough, b.Usable = limit-free*8/100, limit-free/2, limit-free*30/100
	return b
}

// Fits reports whether the prefix leaves room for a prompt.
func (b Budget) Fits() bool {
	const least = 500
	return b.Limit-b.Prefix >= least
}

// bytes returns the size of a text that uses a percentage of the window.
func (b Budget) bytes(percent int) int { return max(b.Limit*percent/100*15/4, 100) }

// Conversation is the input of a compaction.
type Conversation struct {
	Messages []llm.Message
	Marks    Marks
	Meter    Meter
	Outputs  string // directory for originals; empty if they are not saved
	Why      string // for the user
}

// Plan is a sequence of steps that make a conversation fit.
type Plan struct {
	Steps        []*event.Compacted // without times, to be applied in order
	Fits         bool               // the result fits
	NeedsSummary bool               // mild steps are not enough: there are no Steps, and a summary is needed
}

// planner applies steps as it plans them.
type planner struct {
	Conversation
	b     Budget
	used  int
	steps []*event.Compacted
}

func newPlanner(c Conversation, b Budget) *planner {
	used := c.Meter.Of(b.Prefix, c.Messages)
	c.Meter = c.Meter.Compacted(b.Prefix, c.Messages)
	return &planner{Conversation: c, b: b, used: used}
}

// MakePlan returns the mildest steps after which c uses at most b.Enough tokens: it
// replaces long results, then all old results, then lists old calls. If these steps do
// not suffice, it accepts a result of at most b.Usable tokens. If they do not reach
// that either, the plan needs a summary if summary is set; otherwise it shortens more
// and more content until c fits.
func MakePlan(c Conversation, b Budget, summary bool) Plan {
	var p *planner
	for _, enough := range []int{b.Enough, b.Usable} {
		if p = newPlanner(c, b); p.mild(enough) {
			return p.plan()
		}
	}
	if summary && p.canSummarize() {
		return Plan{NeedsSummary: true}
	}
	p.shrink()
	return p.plan()
}

// PlanSummary returns the steps that replace old messages with a summary, and those
// that are needed after it.
func PlanSummary(c Conversation, b Budget, written event.Compacted) Plan {
	p := newPlanner(c, b)
	var all []event.Compacted
	for _, replies := range []int{4, 2, 1} {
		e := written
		e.Step, e.Replies = event.CompactSummary, replies
		all = append(all, e)
	}
	p.try(b.Enough, all...)
	p.shrink()
	return p.plan()
}

// PlanRequested returns the steps of a compaction that the user requested: the
// written summary, or a list of old calls if there is none.
func PlanRequested(c Conversation, b Budget, written event.Compacted) Plan {
	p := newPlanner(c, b)
	if written.Replies = 1; written.Text == "" {
		written.Step = event.CompactList
	} else {
		written.Step = event.CompactSummary
	}
	p.try(0, written)
	return p.plan()
}

// plan returns the steps.
func (p *planner) plan() Plan {
	return Plan{Steps: p.steps, Fits: p.b.Limit == 0 || p.used <= p.b.Limit}
}

// canSummarize reports whether there is anything to summarize, and room for the
// request.
func (p *planner) canSummarize() bool {
	return len(summarizable(p.Messages)) > 0 && p.b.Limit > 2*TextTokens(summaryPrompt)
}

// mild applies the steps that lose little, until at most enough tokens are used. It
// reports whether that worked.
func (p *planner) mild(enough int) bool {
	return p.try(enough, event.Compacted{Step: event.CompactPrompts, Limit: p.b.bytes(20)}) ||
		p.try(enough, keeping(event.CompactResults, 10, 8, 6, 5, 4, 3, 2, 1)...) ||
		p.try(enough, keeping(event.CompactAllResults, 10)...) ||
		p.try(enough, keeping(event.CompactList, 10)...)
}

// shrink shortens until the conversation fits, the latest prompt last. Pinned items
// stay complete as long as possible.
func (p *planner) shrink() {
	if p.used <= p.b.Start {
		return
	}
	if p.force(); p.used > p.b.Limit && len(p.Marks.pinned) > 0 {
		p.apply(event.Compacted{Step: event.CompactUnpin})
		p.force()
	}
}

// force applies ever stronger steps until the conversation fits.
func (p *planner) force() {
	limited := func(step event.CompactStep, percents ...int) (all []event.Compacted) {
		for _, n := range percents {
			all = append(all, event.Compacted{Step: step, Limit: p.b.bytes(n)})
		}
		return all
	}
	for _, candidates := range [][]event.Compacted{
		keeping(event.CompactList, 4, 2, 1),
		keeping(event.CompactResults, 1, 0),
		keeping(event.CompactAllResults, 0),
		keeping(event.CompactAnswers, 4, 1, 0),
		limited(event.CompactPrompts, 10, 5, 2, 1),
		keeping(event.CompactList, 0),
		{{Step: event.CompactSummary, Text: p.digest()}},
		limited(event.CompactMerge, 10, 2),
		limited(event.CompactLatest, 20, 10, 5),
	} {
		if p.try(p.b.Start, candidates...) {
			return
		}
	}
}

// digest returns a summary that is written by rules: the end of the list of actions,
// and the beginning of the last answer.
func (p *planner) digest() string {
	out, _, _ := Apply(p.Messages, p.Marks, &event.Compacted{Step: event.CompactList})
	list, answer := "", ""
	for _, m := range out {
		switch {
		case m.Reply == listNote || m.Reply == summaryNote:
			_, text, _ := strings.Cut(m.Text, "]\n")
			list += text + "\n"
		case m.Kind == llm.Assistant:
			answer = m.Text
		}
	}
	most := p.b.bytes(4)
	return "What was done last: " + strings.ToValidUTF8(list[max(len(list)-most, 0):], "") + "\nThe last answer: " + oneLine(answer, most/2)
}

// keeping returns a step for each number of replies that stay complete.
func keeping(step event.CompactStep, replies ...int) (all []event.Compacted) {
	for _, n := range replies {
		all = append(all, event.Compacted{Step: step, Replies: n})
	}
	return all
}

// try applies the first of candidates after which at most enough tokens are used, or
// the last that saves any. It reports whether that is enough.
func (p *planner) try(enough int, candidates ...event.Compacted) bool {
	if p.used <= enough {
		return true
	}
	best, used := -1, p.used
	for i, c := range candidates {
		c.Outputs = p.Outputs
		out, _, _ := Apply(p.Messages, p.Marks, &c)
		if after := p.Meter.Of(p.b.Prefix, out); after < used {
			best, used = i, after
		}
		if used <= enough {
			break
		}
	}
	if best >= 0 {
		p.apply(candidates[best])
	}
	return p.used <= enough
}

// apply applies a step.
func (p *planner) apply(e event.Compacted) {
	e.Outputs, e.Why = p.Outputs, p.Why
	p.Messages, p.Marks, _ = Apply(p.Messages, p.Marks, &e)
	used := p.Meter.Of(p.b.Prefix, p.Messages)
	e.Saved, p.used = max(p.used-used, 0), used
	p.steps = append(p.steps, &e)
}
