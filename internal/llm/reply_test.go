package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

func TestReplyMessages(t *testing.T) {
	object := func(s string) json.RawMessage { return json.RawMessage(s) }
	signature := &llm.Opaque{Dialect: "d", Model: "m", Data: object(`"s"`)}
	for name, row := range map[string]struct {
		deltas []llm.Delta
		want   []llm.Message
	}{
		"messages are ordered by first appearance": {
			[]llm.Delta{llm.ThinkingDelta{Index: 0, Text: "h"}, llm.TextDelta{Index: 1, Text: "a"}, llm.ThinkingDelta{Index: 0, Text: "m"},
				llm.TextDelta{Index: 1, Text: "b"}, llm.Finish{Reason: llm.Stop}},
			[]llm.Message{{Kind: llm.Thinking, Reply: "r", Text: "hm"}, {Kind: llm.Assistant, Reply: "r", Text: "ab"}}},
		"calls": {
			[]llm.Delta{llm.CallDelta{Index: 0, ID: "x", Name: "read", Args: `{"a"`}, llm.CallDelta{Index: 1, ID: "y", Name: "list"},
				llm.CallDelta{Index: 0, ID: "z", Name: "other", Args: `:1}`}, llm.Finish{Reason: llm.Calls}},
			[]llm.Message{{Kind: llm.ToolCall, Reply: "r", ID: "x", Name: "read", Input: object(`{"a":1}`)},
				{Kind: llm.ToolCall, Reply: "r", ID: "y", Name: "list", Input: object(`{}`)}}},
		"arguments that are not an object": {
			[]llm.Delta{llm.CallDelta{Index: 0, ID: "x", Name: "read", Args: ` [1] `}, llm.CallDelta{Index: 1, ID: "y", Name: "read", Args: " null "},
				llm.CallDelta{Index: 2, ID: "z", Name: "read", Args: `{"a":}`}, llm.Finish{Reason: llm.Calls}},
			[]llm.Message{{Kind: llm.ToolCall, Reply: "r", ID: "x", Name: "read", Input: object(`{}`), Raw: ` [1] `},
				{Kind: llm.ToolCall, Reply: "r", ID: "y", Name: "read", Input: object(`{}`)},
				{Kind: llm.ToolCall, Reply: "r", ID: "z", Name: "read", Input: object(`{}`), Raw: `{"a":}`}}},
		"arguments sent twice": {
			[]llm.Delta{llm.CallDelta{Index: 0, ID: "x", Name: "read", Args: `{"a":1,"b":2} {"b":2,"a":1}`}, llm.CallDelta{Index: 1, ID: "y", Name: "read", Args: `{"a":1}{"a":2}`},
				llm.CallDelta{Index: 2, ID: "z", Name: "read", Args: `{"a":9007199254740993}{"a":9007199254740992}`}, llm.CallDelta{Index: 3, ID: "x", Name: "read", Args: `{"b":2,"a":1}`}, llm.Finish{Reason: llm.Calls}},
			[]llm.Message{{Kind: llm.ToolCall, Reply: "r", ID: "x", Name: "read", Input: object(`{"a":1,"b":2}`)},
				{Kind: llm.ToolCall, Reply: "r", ID: "y", Name: "read", Input: object(`{}`), Raw: `{"a":1}{"a":2}`},
				{Kind: llm.ToolCall, Reply: "r", ID: "z", Name: "read", Input: object(`{}`), Raw: `{"a":9007199254740993}{"a":9007199254740992}`}}},
		"without a finish, open messages are cut": {
			[]llm.Delta{llm.TextDelta{Index: 0, Text: "a"}, llm.BlockEnd{Index: 0}, llm.CallDelta{Index: 1, ID: "x", Name: "read", Args: `{}`}},
			[]llm.Message{{Kind: llm.Assistant, Reply: "r", Text: "a"}, {Kind: llm.ToolCall, Reply: "r", ID: "x", Name: "read", Input: object(`{}`), Cut: true}}},
		"at the limit, the last message is cut": {
			[]llm.Delta{llm.CallDelta{Index: 0, ID: "x", Name: "read"}, llm.CallDelta{Index: 1, ID: "y", Name: "read"}, llm.Finish{Reason: llm.Length}},
			[]llm.Message{{Kind: llm.ToolCall, Reply: "r", ID: "x", Name: "read", Input: object(`{}`)},
				{Kind: llm.ToolCall, Reply: "r", ID: "y", Name: "read", Input: object(`{}`), Cut: true}}},
		"opaque bytes need no text": {
			[]llm.Delta{llm.BlockEnd{Index: 0, Opaque: signature}, llm.TextDelta{Index: 1}, llm.Finish{Reason: llm.Stop}},
			[]llm.Message{{Kind: llm.Thinking, Reply: "r", Opaque: signature}}},
		"late text counts": {
			[]llm.Delta{llm.TextDelta{Index: 0, Text: "a"}, llm.Finish{Reason: llm.Stop}, llm.TextDelta{Index: 0, Text: "b"}},
			[]llm.Message{{Kind: llm.Assistant, Reply: "r", Text: "ab"}}},
	} {
		t.Run(name, func(t *testing.T) {
			reply := llm.NewReply("r")
			for _, d := range row.deltas {
				reply.Add(d)
			}
			if diff := cmp.Diff(reply.Messages(), row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
			if diff := cmp.Diff(reply.Messages(), row.want); diff != "" {
				t.Errorf("asked again: got, want:\n%s", diff)
			}
		})
	}
}

func TestReplyGeneratesIDs(t *testing.T) {
	reply := llm.NewReply("")
	for i, id := range []string{"", "x", "x", ""} {
		reply.Add(llm.CallDelta{Index: i, ID: id, Name: "read", Args: fmt.Sprintf(`{"n":%d}`, i)})
	}
	first := reply.Messages()
	seen := map[string]bool{}
	for _, m := range first {
		if m.ID == "" || seen[m.ID] || m.Reply != reply.ID || reply.ID == "" {
			t.Errorf("id %q of reply %q, after %v", m.ID, m.Reply, seen)
		}
		seen[m.ID] = true
	}
	if first[1].ID != "x" || !strings.HasPrefix(first[2].ID, "x_") {
		t.Errorf("got %q and %q, want x and x_...", first[1].ID, first[2].ID)
	}
	if diff := cmp.Diff(reply.Messages(), first); diff != "" {
		t.Errorf("asked again, the ids differ:\n%s", diff)
	}
}

func TestErrorText(t *testing.T) {
	for want, e := range map[string]*llm.Error{
		"openai answered 429: slow down":        {Provider: "openai", Status: 429, Message: "slow down"},
		"openai answered 500":                   {Provider: "openai", Status: 500},
		"the provider: cut":                     {Kind: llm.ErrCut},
		"ollama: nothing is listening on there": {Provider: "ollama", Message: "nothing is listening on there"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A reply keeps exactly what fits its limit, and ends there like one that
// reached the model's token limit.
func TestReplyLimits(t *testing.T) {
	calls := func(n int) (all []llm.Delta) {
		for i := range n {
			all = append(all, llm.CallDelta{Index: i, ID: fmt.Sprint("c", i), Name: "read", Args: "{}"})
		}
		return all
	}
	texts := func(n int) (all []llm.Delta) {
		for i := range n {
			all = append(all, llm.TextDelta{Index: i, Text: "x"})
		}
		return all
	}
	for name, c := range map[string]struct {
		deltas   []llm.Delta
		exceeded llm.Limit
		messages int
		last     llm.Message // without its reply ID
	}{
		"text that fits": {[]llm.Delta{llm.TextDelta{Text: "0123456789"}, llm.Finish{Reason: llm.Stop}}, "", 1,
			llm.Message{Kind: llm.Assistant, Text: "0123456789"}},
		"text": {[]llm.Delta{llm.TextDelta{Text: "012345678"}, llm.TextDelta{Text: "9012"}, llm.TextDelta{Text: "3"}, llm.Finish{Reason: llm.Stop}}, llm.LimitBytes, 1,
			llm.Message{Kind: llm.Assistant, Text: "0123456789", Cut: true}},
		"no partial character": {[]llm.Delta{llm.TextDelta{Text: "01234567é€"}}, llm.LimitBytes, 1,
			llm.Message{Kind: llm.Assistant, Text: "01234567é", Cut: true}},
		"thinking and text together": {[]llm.Delta{llm.ThinkingDelta{Text: "012345"}, llm.BlockEnd{}, llm.TextDelta{Index: 1, Text: "67890"}}, llm.LimitBytes, 2,
			llm.Message{Kind: llm.Assistant, Text: "6789", Cut: true}},
		"arguments": {[]llm.Delta{llm.CallDelta{ID: "c", Name: "run", Args: `{"a":1`}, llm.CallDelta{Args: `}`}}, llm.LimitBytes, 1,
			llm.Message{Kind: llm.ToolCall, ID: "c", Name: "run", Input: json.RawMessage("{}"), Raw: `{"a":1`, Cut: true}},
		"opaque bytes": {[]llm.Delta{llm.ThinkingDelta{Text: "0123"}, llm.BlockEnd{Opaque: &llm.Opaque{Data: json.RawMessage(`"0123456"`)}}}, llm.LimitBytes, 1,
			llm.Message{Kind: llm.Thinking, Text: "0123", Cut: true}},
		"calls":    {calls(llm.MaxReplyCalls + 1), llm.LimitCalls, llm.MaxReplyCalls, llm.Message{Kind: llm.ToolCall, ID: "c255", Name: "read", Input: json.RawMessage("{}"), Cut: true}},
		"messages": {texts(llm.MaxReplyMessages + 1), llm.LimitMessages, llm.MaxReplyMessages, llm.Message{Kind: llm.Assistant, Text: "x", Cut: true}},
	} {
		t.Run(name, func(t *testing.T) {
			reply := llm.NewReply("r")
			if reply.MaxBytes = 10; c.exceeded == llm.LimitCalls || c.exceeded == llm.LimitMessages {
				reply.MaxBytes = 0
			}
			kept := 0
			for _, d := range c.deltas {
				if reply.Add(d) != nil {
					kept++
				}
			}
			if got := reply.Exceeded(); got != c.exceeded || (got != "") != (reply.Finish.Reason == llm.Length) {
				t.Errorf("got limit %q and reason %q, want %q", got, reply.Finish.Reason, c.exceeded)
			}
			all := reply.Messages()
			if len(all) != c.messages || c.exceeded == llm.LimitCalls && kept != c.messages {
				t.Fatalf("got %d messages of %d deltas, want %d", len(all), kept, c.messages)
			}
			got := all[len(all)-1]
			got.Reply = ""
			if diff := cmp.Diff(got, c.last); diff != "" {
				t.Errorf("the last message (-got +want):\n%s", diff)
			}
		})
	}
}

// A cut call keeps the beginning of its arguments.
func TestReplyKeepsBeginningOfCutCall(t *testing.T) {
	reply := llm.NewReply("r")
	reply.Add(llm.CallDelta{ID: "c", Name: "write", Args: `{"text":"` + strings.Repeat("é", 1<<20)})
	m := reply.Messages()[0]
	if !m.Cut || len(m.Raw) > 64<<10 || len(m.Raw) < 63<<10 || !utf8.ValidString(m.Raw) {
		t.Errorf("got %d bytes of arguments, cut %v", len(m.Raw), m.Cut)
	}
}
