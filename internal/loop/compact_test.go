package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/loop/window"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// long is an output of 6 KB.
func long(of string) string { return strings.Repeat(of+" says something.\n", 6<<10/(len(of)+17)) }

// verbose returns a tool with long outputs.
func verbose() tools.Tool {
	return tools.New("look", "a tool for tests", func(_ context.Context, a textArgs) (tools.Call, error) {
		return tools.Call{Title: "look " + a.Text, Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			return tools.Result{Text: long(a.Text), Reads: []workspace.Reading{{Path: a.Text, Sum: "1", First: 1, Last: 9}}}, nil
		}}, nil
	})
}

// using returns r with a usage.
func using(r script.Reply, input int) script.Reply {
	for i, d := range r.Deltas {
		if f, ok := d.(llm.Finish); ok {
			f.Usage = llm.Usage{Input: input, Output: 10}
			r.Deltas[i] = f
		}
	}
	return r
}

// lookups returns n replies with one call each.
func lookups(n int) (replies []script.Reply) {
	for i := range n {
		id := fmt.Sprintf("c%d", i+1)
		replies = append(replies, script.Call(id, "look", args(id)))
	}
	return replies
}

// sameAsReplayed checks that the last request has the messages that a replay of the log
// returns, and returns them.
func sameAsReplayed(t *testing.T, log *history.Log, p *script.Provider) []llm.Message {
	t.Helper()
	state, err := session.ReplayRecords(recorded(log))
	if err != nil {
		t.Fatal(err)
	}
	requests := p.Requests()
	told := requests[len(requests)-1].Messages
	if d := cmp.Diff(told, state.Messages[:len(told)], cmpopts.EquateEmpty()); d != "" {
		t.Errorf("told and replayed: %s", d)
	}
	if err := valid(state.Messages); err != nil {
		t.Error(err)
	}
	return told
}

// compactions returns the Compacted events.
func compactions(events []event.Event) (out []event.Compacted) {
	for _, e := range events {
		if c, ok := e.(*event.Compacted); ok {
			out = append(out, *c)
		}
	}
	return out
}

// /compact replaces the conversation with a summary that a model writes without tools.
// The messages of the user stay, and the log replays to what the model is sent. Undo
// restores everything.
func TestCompactCommand(t *testing.T) {
	p := script.New(append(lookups(10), script.Say("done"), using(script.Say("## Goal\nlook at c1 to c10"), 500), script.Say("more"), script.Say("again"))...)
	o := options(p, verbose())
	o.Workspace.Ledger = workspace.NewLedger()
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	events := command(t, o, []event.Command{
		event.Prompt{Text: "one"}, event.Compact{Focus: "the tests"}, event.Prompt{Text: "two"},
		event.EditContext{Step: event.CompactEdit, Text: "edited by hand"},
		event.EditContext{Step: event.CompactUndo}, event.Prompt{Text: "three"},
	}, func(e event.Event) bool {
		c, edit := e.(*event.Compacted)
		_, end := e.(*event.TurnEnd)
		return end || edit && c.Step != event.CompactSummary
	})
	c := compactions(events)
	if len(c) != 3 || c[0].Step != event.CompactSummary || c[0].Saved < 2000 || c[0].Why != "requested" || c[0].Model != "script/test" || c[0].Usage.Input != 500 {
		t.Fatalf("got %+v, want a summary\n%s", c, trace(events))
	}
	if c[2].Step != event.CompactUndo || c[2].Saved > -2000 {
		t.Errorf("got %+v, want an undo that restores the tokens", c[2])
	}
	requests := p.Requests()
	asked := requests[11]
	if len(asked.Tools) > 0 || len(asked.Messages) != 1 || !strings.Contains(asked.Messages[0].Text, "the tests") || !strings.Contains(asked.Messages[0].Text, "c9 says something.") {
		t.Errorf("the request for the summary has %d tools and says %.200q", len(asked.Tools), asked.Messages[0].Text)
	}
	want := "user \"one\"\nuser " + fmt.Sprintf("%q", requests[12].Messages[1].Text) + "\nassistant \"done\"\nuser \"two\"\n"
	if got := conversation(requests[12]); got != want || !strings.HasSuffix(requests[12].Messages[1].Text, "]\n## Goal\nlook at c1 to c10") {
		t.Errorf("after the summary the model is sent\n%s", got)
	}
	_, rest, _ := strings.Cut(requests[12].Messages[1].Text, "Full text: ")
	name, _, _ := strings.Cut(rest, ".]")
	if text, err := os.ReadFile(name); err != nil || !strings.Contains(string(text), long("c3")) {
		t.Errorf("%q has not the full conversation: %v", name, err)
	}
	if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read %s: %v", name, info.Mode())
	}
	last := sameAsReplayed(t, o.Log, p)
	if got := last[2].Text; got != long("c1") {
		t.Errorf("after undo the first result is %.60q", got)
	}
	if d := cmp.Diff([]string{last[0].Text, last[len(last)-3].Text, last[len(last)-1].Text}, []string{"one", "two", "three"}); d != "" {
		t.Error(d)
	}
}

