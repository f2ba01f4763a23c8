package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

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
		"order is that of first appearance": {
			[]llm.Delta{llm.ThinkingDelta{Index: 0, Text: "h"}, llm.TextDelta{Index: 1, Text: "a"}, llm.ThinkingDelta{Index: 0, Text: "m"},
				llm.TextDelta{Index: 1, Text: "b"}, llm.Finish{Reason: llm.Stop}},
			[]llm.Message{{Kind: llm.Thinking, Reply: "r", Text: "hm"}, {Kind: llm.Assistant, Reply: "r", Text: "ab"}}},
		"calls": {
			[]llm.Delta{llm.CallDelta{Index: 0, ID: "x", Name: "read", Args: `{"a"`}, llm.CallDelta{Index: 1, ID: "y", Name: "list"},
				llm.CallDelta{Index: 0, ID: "z", Name: "other", Args: `:1}`}, llm.Finish{Reason: llm.Calls}},
			[]llm.Message{{Kind: llm.ToolCall, Reply: "r", ID: "x", Name: "read", Input: object(`{"a":1}`)},
				{Kind: llm.ToolCall, Reply: "r", ID: "y", Name: "list", Input: object(`{}`)}}},
		"arguments that are no object": {
			[]llm.Delta{llm.CallDelta{Index: 0, ID: "x", Name: "read", Args: ` [1] `}, llm.CallDelta{Index: 1, ID: "y", Name: "read", Args: " null "},
				llm.CallDelta{Index: 2, ID: "z", Name: "read", Args: `{"a":}`}, llm.Finish{Reason: llm.Calls}},
			[]llm.Message{{Kind: llm.ToolCall, Reply: "r", ID: "x", Name: "read", Input: object(`{}`), Raw: ` [1] `},
				{Kind: llm.ToolCall, Reply: "r", ID: "y", Name: "read", Input: object(`{}`)},
				{Kind: llm.ToolCall, Reply: "r", ID: "z", Name: "read", Input: object(`{}`), Raw: `{"a":}`}}},
		"without a finish, what is open is cut": {
			[]llm.Delta{llm.TextDelta{Index: 0, Text: "a"}, llm.BlockEnd{Index: 0}, llm.CallDelta{Index: 1, ID: "x", Name: "read", Args: `{}`}},
			[]llm.Message{{Kind: llm.Assistant, Reply: "r", Text: "a"}, {Kind: llm.ToolCall, Reply: "r", ID: "x", Name: "read", Input: object(`{}`), Cut: true}}},
		"at the limit, the last is cut": {
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

func TestReplyMakesIDs(t *testing.T) {
	reply := llm.NewReply("")
	for i, id := range []string{"", "x", "x", ""} {
		reply.Add(llm.CallDelta{Index: i, ID: id, Name: "read"})
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
		"openai answered 429: slow down":   {Provider: "openai", Status: 429, Message: "slow down"},
		"openai answered 500":              {Provider: "openai", Status: 500},
		"the provider: cut":                {Kind: llm.ErrCut},
		"ollama: nothing listens on there": {Provider: "ollama", Message: "nothing listens on there"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
