package llm_test

import (
	"testing"

	"agent/internal/llm"
)

func TestAnswer(t *testing.T) {
	text := func(s string) llm.Message { return llm.Message{Kind: llm.Assistant, Text: s} }
	cut := func(s string) llm.Message { return llm.Message{Kind: llm.Assistant, Text: s, Cut: true} }
	user, result := llm.Message{Kind: llm.User, Text: "go"}, llm.Message{Kind: llm.ToolResult, Text: "ok"}
	thinking := llm.Message{Kind: llm.Thinking, Text: "hm"}
	for name, row := range map[string]struct {
		in         []llm.Message
		text, last string
		continued  bool
	}{
		"nothing":                            {nil, "", "", false},
		"one text":                           {[]llm.Message{user, text("a")}, "a", "a", false},
		"several texts":                      {[]llm.Message{text("a"), thinking, text("b"), text(" "), text("c")}, "a\n\nb\n\nc", "c", false},
		"since the last result":              {[]llm.Message{text("a"), result, text("b"), text("c")}, "b\n\nc", "c", false},
		"nothing after the result":           {[]llm.Message{text("a"), result}, "a", "a", false},
		"since the last prompt":              {[]llm.Message{text("a"), user, text("b")}, "b", "b", false},
		"continued":                          {[]llm.Message{text("a"), cut("b"), user, thinking, text("c")}, "a\n\nbc", "bc", true},
		"continued twice":                    {[]llm.Message{cut("a"), user, cut(" "), user, text("b")}, "a b", "a b", true},
		"cut, then a call":                   {[]llm.Message{cut("a"), result, text("b")}, "b", "b", false},
		"a new answer after a continued one": {[]llm.Message{cut("a"), user, text("b"), user, text("c")}, "c", "c", false},
	} {
		var a llm.Answer
		for _, m := range row.in {
			a.Add(m)
		}
		if a.Text() != row.text || a.Last() != row.last || a.Continued() != row.continued {
			t.Errorf("%s: got %q, last %q, continued %t", name, a.Text(), a.Last(), a.Continued())
		}
	}
}