// If the summary fails, the calls are listed instead, and the user gets a notice.
func TestCompactCommandWithoutSummary(t *testing.T) {
	p := script.New(append(lookups(3), script.Say("done"), script.Fail(&llm.Error{Kind: llm.ErrQuota, Provider: "p", Message: "no credit"}), script.Say("more"))...)
	o := options(p, verbose())
	events := command(t, o, []event.Command{event.Prompt{Text: "one"}, event.Compact{}, event.Prompt{Text: "two"}},
		func(e event.Event) bool { _, end := e.(*event.TurnEnd); return end })
	if c := compactions(events); len(c) != 1 || c[0].Step != event.CompactList || !strings.Contains(trace(events), "notice The conversation cannot be summarized: p: no credit. Earlier tool calls are listed instead.") {
		t.Errorf("got %+v\n%s", c, trace(events))
	}
	last := conversation(p.Requests()[len(p.Requests())-1])
	if !strings.Contains(last, "look; look; look") && !strings.Contains(last, "\\nlook") {
		t.Errorf("the model is sent\n%s", last)
	}
}

// A short conversation is not compacted, also in a window of unknown size.
func TestNothingToCompact(t *testing.T) {
	p := script.New(using(script.Say("done"), 1500))
	o := options(p, verbose())
	o.Models.Current.Context = 0
	events := command(t, o, []event.Command{event.Prompt{Text: "one"}, event.Compact{}}, func(e event.Event) bool { _, end := e.(*event.TurnEnd); return end })
	if c := compactions(events); len(c) > 0 || strings.Count(trace(events), "notice") != 1 || !strings.Contains(trace(events), "notice Nothing to compact.") {
		t.Errorf("got %+v\n%s", c, trace(events))
	}
}

// The summary is written by the configured model.
func TestSummaryModel(t *testing.T) {
	small := script.New(script.Say("short"))
	p := script.New(append(lookups(3), script.Say("done"))...)
	o := options(p, verbose())
	o.Models.Summary = "other/small"
	o.Models.Find = func(name, _ string) (turn.Model, error) {
		return turn.Model{Name: name, ID: "small", Provider: small, Context: 8_000}, nil
	}
	events := command(t, o, []event.Command{event.Prompt{Text: "one"}, event.Compact{}}, func(e event.Event) bool { _, end := e.(*event.TurnEnd); return end })
	if c := compactions(events); len(c) != 1 || c[0].Model != "other/small" || c[0].Text != "short" {
		t.Errorf("got %+v\n%s", c, trace(events))
	}
	if r := small.Requests(); len(r) != 1 || r[0].Model != "small" || window.Tokens(r[0].Messages) > 6_400 {
		t.Errorf("got %d requests", len(r))
	}
}

// An interrupt stops the summary, and nothing changes.
func TestInterruptSummary(t *testing.T) {
	p := script.New(append(lookups(3), script.Say("done"), script.Reply{Before: func(ctx context.Context, _ llm.Request) { <-ctx.Done() }, Err: context.Canceled}, script.Say("more"))...)
	o := options(p, verbose())
	events := command(t, o, []event.Command{event.Prompt{Text: "one"}, event.Compact{}, event.Interrupt{}, event.Prompt{Text: "two"}}, func(e event.Event) bool {
		_, end := e.(*event.TurnEnd)
		_, begun := e.(event.Summarizing)
		return end || begun
	})
	var reasons []event.Reason
	for _, e := range events {
		if end, ok := e.(*event.TurnEnd); ok {
			reasons = append(reasons, end.Reason)
		}
	}
	if d := cmp.Diff(reasons, []event.Reason{event.Done, event.UserInterrupt, event.Done}); d != "" || len(compactions(events)) > 0 {
		t.Errorf("%s\n%s", d, trace(events))
	}
}

