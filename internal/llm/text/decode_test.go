package text_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/text"
)

// row is a text of a model and its decoded content.
type row struct {
	in   string
	want []string // see saying
}

func taggedRows() map[string]row {
	const read = "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>"
	const called = `call read {"path":"a"}`
	return map[string]row{
		"only text":                        {"Hello.\nAll fine.\n", []string{"text Hello.\nAll fine.\n"}},
		"nothing":                          {"", nil},
		"space":                            {" \n ", nil},
		"only a call":                      {read, []string{called}},
		"with space around":                {"\n\n" + read + "\n\n", []string{called}},
		"after text":                       {"I look.\n" + read, []string{"text I look.\n", called}},
		"in one line":                      {`<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>`, []string{called}},
		"in many lines":                    {"<tool_call>\r\n{\"arguments\":\r\n{\"path\":\"a\"},\r\n\"name\":\"read\"}\r\n</tool_call>", []string{called}},
		"several":                          {read + "\n" + read + read, []string{called, called, called}},
		"with text between":                {read + "\nAnd\n  the other:\n" + read + "\nDone.", []string{called, "text And\n  the other:\n", called, "text Done."}},
		"text keeps its indentation":       {"\n\n  a\n", []string{"text   a\n"}},
		"no arguments":                     {"<tool_call>{\"name\":\"list\"}</tool_call>", []string{"call list {}"}},
		"null":                             {"<tool_call>{\"name\":\"list\",\"arguments\":null}</tool_call>", []string{"call list {}"}},
		"an object in a string":            {`<tool_call>{"name":"read","arguments":"{\"path\":\"a\"}"}</tool_call>`, []string{called}},
		"the tag in a string":              {`<tool_call>{"name":"write","arguments":{"text":"</tool_call>\" </tool_call>"}}</tool_call>so`, []string{`call write {"text":"</tool_call>\" </tool_call>"}`, "text so"}},
		"without its end":                  {`<tool_call>{"name":"read","arguments":{"path":"a"}}`, []string{called}},
		"the call twice":                   {"<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}\n{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_call>", []string{called}},
		"broken":                           {`<tool_call>{"name": "read", "arguments": {path: "a"}}</tool_call>`, []string{`call read raw {"name": "read", "arguments": {path: "a"}}`}},
		"a string without end":             {"<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a}}</tool_call>\nDone.", []string{`call read raw {"name":"read","arguments":{"path":"a}}`, "text Done."}},
		"the same at the end":              {`<tool_call>{"name":"read","arguments":{"path":"a}}</tool_call>Done.`, []string{`call read raw {"name":"read","arguments":{"path":"a}}`, "text Done."}},
		"a line break in a string":         {"<tool_call>{\"name\":\"x\",\"arguments\":{\"a\":\"1\n</tool_call>\nso", []string{"call x raw {\"name\":\"x\",\"arguments\":{\"a\":\"1", "text so"}},
		"arguments that are not an object": {`<tool_call>{"name":"read","arguments":["a"]}</tool_call>`, []string{`call read raw ["a"]`}},
		"no name":                          {`<tool_call>{"path":"a"}</tool_call>`, []string{`call  {"path":"a"}`}},
		"an invalid name":                  {`<tool_call>{"name":5,"x":"\"name\": \"rm\""}</tool_call>`, []string{`call  {"name":5,"x":"\"name\": \"rm\""}`}},
		"invalid JSON":                     {"<tool_call>read a</tool_call>", []string{"call  raw read a"}},
		"empty":                            {"<tool_call></tool_call>", []string{"call  {}"}},
		"in the middle of a line":          {"So: " + read, []string{"text So: " + read}},
		"indented":                         {" " + read, []string{"text  " + read}},
		"in a fence":                       {"So:\n```xml\n" + read + "\n```\nYes.", []string{"text So:\n```xml\n" + read + "\n```\nYes."}},
		"in a fence without end":           {"~~~\n" + read, []string{"text ~~~\n" + read}},
		"in an indented fence":             {"1. So:\n    ```\n" + read + "\n    ```\n", []string{"text 1. So:\n    ```\n" + read + "\n    ```\n"}},
		"after a fence":                    {"````\n```\n~~~\n````\n" + read, []string{"text ````\n```\n~~~\n````\n", called}},
		"after an inline fence":            {"```go``` is a\n" + read, []string{"text ```go``` is a\n", called}},
		"in a <think> block":               {"<think>\nI could\n" + read + "\n</think>\n" + read, []string{"text <think>\nI could\n" + read + "\n</think>\n", called}},
		"after a short <think> block":      {"<think></think>\n" + read, []string{"text <think></think>\n", called}},
		"almost":                           {"<tool_calls>\n<tool", []string{"text <tool_calls>\n<tool"}},
		"an invented result":               {read + "\n<tool_response>\nA\n</tool_response>\n" + read + "\nDone.", []string{called}},
		"a result without a call":          {"<tool_response>\nA\n", []string{"text <tool_response>\nA\n"}},
		"a prefix of a result":             {read + "\n<tool_resp", []string{called, "text <tool_resp"}},
		"another form":                     {"Action: read\nAction Input: {}", []string{"text Action: read\nAction Input: {}"}},
	}
}

