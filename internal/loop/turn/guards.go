package turn

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/budget"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/standing"
)

const (
	// maxFailing is the number of consecutive steps in which every call may fail
	// before the user is asked.
	maxFailing = 3
	// maxRepeats is how often the same calls with the same results, or the same text,
	// may come in a row before the user is asked: in one step, or in a cycle of steps.
	maxRepeats = 3
	// maxCycle is the longest recognized cycle, in steps: A-B-C-A-B-C.
	maxCycle = 6
	// leastText is the length of a text, in bytes, that steps should not repeat.
	leastText = 100
)

// guards stop a turn at its limits, and one that makes no progress: the same calls or
// the same text over and over, or only failed calls. They ask the user first, except
// in a delegate.
type guards struct {
	user      confirmer
	delegated bool // the turn is that of a delegate
	fixed     bool // as in Limits
	budget    *budget.Account
	failing   int         // consecutive steps whose calls all failed
	recent    []*pastStep // the last steps
	text      string      // of the last step
	same      int         // consecutive steps with that text
}

// pastStep identifies the calls of a step.
type pastStep struct {
	calls   [sha256.Size]byte
	results []string
	timed   bool   // results contain the times in them
	title   string // of the first call
}

// same reports whether the steps have made the same calls with the same results, apart from the
// times in them.
func (p *pastStep) same(other *pastStep) bool {
	if p.calls != other.calls { // the usual case
		return false
	}
	p.dropTimes()
	other.dropTimes()
	return slices.Equal(p.results, other.results)
}

func (p *pastStep) dropTimes() {
	if !p.timed {
		return
	}
	p.timed = false
	for i, text := range p.results {
		p.results[i] = times.ReplaceAllString(text, "")
	}
}

// beforeStep enforces the limits.
func (g *guards) beforeStep(ctx context.Context) ending {
	steps := DefaultMaxSteps
	switch {
	case g.delegated:
		steps = DelegateMaxSteps
	case !g.user.attended() && g.budget.Bounded():
		steps = math.MaxInt
	}
	for {
		e, over := g.budget.Over(steps)
		if !over {
			return ending{}
		}
		question, why, end := aboutLimit(e, g.user.attended())
		if g.delegated {
			end = endDelegate(e)
		}
		if g.fixed {
			end.hint = ""
		}
		if end = g.user.confirm(ctx, event.StepsAsk, question, why, end); end.reason != "" {
			return end
		}
		g.budget.Continue(e)
	}
}

// aboutLimit returns the question whether to continue after a limit, the reason for
// it, and how the turn ends otherwise.
func aboutLimit(e budget.Excess, attended bool) (question, why string, end ending) {
	used, amount := e.Limit.Words(e.Used), e.Limit.Words(e.Amount)
	end.reason = event.OverBudget
	flag := flagOf(e)
	if e.Limit == event.LimitSteps {
		end.reason = event.MaxSteps
	}
	end.hint = "Send a message to continue, or raise the limit with " + flag + " or /budget."
	if !attended {
		end.hint = "Raise the limit with " + flag + ", or continue the session with a new prompt."
	}
	switch {
	case e.Session:
		end.err = fmt.Sprintf("stopped: the session has used %s, and its limit is %s", used, amount)
		if !attended {
			end.hint = "Raise the limit with --session-budget."
		}
		return used + " so far in this session. Continue?", "the session pauses every " + amount + " (" + flag + ")", end
	case used != amount:
		end.err = fmt.Sprintf("stopped after %s: the limit of one turn is %s", used, amount)
	default:
		end.err = fmt.Sprintf("stopped after %s, the limit of one turn", used)
	}
	return used + " so far. Continue?", "a turn pauses every " + amount + " (" + flag + ")", end
}

// flagOf returns the flag that sets the limit e.
func flagOf(e budget.Excess) string {
	if e.Session {
		return "--session-budget"
	}
	return "--" + map[event.Limit]string{event.LimitSteps: "max-steps", event.LimitTokens: "token-budget", event.LimitCost: "max-cost", event.LimitTime: "max-time"}[e.Limit]
}

// endDelegate returns how the turn of a delegate ends at a limit.
func endDelegate(e budget.Excess) ending {
	_, _, end := aboutLimit(e, false)
	switch {
	case !e.Parent && e.Limit == event.LimitCost:
		end.hint = "Raise max_cost of the agent, or delegate a smaller task."
	case !e.Parent:
		end.hint = "Raise max_steps of the agent, or delegate a smaller task."
	default:
		of := "turn"
		if e.Session {
			of = "session"
		}
		end.err = fmt.Sprintf("stopped: the %s that delegated has used %s, and its limit is %s", of, e.Limit.Words(e.Used), e.Limit.Words(e.Amount))
		end.hint = "Raise the limit with " + flagOf(e) + " or /budget."
	}
	return end
}