// A pinned result stays, a dropped one is removed and no longer pinned, and a resumed
// session has the same.
func TestPinAndDrop(t *testing.T) {
	p := script.New(append(lookups(6), script.Say("done"), script.Say("summary"), script.Say("more"))...)
	o := options(p, verbose())
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	var listed event.ContextNow
	events := command(t, o, []event.Command{
		event.Prompt{Text: "one"}, event.EditContext{Step: event.CompactPin, Item: "c1"}, event.EditContext{Step: event.CompactDrop, Item: "c1"}, event.EditContext{Step: event.CompactPin, Item: "c2"},
		event.ListContext{}, event.Compact{}, event.Prompt{Text: "two"},
	}, func(e event.Event) bool {
		if now, ok := e.(event.ContextNow); ok {
			listed = now
			return true
		}
		c, edit := e.(*event.Compacted)
		_, end := e.(*event.TurnEnd)
		return end || edit && c.Step != event.CompactSummary
	})
	pinned, kinds := 0, map[event.ItemKind]int{}
	for _, item := range listed.Items {
		kinds[item.Kind]++
		if item.Pinned && item.ID == "c2" {
			pinned++
		}
		if item.Pinned && item.ID == "c1" {
			t.Errorf("a dropped item is still pinned: %+v", item)
		}
		if item.Kind == event.ResultItem && item.Tokens < 1000 && item.ID != "c2" {
			t.Errorf("a result of 6 KB has %d tokens", item.Tokens)
		}
	}
	if pinned == 0 || kinds[event.SystemItem] != 1 || kinds[event.ToolsItem] != 1 || kinds[event.ResultItem] < 4 || listed.Window != 128_000 || listed.Used < 5*1500 {
		t.Errorf("got %+v", listed)
	}
	msgs := sameAsReplayed(t, o.Log, p)
	text := conversation(llm.Request{Messages: msgs})
	if !strings.Contains(text, fmt.Sprintf("%q", long("c2"))) || strings.Contains(text, long("c3")[:100]) || strings.Contains(text, "c1 says") {
		t.Errorf("the model is sent\n%.3000s\n%s", text, trace(events))
	}
}

// An image that the provider rejects is removed, and not sent again.
func TestRejectedImage(t *testing.T) {
	image := llm.Image{MediaType: "image/png", Data: []byte("png")}
	tooBig := script.Fail(&llm.Error{Kind: llm.ErrImage, Provider: "p", Status: 400, Message: "image exceeds 5 MB"})
	p := script.New(tooBig, script.Say("done"), script.Say("more"))
	o := options(p)
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	events := command(t, o, []event.Command{event.Prompt{Text: "look", Images: []llm.Image{image}}, event.Prompt{Text: "and?"}},
		func(e event.Event) bool { _, end := e.(*event.TurnEnd); return end })
	if c := compactions(events); len(c) != 1 || c[0].Step != event.CompactImages || c[0].Why != "p answered 400: image exceeds 5 MB" {
		t.Errorf("got %+v", c)
	}
	requests := p.Requests()
	if len(requests) != 3 || len(requests[0].Messages[0].Images) != 1 || len(requests[1].Messages[0].Images) != 0 {
		t.Errorf("got %d requests", len(requests))
	}
	if msgs := sameAsReplayed(t, o.Log, p); msgs[0].Text != "look\n[truncated: 1 image removed: the provider rejected it]" || len(msgs[0].Images) > 0 {
		t.Errorf("got %+v", msgs[0])
	}
}