func reactRows() map[string]row {
	const read = "Action: read\nAction Input: {\"path\": \"a\"}"
	const called = `call read {"path":"a"}`
	return map[string]row{
		"only text":                    {"Hello.\nAll fine.\n", []string{"text Hello.\nAll fine.\n"}},
		"a call":                       {"Thought: I look.\n" + read, []string{"text Thought: I look.\n", called}},
		"only a call":                  {"\n" + read + "\n", []string{called}},
		"many lines":                   {"Action:read\r\nAction Input:\n{\"path\":\n  \"a\"\n}\n", []string{called}},
		"braces in strings":            {`Action: write` + "\n" + `Action Input: {"text": "} \"}", "more": {"a": "{"}}`, []string{`call write {"text":"} \"}","more":{"a":"{"}}`}},
		"only the first call counts":   {read + "\n" + read, []string{called}},
		"an invented result":           {read + "\nObservation: A\nThought: fine\nFinal Answer: A", []string{called}},
		"text after the call":          {read + " and so on", []string{called}},
		"no input":                     {"Action: list\nAction Input:\n", []string{"call list {}"}},
		"no input, but a result":       {"Action: list\nAction Input:\nObservation: A", []string{"call list {}"}},
		"invalid JSON":                 {"Action: read\nAction Input: a.go\nObservation: A", []string{"call read raw a.go"}},
		"invalid JSON up to the end":   {"Action: read\nAction Input: a.go\nand b", []string{"call read raw a.go\nand b"}},
		"fenced input":                 {"Action: read\nAction Input: ```json\n{}\n```\n", []string{"call read raw ```json\n{}\n```"}},
		"broken":                       {"Action: read\nAction Input: {\"path\": \"a\n\"}}\nObservation: A", []string{"call read raw {\"path\": \"a\n\"}}"}},
		"not closed":                   {"Action: read\nAction Input: {\"path\": {\nObservation: A", []string{`call read raw {"path": {`}},
		"closed too often":             {"Action: read\nAction Input: {}}", []string{"call read {}"}},
		"in the middle of a line":      {"So, " + read, []string{"text So, " + read}},
		"in a fence":                   {"```\n" + read + "\n```", []string{"text ```\n" + read + "\n```"}},
		"no input line":                {"Action: read\nNothing: a\n" + read, []string{"text Action: read\nNothing: a\n", called}},
		"two actions":                  {"Action: a\n" + read, []string{"text Action: a\n", called}},
		"only the beginning of a call": {"Action: read\nAction Inp", []string{"text Action: read\nAction Inp"}},
		"a long line":                  {"Action: " + strings.Repeat("a", 300) + "\nAction Input: {}", []string{"text Action: " + strings.Repeat("a", 300) + "\nAction Input: {}"}},
		"a result without a call":      {"Observation: A\n", []string{"text Observation: A\n"}},
		"another form":                 {"<tool_call>{}</tool_call>", []string{"text <tool_call>{}</tool_call>"}},
	}
}

