package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/window"
	"agent/internal/sampling"
	"agent/internal/tools"
)

// follower compacts a growing conversation as a turn does, and checks every request.
type follower struct {
	t         *testing.T
	c         window.Conversation
	budget    window.Budget
	summary   func() bool // whether the model writes a summary
	originals map[string]string
	prompts   []string
	calls     map[string]string // arguments by ID
	plan      string            // of the last todo call that worked
	steps     []event.CompactStep
}

func newFollower(t *testing.T, size, prefix int, summary func() bool) *follower {
	return &follower{t: t, budget: window.NewBudget(prefix, size, 0), summary: summary, originals: map[string]string{}, calls: map[string]string{},
		c: window.Conversation{Outputs: "/out"}}
}

// add adds the next messages.
func (f *follower) add(msgs ...llm.Message) {
	for _, m := range msgs {
		switch m.Kind {
		case llm.User:
			f.prompts = append(f.prompts, m.Text)
		case llm.ToolCall:
			f.calls[m.ID] = string(m.Input)
		case llm.ToolResult:
			var args struct{ Items []event.TodoItem }
			i := slices.IndexFunc(f.c.Messages, func(c llm.Message) bool { return c.Kind == llm.ToolCall && c.ID == m.ID })
			if i >= 0 && f.c.Messages[i].Name == "todo" && !m.IsError && json.Unmarshal(f.c.Messages[i].Input, &args) == nil && len(args.Items) > 0 {
				f.plan = args.Items[0].Text
			}
		}
		f.c.Messages = append(f.c.Messages, m)
	}
}

// request makes room for the next request and checks it.
func (f *follower) request() {
	f.t.Helper()
	if f.c.Meter.Of(f.budget.Prefix, f.c.Messages) <= f.budget.Start {
		return // nothing has changed
	}
	plan := window.MakePlan(f.c, f.budget, true)
	if plan.NeedsSummary {
		req, ok := window.SummaryRequest(f.c.Messages, "", f.budget.Limit)
		if used := window.PrefixTokens(req.System, nil) + window.Tokens(req.Messages); !ok || used > f.budget.Limit {
			f.t.Errorf("the request for a summary has %d tokens, the limit is %d", used, f.budget.Limit)
		}
		if plan = window.MakePlan(f.c, f.budget, false); f.summary() {
			plan = window.PlanSummary(f.c, f.budget, event.Compacted{Text: "## Goal\nto be summarized"})
		}
	}
	for _, e := range plan.Steps {
		f.apply(e)
	}
	if !plan.Fits {
		for _, m := range f.c.Messages {
			f.t.Logf("%d tokens: %.80s", window.Tokens([]llm.Message{m}), line(m))
		}
		f.t.Errorf("the plan does not fit: %v", f.steps)
	}
	f.check()
}

func (f *follower) apply(e *event.Compacted) {
	out, marks, originals := window.Apply(f.c.Messages, f.c.Marks, e)
	again, _, _ := window.Apply(f.c.Messages, f.c.Marks, e)
	if fmt.Sprint(again) != fmt.Sprint(out) {
		f.t.Errorf("%s has two results", e.Step)
	}
	for _, o := range originals {
		f.originals[o.Name] = o.Text
	}
	f.c.Messages, f.c.Marks, f.c.Meter = out, marks, f.c.Meter.Compacted(f.budget.Prefix, f.c.Messages)
	f.steps = append(f.steps, e.Step)
}

// check checks that the conversation can be sent.
func (f *follower) check() {
	f.t.Helper()
	msgs := f.c.Messages
	if used := f.budget.Prefix + window.Tokens(msgs); used > f.budget.Limit {
		f.t.Errorf("%d tokens after %v, the limit is %d", used, f.steps, f.budget.Limit)
	}
	if err := valid(msgs); err != nil {
		f.t.Errorf("after %v: %v", f.steps, err)
	}
	var sent, inputs strings.Builder
	for _, m := range msgs {
		sent.WriteString(m.Text + "\n")
		if m.Kind == llm.ToolCall {
			inputs.Write(m.Input)
			if string(m.Input) != f.calls[m.ID] {
				f.t.Errorf("the arguments of %s have changed to %s", m.ID, m.Input)
			}
		}
	}
	if f.plan != "" && !strings.Contains(sent.String(), f.plan) && !strings.Contains(inputs.String(), f.plan) {
		f.t.Errorf("after %v the plan is missing", f.steps)
	}
	f.checkPrompts(sent.String())
}

// checkPrompts checks that sent has the messages of the user, or their beginnings and
// a file with the full texts.
func (f *follower) checkPrompts(sent string) {
	f.t.Helper()
	merged := slices.Contains(f.steps, event.CompactMerge)
	for i, p := range f.prompts {
		if strings.Contains(sent, p) {
			continue
		}
		if !f.reachable(sent, p) {
			f.t.Fatalf("message %d of the user is lost after %v: %.60q", i, f.steps, p)
		}
		if !merged && !strings.Contains(sent, window.Prefix(p, 20)) {
			f.t.Fatalf("the beginning of message %d of the user is missing after %v: %.60q", i, f.steps, p)
		}
	}
}