// A prompt that cannot fit ends the turn before a request; a longer window takes it.
func TestPromptThatCannotFit(t *testing.T) {
	p := script.New(script.Say("never"))
	o := options(p, verbose())
	o.Prompt.System, o.Models.Current.Context = long("the rules"), 2000
	events := play(t, o, []string{"one"}, nil)
	end := events[len(events)-1].(*event.TurnEnd)
	if len(p.Requests()) > 0 || end.Reason != event.ProviderError || !strings.HasPrefix(end.Error, "the prompt was not sent: ") || !strings.Contains(end.Hint, "/model") {
		t.Errorf("got %d requests, %+v", len(p.Requests()), end)
	}
	if warned := strings.HasPrefix(trace(events), "notice The context window of script/test (2k tokens) is too small"); !warned {
		t.Errorf("the user was not warned:\n%s", trace(events))
	}
}

// If the window is full, old content is shortened before the next request.
func TestCompactWhenFull(t *testing.T) {
	p := script.New(append(lookups(4), script.Say("done"))...)
	o := options(p, verbose())
	o.Models.Current.Context = 10_000 // compaction starts at about 6,500 tokens
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	events := play(t, o, []string{"one"}, nil)
	c := compactions(events)
	if len(c) == 0 || !strings.Contains(c[0].Why, "of 10k tokens") {
		t.Fatalf("got %+v, want a cut that says why\n%s", c, trace(events))
	}
	msgs := sameAsReplayed(t, o.Log, p)
	if last := msgs[len(msgs)-1]; last.Text != long("c4") || msgs[2].Text == long("c1") {
		t.Errorf("got the first result %.20q and the last %.20q, want that one whole", msgs[2].Text, last.Text)
	}
}

// A conversation that the provider rejects as too long is compacted and sent again,
// once.
func TestCompactTooLong(t *testing.T) {
	tooLong := script.Fail(&llm.Error{Kind: llm.ErrTooLong, Provider: "p", Status: 413})
	for name, c := range map[string]struct {
		replies []script.Reply
		want    string
	}{
		"once":           {append(lookups(3), tooLong, script.Say("done")), "turn done after 4\n"},
		"twice":          {append(lookups(3), tooLong, tooLong), "turn error after 4: p answered 413\n"},
		"nothing to cut": {[]script.Reply{tooLong}, "turn error after 1: p answered 413\n"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(script.New(c.replies...), verbose())
			o.Models.Current.Context = 0
			events := play(t, o, []string{"one"}, nil)
			if got := trace(events[len(events)-1:]); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			end := events[len(events)-1].(*event.TurnEnd)
			if end.Reason == event.ProviderError && !strings.Contains(end.Hint, "/rewind") {
				t.Errorf("got the hint %q, want what the user can do", end.Hint)
			}
			if n := len(compactions(events)); n > 1 || n == 0 && len(c.replies) > 1 {
				t.Errorf("got %d cuts", n)
			}
		})
	}
}

// A file whose contents were removed by compaction can be read again.
func TestCompactedReadingsAreForgotten(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/a.txt", []byte(long("a")), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	read := func(id string) script.Reply { return script.Call(id, "read", `{"path":"a.txt"}`) }
	known := workspace.NewLedger()
	o := options(script.New(read("c1"), script.Say("done"), read("c2"), script.Say("done")), tools.Files(w, known)...)
	o.Workspace.Ledger, o.Models.Current.Context = known, 0
	events := command(t, o, []event.Command{event.Prompt{Text: "one"}, event.EditContext{Step: event.CompactDrop, Item: "c1"}, event.Prompt{Text: "two"}}, carriedOut)
	for _, e := range events {
		if end, ok := e.(*event.ToolEnd); ok && !strings.Contains(end.Result.Text, "a says something.") {
			t.Errorf("%s got %q, want the file", end.Result.ID, end.Result.Text)
		}
	}
}