func TestDecode(t *testing.T) {
	for form, rows := range map[text.Form]map[string]row{text.Tagged: taggedRows(), text.ReAct: reactRows()} {
		for name, row := range rows {
			t.Run(string(form)+"/"+name, func(t *testing.T) {
				want := told{Said: row.want, Reason: llm.Stop}
				for _, s := range row.want {
					if strings.HasPrefix(s, "call ") {
						want.Reason = llm.Calls
					}
				}
				if diff := cmp.Diff(decode(form, llm.Stop, row.in), want); diff != "" {
					t.Errorf("whole: got, want:\n%s", diff)
				}
				if diff := cmp.Diff(decode(form, llm.Stop, strings.Split(row.in, "")...), want); diff != "" {
					t.Errorf("letter by letter: got, want:\n%s", diff)
				}
				for at := range len(row.in) {
					if diff := cmp.Diff(decode(form, llm.Stop, row.in[:at], row.in[at:]), want); diff != "" {
						t.Fatalf("cut at %d: got, want:\n%s", at, diff)
					}
				}
			})
		}
	}
}

// TestDecodeCut checks that a call cut off by the end of the reply is Cut, and
// that complete calls are not.
func TestDecodeCut(t *testing.T) {
	for in, want := range map[string][]string{
		"I look.\n<tool_call>{\"name\": \"read\", \"argu":                                        {"text I look.\n", `call read raw {"name": "read", "argu (cut)`},
		"<tool_call>{\"name\":\"read\",\"arguments\":{}}\n":                                      {"call read {} (cut)"},
		"<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>\n<tool_call>{\"name\":\"li": {"call read {}", `call  raw {"name":"li (cut)`},
		"I look.\n<tool_c": {"text I look.\n<tool_c (cut)"},
		"I look":           {"text I look (cut)"},
	} {
		if diff := cmp.Diff(decode(text.Tagged, llm.Length, in), told{Said: want, Reason: llm.Length}); diff != "" {
			t.Errorf("%q: got, want:\n%s", in, diff)
		}
	}
	got := decode(text.ReAct, llm.Length, "Action: read\nAction Input: {\"path\": \"a")
	if diff := cmp.Diff(got, told{Said: []string{`call read raw {"path": "a (cut)`}, Reason: llm.Length}); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

// TestDecodeFailure checks that text before an error is yielded before the
// error.
func TestDecodeFailure(t *testing.T) {
	failure := &llm.Error{Kind: llm.ErrCut, Message: "cut"}
	for in, want := range map[string][]string{
		"I look.\n<tool": {"text I look.\n<tool (cut)"},
		"<tool_call>{\"name\":\"read\",\"arguments\":{}": {`call read raw {"name":"read","arguments":{} (cut)`},
	} {
		got := assemble(text.Decode(func(yield func(llm.Delta, error) bool) {
			_ = yield(llm.TextDelta{Text: in}, nil) && yield(nil, failure)
		}, text.Tagged))
		if diff := cmp.Diff(got, told{Said: want, Err: failure.Error()}); diff != "" {
			t.Errorf("%q: got, want:\n%s", in, diff)
		}
	}
}

// TestDecodePassesOtherDeltasThrough checks that everything except text is
// passed through unchanged and in order, and that text is not delayed.
func TestDecodePassesOtherDeltasThrough(t *testing.T) {
	signature := &llm.Opaque{Dialect: "d", Model: "m", Data: []byte(`1`)}
	in := []llm.Delta{
		llm.ThinkingDelta{Index: 4, Text: "hm"}, llm.BlockEnd{Index: 4, Opaque: signature},
		llm.BlockEnd{Index: 5, Opaque: signature},
		llm.TextDelta{Index: 6, Text: "I"}, llm.TextDelta{Index: 6, Text: " look.\n<"}, llm.TextDelta{Index: 6, Text: "b>\n<tool_"}, llm.BlockEnd{Index: 6, Opaque: signature},
		llm.TextDelta{Index: 7, Text: "so"}, llm.BlockEnd{Index: 7},
		llm.CallDelta{Index: 8, ID: "x", Name: "read", Args: "{}"}, llm.BlockEnd{Index: 8},
		llm.Finish{Reason: llm.Stop, Raw: "end", Usage: llm.Usage{Input: 3}},
	}
	want := []llm.Delta{
		llm.ThinkingDelta{Index: 0, Text: "hm"}, llm.BlockEnd{Index: 0, Opaque: signature},
		llm.BlockEnd{Index: 1, Opaque: signature},
		llm.TextDelta{Index: 2, Text: "I"}, llm.TextDelta{Index: 2, Text: " look.\n"}, llm.TextDelta{Index: 2, Text: "<b>\n"},
		llm.TextDelta{Index: 2, Text: "<tool_"}, llm.BlockEnd{Index: 2},
		llm.TextDelta{Index: 3, Text: "so"}, llm.BlockEnd{Index: 3},
		llm.CallDelta{Index: 4, ID: "x", Name: "read", Args: "{}"}, llm.BlockEnd{Index: 4},
		llm.Finish{Reason: llm.Calls, Raw: "end", Usage: llm.Usage{Input: 3}},
	}
	var got []llm.Delta
	for d, err := range text.Decode(stream(in), text.Tagged) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, d)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

// TestDecodeDoesNotWait checks that a reply ends where the model begins to
// invent results, without reading the rest.
func TestDecodeDoesNotWait(t *testing.T) {
	heard := 0
	deltas := func(yield func(llm.Delta, error) bool) {
		for _, s := range []string{"Action: read\n", "Action Input: {}", "\nObservation: ", "all", "is", "well"} {
			heard++
			if !yield(llm.TextDelta{Text: s}, nil) {
				return
			}
		}
	}
	got := assemble(text.Decode(deltas, text.ReAct))
	if diff := cmp.Diff(got, told{Said: []string{"call read {}"}, Reason: llm.Calls}); diff != "" || heard != 3 {
		t.Errorf("after %d pieces: got, want:\n%s", heard, diff)
	}
}

// told is a decoded reply.
type told struct {
	Said   []string
	Reason llm.Reason
	Err    string
}

// decode decodes the pieces of a text that ended for reason.
func decode(form text.Form, reason llm.Reason, pieces ...string) told {
	var in []llm.Delta
	for _, p := range pieces {
		in = append(in, llm.TextDelta{Text: p})
	}
	return assemble(text.Decode(stream(append(in, llm.Finish{Reason: reason})), form))
}

func stream(in []llm.Delta) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for _, d := range in {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func assemble(deltas iter.Seq2[llm.Delta, error]) told {
	var got told
	reply := llm.NewReply("r")
	for d, err := range deltas {
		if err != nil {
			got.Err = err.Error()
			if _, ok := errors.AsType[*llm.Error](err); !ok {
				got.Err = "not an *llm.Error: " + got.Err
			}
			break
		}
		reply.Add(d)
	}
	for _, m := range reply.Messages() {
		got.Said = append(got.Said, saying(m))
	}
	got.Reason = reply.Finish.Reason
	return got
}

// saying returns m as one line. The IDs of calls are random.
func saying(m llm.Message) string {
	s := string(m.Kind) + " " + m.Text
	switch m.Kind {
	case llm.Assistant:
		s = "text " + m.Text
	case llm.ToolCall:
		s = fmt.Sprintf("call %s %s", m.Name, m.Input)
		if m.Raw != "" {
			s = fmt.Sprintf("call %s raw %s", m.Name, m.Raw)
		}
	}
	if m.Cut {
		s += " (cut)"
	}
	return s
}