// reachable reports whether a file that text names has the text wanted, or one that
// it names in turn.
func (f *follower) reachable(text, wanted string) bool {
	seen := map[string]bool{}
	for texts := []string{text}; len(texts) > 0; texts = texts[1:] {
		if strings.Contains(texts[0], wanted) {
			return true
		}
		for name, original := range f.originals {
			if !seen[name] && strings.Contains(texts[0], name) {
				seen[name] = true
				texts = append(texts, original)
			}
		}
	}
	return false
}

// randomText returns a text of n bytes in one of several scripts.
func randomText(r *rand.Rand, n int) string {
	kinds := []string{"the quick brown fox ", "窓の大きさを測る。", "func (c *Call) Run(ctx context.Context) error {\n\t", "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ", "0123456789,-17.5e3,", "Привет, мир. "}
	text := kinds[r.IntN(len(kinds))]
	return window.Prefix(fmt.Sprintf("%d %s", r.IntN(1e9), strings.Repeat(text, n/len(text)+1)), n)
}

// size returns a random size that is usually small.
func size(r *rand.Rand, most int) int {
	return 20 + int(float64(most)*r.Float64()*r.Float64()*r.Float64())
}

// Every request of a random session fits its window, and has the messages of the user,
// the plan, and one result for every call with unchanged arguments.
func TestRequestsOfRandomSessionsFit(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	steps := map[event.CompactStep]int{}
	seeds := 7
	if sampling.Whole() {
		seeds = 14
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 14))
		tokens := []int{8_000, 12_000, 16_000, 32_000, 64_000, 128_000, 200_000}[seed%7]
		f := newFollower(t, tokens, tokens/8, func() bool { return seed%3 > 0 })
		for reply := 0; reply < 80 && reply < 2_000_000/tokens && !t.Failed(); reply++ {
			if reply == 0 || r.IntN(6) == 0 {
				f.add(llm.Message{Kind: llm.User, Text: randomText(r, size(r, tokens*3))})
			}
			f.request()
			randomReply(r, f, fmt.Sprint("r", reply), tokens)
		}
		for _, s := range f.steps {
			steps[s]++
		}
		if t.Failed() {
			t.Fatalf("seed %d, %d tokens", seed, tokens)
		}
	}
	for _, s := range []event.CompactStep{event.CompactPrompts, event.CompactResults, event.CompactAllResults, event.CompactList, event.CompactSummary, event.CompactMerge, event.CompactLatest} {
		if steps[s] == 0 {
			t.Errorf("no session needed the step %s: %v", s, steps)
		}
	}
}

// randomReply adds a reply of the model with its results.
func randomReply(r *rand.Rand, f *follower, reply string, tokens int) {
	say := func(m llm.Message) { m.Reply = reply; f.add(m) }
	if r.IntN(3) == 0 {
		say(llm.Message{Kind: llm.Thinking, Text: randomText(r, size(r, 4000))})
	}
	if r.IntN(3) == 0 {
		say(llm.Message{Kind: llm.Assistant, Text: randomText(r, size(r, 6000))})
	}
	n := r.IntN(4)
	if r.IntN(20) == 0 {
		n = 20
	}
	var results []llm.Message
	for i := range n {
		id := fmt.Sprint(reply, "c", i)
		name, input := "read", fmt.Sprintf(`{"path":"f%d.go"}`, r.IntN(20))
		switch r.IntN(8) {
		case 0:
			name, input = "write", fmt.Sprintf(`{"path":"f%d.go","content":%q}`, r.IntN(20), window.Prefix(strings.Repeat("a line of code\n", 1+r.IntN(100)), 1500))
		case 1:
			name, input = "todo", fmt.Sprintf(`{"items":[{"text":"the plan of %s","state":"active"}]}`, id)
		}
		say(llm.Message{Kind: llm.ToolCall, ID: id, Name: name, Input: json.RawMessage(input)})
		m := llm.Message{Kind: llm.ToolResult, Reply: reply, ID: id, Text: randomText(r, size(r, 12_000)), IsError: r.IntN(10) == 0}
		if r.IntN(15) == 0 {
			m.Images = []llm.Image{{MediaType: "image/png", Data: []byte("png")}}
		}
		results = append(results, m)
	}
	f.add(results...)
}