// afterCalls checks a step: its messages said, its calls and their results.
func (g *guards) afterCalls(ctx context.Context, said, calls []llm.Message, got results) ending {
	g.failing++
	if got.worked {
		g.failing = 0
	}
	if g.failing >= maxFailing {
		did := fmt.Sprintf("every tool call in %d consecutive steps failed", g.failing)
		g.failing = 0
		first, _, _ := strings.Cut(got.messages[len(got.messages)-1].Text, ". ") // the rest is advice to the model
		return g.noProgress(ctx, event.AllFailed, did, first)
	}
	if text := textOf(said); g.repeats(text) {
		return g.noProgress(ctx, event.Repeating, fmt.Sprintf("the model wrote the same text in %d consecutive steps", maxRepeats), text)
	}
	length := g.cycle(calls, got.compared)
	if length == 0 {
		return ending{}
	}
	trigger := g.cycleTitles(length)
	g.recent = nil
	did := fmt.Sprintf("the model made the same call %d times, with the same result", maxRepeats)
	if length > 1 {
		did = fmt.Sprintf("the model repeated the same %d steps %d times, with the same results", length, maxRepeats)
	}
	return g.noProgress(ctx, event.Repeating, did, trigger)
}

// noProgress asks whether a turn may continue in which something happened, which
// trigger shows.
func (g *guards) noProgress(ctx context.Context, reason event.Reason, happened, trigger string) ending {
	trigger = phrase.OneLine(trigger, maxArgument)
	return g.user.confirm(ctx, event.StepsAsk, strings.ToUpper(happened[:1])+happened[1:]+". Continue?", "the model may be in a loop: "+trigger,
		ending{reason, "stopped: " + happened + ": " + trigger, "Tell the model what to do differently."})
}

// repeats adds the text of a step. It reports whether the last maxRepeats steps had
// the same long text.
func (g *guards) repeats(text string) bool {
	if g.same++; text != g.text {
		g.text, g.same = text, 1
	}
	if len(text) < leastText || g.same < maxRepeats {
		return false
	}
	g.same = 0
	return true
}

// textOf returns the text of the model in messages.
func textOf(said []llm.Message) string {
	var texts []string
	for _, m := range said {
		if m.Kind == llm.Assistant {
			texts = append(texts, m.Text)
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// cycle adds a step. It returns the length of the cycle of steps that the last steps
// have repeated maxRepeats times; 0 if there is none.
func (g *guards) cycle(calls []llm.Message, results []string) int {
	h := sha256.New()
	for _, c := range calls {
		fmt.Fprintf(h, "%q %q\n", c.Name, untimed(c))
	}
	g.recent = append(g.recent, &pastStep{[sha256.Size]byte(h.Sum(nil)), slices.Clone(results), true, titleOf(calls[0])})
	g.recent = g.recent[max(0, len(g.recent)-maxCycle*maxRepeats):]
	for length := 1; length <= maxCycle; length++ {
		first := len(g.recent) - length*maxRepeats
		if first >= 0 && slices.EqualFunc(g.recent[first:len(g.recent)-length], g.recent[first+length:], (*pastStep).same) {
			return length
		}
	}
	return 0
}

// times matches how long something took, and times of day: "0.013s", "(4 ms)", "in 1m2s",
// "2026-01-02 15:04:05". A bare number of seconds can be progress, such as the time left.
var times = regexp.MustCompile(`(?i)\b(\d+h)?(\d+m)?\d+\.\d+ ?(s|secs?|seconds?)\b|\b\d+(\.\d+)? ?(ms|µs|us|ns|milliseconds?)\b|` +
	`(\b(in|took|time:) +|\()(\d+h)?(\d+m)?\d+ ?(s|secs?|seconds?)\b|` +
	`(\b\d{4}-\d\d-\d\d[T ])?\b([01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?(Z|[+-]\d\d:?\d\d)?\b`)

// timeLimits are the arguments of a command that limit its time.
var timeLimits = []string{"timeout_seconds", "quiet_seconds", "wait_seconds"}

// untimed returns the arguments of a call without those that limit its time.
func untimed(c llm.Message) string {
	var args map[string]json.RawMessage
	if c.Name != "shell" && c.Name != "jobs" || json.Unmarshal(c.Input, &args) != nil {
		return string(c.Input)
	}
	for _, name := range timeLimits {
		delete(args, name)
	}
	b, err := json.Marshal(args) // sorted
	if err != nil {
		return string(c.Input)
	}
	return string(b)
}

// cycleTitles returns the titles of the last length steps.
func (g *guards) cycleTitles(length int) string {
	var titles []string
	for _, p := range g.recent[len(g.recent)-length:] {
		titles = append(titles, p.title)
	}
	return strings.Join(titles, ", ")
}

// confirmer asks the user to confirm something about the turn. Without a user the
// answer is no.
type confirmer struct{ approver Approver }

// attended reports whether there is a user.
func (c confirmer) attended() bool { return c.approver != nil }

// confirm asks a question and waits for the answer. It returns the zero ending if
// the user approves, rejected if not.
func (c confirmer) confirm(ctx context.Context, id, question, why string, rejected ending) ending {
	if !c.attended() {
		return rejected
	}
	answer, _, err := c.approver.Approve(ctx, event.Ask{ID: id, Title: question, Why: why}, standing.Grant{})
	switch {
	case err != nil:
		return ending{reason: event.UserInterrupt}
	case answer.Decision == event.Refuse:
		return rejected
	}
	return ending{}
}