// oldConversation has a message of every kind in its oldest reply, and eight more
// replies.
func oldConversation() (events []event.Durable) {
	done := func(m llm.Message) { events = append(events, &event.MessageDone{Message: m}) }
	result := func(id, text string) {
		events = append(events, &event.ToolEnd{Result: llm.Message{Kind: llm.ToolResult, Reply: "r", ID: id, Text: text}})
	}
	call := func(reply, id, name, input string) {
		done(llm.Message{Kind: llm.ToolCall, Reply: reply, ID: id, Name: name, Input: json.RawMessage(input)})
	}
	events = append(events, &event.UserSaid{Text: long("a user")})
	done(llm.Message{Kind: llm.Thinking, Reply: "r0", Text: "signed", Opaque: &llm.Opaque{Dialect: "anthropic", Data: json.RawMessage(`{}`)}})
	done(llm.Message{Kind: llm.Thinking, Reply: "r0", Text: long("thought")})
	done(llm.Message{Kind: llm.Assistant, Reply: "r0", Text: long("answer")})
	call("r0", "c/1", "read", `{"path":"./a.go"}`)
	call("r0", "c2", "read", `{"path":"b.go"}`)
	call("r0", "c3", "write", `{"path":"c.go","n":12345678901234567890,"content":"`+strings.Repeat("é<", 200)+`"}`)
	call("r0", "c4", "look", `{}`)
	result("c/1", strings.Repeat("a", 500))
	result("c2", strings.Repeat("b", 500))
	result("c3", "written")
	events = append(events, &event.ToolEnd{Result: llm.Message{Kind: llm.ToolResult, ID: "c4", Text: "a picture", Images: []llm.Image{{MediaType: "image/png", Data: []byte("png")}}}})
	for i := range 8 {
		reply, id := fmt.Sprintf("r%d", i+1), fmt.Sprintf("d%d", i)
		call(reply, id, "edit", `{"path":"a.go"}`)
		result(id, long("edit"))
	}
	return append(events, &event.TurnEnd{Reason: event.Done})
}

// TestCut checks the rules for shortening.
func TestCut(t *testing.T) {
	events := oldConversation()
	whole := replayOf(t, events).Messages
	cut := &event.Compacted{Replies: 8, Outputs: "/out"}
	once := replayOf(t, append(events, cut)).Messages
	if d := cmp.Diff(replayOf(t, append(events, cut, cut)).Messages, once); d != "" {
		t.Errorf("cut twice: %s", d)
	}
	if d := cmp.Diff(once[len(once)-16:], whole[len(whole)-16:]); d != "" {
		t.Errorf("the last replies: %s", d)
	}
	var got strings.Builder
	for _, m := range once[:len(once)-16] {
		if m.Text == long("a user") || m.Text == long("answer") {
			m.Text = "WHOLE"
		}
		fmt.Fprintln(&got, line(m))
		if m.Kind == llm.ToolCall && !json.Valid(m.Input) {
			t.Errorf("%s is no JSON", m.Input)
		}
	}
	want := dedent(`
		user "WHOLE"
		assistant "WHOLE"
		call c/1 read {"path":"./a.go"}
		call c2 read {"path":"b.go"}
		call c3 write {"path":"c.go","n":12345678901234567890,"content":"` + strings.Repeat("é<", 200) + `"}
		call c4 look {}
		result c/1 ` + fmt.Sprintf("%q", "[truncated: a.go was read again or changed later. Full text: "+filepath.Join("/out", "call-c-1-69206a47.txt")+".]") + `
		result c2 "` + strings.Repeat("b", 500) + `"
		result c3 "written"
		result c4 "a picture\n[1 image cut]"`)
	if d := cmp.Diff(got.String(), want); d != "" {
		t.Error(d)
	}
	if bytes.Contains(whole[6].Input, []byte("cut]")) {
		t.Error("the events themselves were changed")
	}
}

// A summary is not cut to a window that is only assumed: the model has already answered
// requests with the whole conversation.
func TestSummaryWithAnAssumedWindow(t *testing.T) {
	p := script.New(script.Call("c1", "look", args("a")), script.Say("done"), script.Say("two"), script.Say("three"), script.Say("four"), script.Say("five"), script.Say("a summary"))
	o := options(p, verbose())
	o.Models.Current.Context = 4096
	o.Models.Current.Window = &turn.AssumedWindow{Advice: "raise it", Measure: func(context.Context) int { return 0 }}
	var commands []event.Command
	for i := range 5 {
		commands = append(commands, event.Prompt{Text: fmt.Sprintf("BEGIN%d %s", i, strings.Repeat("Some words about the task. ", 250))})
	}
	command(t, o, append(commands, event.Compact{}), func(e event.Event) bool { _, end := e.(*event.TurnEnd); return end })
	all := p.Requests()
	sent := all[len(all)-1].Messages[0].Text
	for _, c := range commands[:4] {
		if text := c.(event.Prompt).Text; !strings.Contains(sent, text) {
			t.Errorf("%s is not summarized whole", text[:6])
		}
	}
}