// Every request of a recorded session fits windows of all sizes. The sessions are the
// golden logs and some that scripted models make with real tools.
func TestRequestsOfRecordedSessionsFit(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	logs := map[string][]history.Record{"built": builtSession(t)}
	logs["everything"], _ = fullSession(t)
	names, err := filepath.Glob(filepath.Join(goldenSessions, "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, name := range names {
		logs[filepath.Base(name)] = readable(t, name)
	}
	for name, records := range logs {
		t.Run(name, func(t *testing.T) {
			state, err := session.ReplayRecords(of(slices.DeleteFunc(slices.Clone(records), func(r history.Record) bool {
				typ, _ := event.NameIn(r.Body)
				return typ == "compact"
			})))
			if err != nil {
				t.Fatal(err)
			}
			for _, tokens := range sampling.List([]int{8_000, 16_000, 32_000, 64_000, 200_000}) {
				for _, summary := range []bool{true, false} {
					f := newFollower(t, tokens, 2000, func() bool { return summary })
					for i, m := range state.Messages {
						if i > 0 && m.Kind != llm.ToolResult && m.Reply != state.Messages[i-1].Reply && valid(f.c.Messages) == nil {
							f.request()
						}
						f.add(m)
					}
					f.request()
				}
			}
		})
	}
}

// builtSession returns a long session that a scripted model made with tools.
func builtSession(t *testing.T) (records []history.Record) {
	log := history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer log.Close()
	replies := []script.Reply{script.Call("t1", "todo", `{"items":[{"text":"look at everything","state":"active"}]}`)}
	replies = append(replies, lookups(40)...)
	replies = append(replies, script.Say(long("the answer")), script.Call("x1", "change", args("a.go")))
	for i := range 30 {
		replies = append(replies, script.Reply{}.Text("next").Call(fmt.Sprint("y", i), "look", args(fmt.Sprint("y", i))).Call(fmt.Sprint("z", i), "change", args(strings.Repeat("z", 40*i))).Calls())
	}
	o := options(script.New(append(replies, script.Say("done"))...), verbose(), echo("change", tools.Write))
	o.Log, o.Models.Current.Context, o.TurnBudget = log, 0, event.Budget{event.LimitSteps: 1000}
	play(t, o, []string{"build it", long("and then")}, nil)
	for r, err := range recorded(log) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// counter is a provider that counts the tokens of requests in its own way, and
// rejects those that do not fit its window.
type counter struct {
	window   int
	reply    func(n int, req llm.Request) script.Reply // answers request n
	requests []llm.Request                             // accepted
	rejected int
}

// count counts a token per three bytes.
func (p *counter) count(req llm.Request) int {
	n := len(req.System)
	for _, s := range req.Tools {
		n += len(s.Name) + len(s.Description) + len(s.Schema)
	}
	for _, m := range req.Messages {
		n += 20 + len(m.Text) + len(m.Input) + len(m.Name) + len(m.ID)
	}
	return n / 3
}

func (p *counter) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	n := p.count(req)
	if n > p.window {
		p.rejected++
		return script.New(script.Fail(&llm.Error{Kind: llm.ErrTooLong, Provider: "counter", Status: 400,
			Message: fmt.Sprintf("maximum context length is %d tokens, but the request has %d", p.window, n)})).Stream(ctx, req)
	}
	reply := p.reply(len(p.requests), req)
	p.requests = append(p.requests, req)
	return script.New(using(reply, n)).Stream(ctx, req)
}

// A session of 300 steps with results of 1.9 KB ends with the goal, the instructions
// and the plan in its last request. At most one request is rejected for its size.
func TestLongSessionInASmallWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	const steps, windowSize = 300, 32_000
	p := &counter{window: windowSize}
	p.reply = func(n int, req llm.Request) script.Reply {
		switch {
		case len(req.Tools) == 0: // a summary
			return script.Say("## Goal\nlook at 300 files")
		case n == 0:
			return script.Call("plan", "todo", `{"items":[{"text":"look at all 300 files","state":"active"},{"text":"report","state":"pending"}]}`)
		case n <= steps:
			return script.Call(fmt.Sprint("c", n), "look", args(fmt.Sprintf("dir/file%d.go", n)))
		}
		return script.Say("done")
	}
	look := tool("look", tools.Read, func(_ context.Context, name string) (string, error) {
		return name + "\n" + strings.Repeat("func f(a int) error { return nil } // of it\n", 43), nil
	})
	o := options(p, look)
	o.Models.Current.Context, o.TurnBudget = windowSize, event.Budget{event.LimitSteps: float64(2 * steps)}
	o.Prompt.System = "system prompt\nfrom AGENTS.md: run make check"
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	events := play(t, o, []string{"GOAL: look at every file and report"}, nil)
	end := events[len(events)-1].(*event.TurnEnd)
	if end.Reason != event.Done || end.Steps != steps+2 {
		t.Fatalf("the turn ended with %s after %d steps: %s", end.Reason, end.Steps, end.Error)
	}
	last := p.requests[len(p.requests)-1]
	text := conversation(last)
	for _, want := range []string{"GOAL: look at every file and report", "look at all 300 files", fmt.Sprintf("dir/file%d.go", steps)} {
		if !strings.Contains(text, want) {
			t.Errorf("the last request has no %q:\n%.2000s", want, text)
		}
	}
	if !strings.Contains(last.System, "from AGENTS.md: run make check") {
		t.Errorf("the last request has the system prompt %q", last.System)
	}
	if p.rejected > 1 {
		t.Errorf("%d requests were rejected for their size", p.rejected)
	}
	t.Logf("%d requests, %d rejected, %d compactions", len(p.requests), p.rejected, len(compactions(events)))
	state, err := session.ReplayRecords(recorded(o.Log))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(last.Messages, state.Messages[:len(last.Messages)], cmpopts.EquateEmpty()); d != "" {
		t.Errorf("a resumed session has other messages: %s", d)
	}
}
