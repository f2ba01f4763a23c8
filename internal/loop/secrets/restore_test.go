package secrets_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/mask"
	"agent/internal/loop/secrets"
	"agent/internal/tools"
)

func TestArguments(t *testing.T) {
	texts := mask.New(nil)
	const plain, quoted = "plain-value_1=", "it's \"quoted\" $(x)"
	texts.Add("PLAIN", plain)
	texts.Add("QUOTED", quoted)
	m := secrets.New(texts, nil)
	for _, c := range []struct{ tool, value, problem string }{
		{"write", plain, ""}, {"edit", plain, ""}, {"patch", plain, ""}, {"shell", plain, ""},
		{"write", quoted, ""}, {"shell", quoted, "the shell interprets"},
		{"read", plain, "read takes no placeholders"}, {"search", plain, "search takes no placeholders"}, {"fetch", plain, "fetch takes no placeholders"},
		{"todo", plain, "todo takes no placeholders"}, {"jobs", plain, "jobs takes no placeholders"},
	} {
		args, err := json.Marshal(map[string]any{"text": "a " + c.value + "\n", "number": 1})
		if err != nil {
			t.Fatal(err)
		}
		sent := m.Message(llm.Message{Kind: llm.ToolCall, Input: args}).Input
		if strings.Contains(string(sent), c.value) {
			t.Fatalf("%s is not masked", sent)
		}
		got, err := m.Arguments(context.Background(), tools.Info{Tool: c.tool}, sent)
		var value struct{ Text string }
		switch {
		case c.problem != "":
			if err == nil || !strings.Contains(err.Error(), c.problem) || strings.Contains(err.Error(), c.value) {
				t.Errorf("%s: got %s, %v, want %q", c.tool, got, err, c.problem)
			}
		case err != nil || json.Unmarshal(got, &value) != nil || value.Text != "a "+c.value+"\n":
			t.Errorf("%s: got %s, %v", c.tool, got, err)
		}
	}
}
