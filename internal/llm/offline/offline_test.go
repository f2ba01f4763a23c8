package offline_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/offline"
)

// talk is a conversation with the guide without a loop.
type talk struct {
	t     testing.TB
	guide *offline.Provider
	req   llm.Request
}

func newTalk(t testing.TB, tools ...string) *talk {
	if tools == nil {
		tools = []string{"read", "write", "edit", "list", "glob", "search", "shell"}
	}
	k := &talk{t: t, guide: offline.New()}
	k.guide.Pause = 0
	for _, name := range tools {
		k.req.Tools = append(k.req.Tools, llm.ToolSpec{Name: name})
	}
	return k
}

// say adds a prompt and returns the reply to it.
func (k *talk) say(text string) (string, []llm.Message) {
	k.req.Messages = append(k.req.Messages, llm.Message{Kind: llm.User, Text: text})
	return k.step()
}

// result adds the result of a call.
func (k *talk) result(call llm.Message, text string, isError bool) {
	k.req.Messages = append(k.req.Messages, llm.Message{Kind: llm.ToolResult, Reply: call.Reply, ID: call.ID, Text: text, IsError: isError})
}

// step adds one reply to the conversation and returns its text and calls.
func (k *talk) step() (string, []llm.Message) {
	k.t.Helper()
	reply := llm.NewReply("")
	for d, err := range k.guide.Stream(context.Background(), k.req) {
		if err != nil {
			k.t.Fatalf("stream: %v", err)
		}
		reply.Add(d)
	}
	var text string
	var calls []llm.Message
	for _, m := range reply.Messages() {
		if m.Cut || m.Raw != "" {
			k.t.Fatalf("not whole: %+v", m)
		}
		if m.Kind == llm.ToolCall {
			calls = append(calls, m)
		} else {
			text += m.Text
		}
	}
	want := llm.Stop
	if len(calls) > 0 {
		want = llm.Calls
	}
	if got := reply.Finish.Reason; got != want {
		k.t.Fatalf("finish: got %q, want %q", got, want)
	}
	k.req.Messages = append(k.req.Messages, reply.Messages()...)
	return text, calls
}

func TestReadAnswer(t *testing.T) {
	k := newTalk(t)
	intro, calls := k.say("read main.go")
	k.result(calls[0], "     1\tpackage main\n     2\t\n     3\tfunc main() {}\n", false)
	answer, calls := k.step()
	if len(calls) > 0 {
		t.Fatalf("calls again: %v", calls)
	}
	want := "`main.go`, 3 lines:\n\n```go\npackage main\n\nfunc main() {}\n```\n\n" +
		"To connect a model, type `/connect`."
	if diff := cmp.Diff(answer, want); diff != "" {
		t.Errorf("answer (-got +want):\n%s", diff)
	}
	if want := "I am the built-in offline guide: not a language model, only a few rules."; intro != want {
		t.Errorf("first line: got %q, want %q", intro, want)
	}

	again, _ := k.say("hello")
	if strings.Contains(again, intro) || strings.Contains(again, "/connect") {
		t.Errorf("the introduction is said twice:\n%s", again)
	}
}

func TestCallResults(t *testing.T) {
	long := strings.Repeat("line\n", 60)
	tests := []struct {
		name, prompt, result string
		isError              bool
		want                 string // part of the answer
	}{
		{"rejected edit", "replace a with b in f.go", "rejected by the user: \"not now\"", true,
			"Rejected: `replace a with b in f.go`\n\n```\nrejected by the user: \"not now\""},
		{"edit not found", "replace a with b in f.go", "old does not occur in f.go", true, "Failed: `replace a with b in f.go`\n\n```\nold does not"},
		{"edit not unique", "replace a with b in f.go", "old occurs 3 times: set replace_all", true, "`replace all \"a\" with \"b\" in f.go`"},
		{"create an existing file", "create f.txt with x", "old is empty but the file is not", true, "Failed: `create f.txt with x`\n\n```\nold is empty"},
		{"empty file", "read f.go", "(the file is empty)\n", false, "`f.go`:\n\n```\n(the file is empty)"},
		{"part of a file", "read f.go", "1\tx\n[lines 1-1 of 9, limit 50 KB; continue with offset 2]\n", false, "To read on: `read f.go lines 2-41`"},
		{"edit", "replace a with b in f.go", "changed f.go: it has 9 lines now, 1.2 KB. Replaced 1 place, on line 3.", false,
			"Done: `a` is now `b` in `f.go`. Replaced 1 place, on line 3. To test it, type `run tests`; to undo it, `/undo`.\n"},
		{"create", "create f.txt with x", "", false, "Done: wrote `f.txt`, 1 line."},
		{"command", "run go test ./...", "ok  x\n[exit 0]", false, "`go test ./...` exited with code 0:\n\n```\nok  x\n```"},
		{"failing command", "run make", "boom\n[exit 2]", true, "`make` exited with code 2:\n\n```\nboom\n```"},
		{"silent command", "run true", "[exit 0]\n", false, "`true` exited with code 0 and printed nothing."},
		{"long output", "run seq 60", long, false, "Last 25 of 60 lines:"},
		{"rejected command", "run make", "Rejected by the user. It was not run.", true, "Rejected: `run make`"},
		{"command refused in an old log", "run make", "refused: not now", true, "Rejected: `run make`"},
		{"missing file", "read f.go", "f.go does not exist", true, "Failed: `read f.go`\n\n```\nf.go does not exist"},
		{"matches", "find x in *.go", "a.go:1: x\nb.go:2: x", false, "Search for `x` in `*.go`:\n\n```\na.go:1: x\nb.go:2: x\n```"},
		{"fences", "read a.md", "1\t```go\n2\tx\n3\t```\n", false, "````md\n```go\nx\n```\n````"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := newTalk(t)
			_, calls := k.say(tt.prompt)
			if len(calls) != 1 {
				t.Fatalf("got %d calls, want 1", len(calls))
			}
			k.result(calls[0], tt.result, tt.isError)
			answer, calls := k.step()
			if len(calls) != 0 {
				t.Fatalf("calls again: %v", calls)
			}
			if !strings.Contains(answer, tt.want) {
				t.Errorf("got\n%s\nwant in it\n%s", answer, tt.want)
			}
		})
	}
}

