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

// sameAsFolded checks that the last request has the messages that a fold of the log
// returns, and returns them.
func sameAsFolded(t *testing.T, log *history.Log, p *script.Provider) []llm.Message {
	t.Helper()
	state, err := session.Fold(recorded(log))
	if err != nil {
		t.Fatal(err)
	}
	requests := p.Requests()
	told := requests[len(requests)-1].Messages
	if d := cmp.Diff(told, state.Messages[:len(told)], cmpopts.EquateEmpty()); d != "" {
		t.Errorf("told and folded: %s", d)
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

// The originals of content that the user compacted can be read, by the model and after
// a resume. Content is shortened only once.
func TestCompactCommand(t *testing.T) {
	p := script.New(append(lookups(10), script.Say("done"), script.Say("more"))...)
	o := options(p, verbose())
	o.Model.Context, o.Ledger = 0, workspace.NewLedger()
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	events := command(t, o, []event.Command{
		event.Compact{}, event.Prompt{Text: "one"}, event.Compact{}, event.Compact{}, event.Prompt{Text: "two"},
	}, carriedOut)
	if c := compactions(events); len(c) == 0 || c[0].Saved < 2000 || c[0].Why != "requested" {
		t.Fatalf("got %+v, want a cut\n%s", c, trace(events))
	}
	msgs := sameAsFolded(t, o.Log, p)
	short := 0
	for _, m := range msgs {
		if m.Kind != llm.ToolResult || m.Text == long(m.ID) {
			continue
		}
		short++
		_, rest, _ := strings.Cut(m.Text, "Full text: ")
		name, _, _ := strings.Cut(rest, ". It begins:")
		text, err := os.ReadFile(name)
		if err != nil || string(text) != long(m.ID) {
			t.Errorf("%q names %q: %v", m.Text, name, err)
		}
		if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("others may read %s: %v", name, info.Mode())
		}
	}
	if short < 3 || short > 9 {
		t.Errorf("got %d of 10 results cut, want a few and the last one whole", short)
	}
}

// If the window is full, old content is shortened before the next request.
func TestCompactWhenFull(t *testing.T) {
	replies := lookups(3)
	for i := range replies {
		replies[i] = using(replies[i], 1000*(i+1))
	}
	p := script.New(append(replies, script.Say("done"))...)
	o := options(p, verbose())
	o.Model.Context = 5000 // limit for compaction: 3000
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	events := play(t, o, []string{"one"}, nil)
	c := compactions(events)
	if len(c) == 0 || !strings.Contains(c[0].Why, "5000") {
		t.Fatalf("got %+v, want a cut that says why\n%s", c, trace(events))
	}
	msgs := sameAsFolded(t, o.Log, p)
	if last := msgs[len(msgs)-1]; last.Text != long("c3") || msgs[2].Text == long("c1") {
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
			o.Model.Context = 0
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
	o.Ledger, o.Model.Context = known, 0
	events := command(t, o, []event.Command{event.Prompt{Text: "one"}, event.Compact{}, event.Prompt{Text: "two"}}, carriedOut)
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
	whole := foldOf(t, events).Messages
	cut := &event.Compacted{Replies: 8, Outputs: "/out"}
	once := foldOf(t, append(events, cut)).Messages
	if d := cmp.Diff(foldOf(t, append(events, cut, cut)).Messages, once); d != "" {
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
		thinking ` + fmt.Sprintf("%q", long("thought")[:100]+"… [truncated, 6144 bytes]") + `
		assistant "WHOLE"
		call c/1 read {"path":"./a.go"}
		call c2 read {"path":"b.go"}
		call c3 write {"content":"` + strings.Repeat("é<", 33) + `… [truncated, 600 bytes]","n":12345678901234567890,"path":"c.go"}
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