func TestOverview(t *testing.T) {
	k := newTalk(t)
	_, calls := k.say("what is this project?")
	tree := "./\n  cmd/\n    tea/\n  Makefile\n  README.md\n  go.mod\n"
	k.result(calls[0], tree, false)
	_, calls = k.step()
	if len(calls) != 1 || !strings.Contains(string(calls[0].Input), "README.md") {
		t.Fatalf("got %v, want a read of README.md", calls)
	}
	k.result(calls[0], "     1\t# tea\n     2\t\n     3\t![logo](x.png)\n     4\t\n     5\tA timer for\n     6\ttea.\n     7\t\n     8\tMore.\n", false)
	answer, calls := k.step()
	if len(calls) != 0 {
		t.Fatalf("calls again: %v", calls)
	}
	want := "## tea\n\n> A timer for tea.\n\n" +
		"- **Build:** `go build ./...`\n" +
		"- **Test:** `go test ./...`\n\n" +
		"```\n" + tree + "```\n\n"
	if !strings.HasPrefix(answer, want) {
		t.Errorf("(-got +want):\n%s", cmp.Diff(answer, want))
	}
}

func TestMissingTools(t *testing.T) {
	k := newTalk(t, "read")
	answer, calls := k.say("run make")
	if want := "Skipped `run make`: it needs the tool `shell`, which is not available."; len(calls) != 0 || !strings.Contains(answer, want) {
		t.Errorf("got %v and\n%s\nwant %q", calls, answer, want)
	}

	k = newTalk(t)
	k.req.ToolChoice.Mode = llm.ChoiceNone
	if _, calls := k.say("read a.go"); len(calls) != 0 {
		t.Errorf("called %v though no call was allowed", calls)
	}
}

// TestRewrittenArguments checks that a call is recognized after the log
// changed the whitespace and escapes of its arguments.
func TestRewrittenArguments(t *testing.T) {
	k := newTalk(t)
	_, calls := k.say("replace a<b with a&b in f.go")
	last := &k.req.Messages[len(k.req.Messages)-1]
	last.Input = json.RawMessage(`{ "old": "a\u003cb", "new": "a\u0026b", "path": "f.go" }`)
	k.result(calls[0], "edited", false)
	if _, calls := k.step(); len(calls) != 0 {
		t.Errorf("called again: %v", calls)
	}
}

func TestDeterministic(t *testing.T) {
	all := func() []llm.Delta {
		k := newTalk(t)
		k.req.Messages = []llm.Message{{Kind: llm.User, Text: "run tests"}}
		var out []llm.Delta
		for d, err := range k.guide.Stream(context.Background(), k.req) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, d)
		}
		return out
	}
	if diff := cmp.Diff(all(), all()); diff != "" {
		t.Errorf("two replies to the same request differ:\n%s", diff)
	}
}

func TestIDsAreUniqueInAConversation(t *testing.T) {
	k := newTalk(t)
	seen := map[string]bool{}
	for range 3 {
		_, calls := k.say("what is this project?")
		for len(calls) > 0 {
			if seen[calls[0].ID] {
				t.Errorf("the id %s came twice", calls[0].ID)
			}
			seen[calls[0].ID] = true
			k.result(calls[0], "README.md\n", false)
			_, calls = k.step()
		}
	}
	if got, want := len(seen), 6; got != want {
		t.Errorf("got %d calls, want %d", got, want)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	k := newTalk(t)
	k.guide.Pause = 1 << 40 // only the context can end it
	cancel()
	var last error
	for _, err := range k.guide.Stream(ctx, llm.Request{Messages: []llm.Message{{Kind: llm.User, Text: "help"}}}) {
		last = err
	}
	var e *llm.Error
	if !errors.As(last, &e) || e.Kind != llm.ErrCanceled {
		t.Errorf("got %v, want an *llm.Error of kind %s", last, llm.ErrCanceled)
	}
}
