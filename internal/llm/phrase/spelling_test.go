package phrase_test

import (
	"testing"

	"agent/internal/llm/phrase"
)

func TestNearest(t *testing.T) {
	names := []string{"openai", "openrouter", "ollama", "model", "models", "new"}
	for name, want := range map[string]string{
		"opnai": "openai", "OpenRouter": "openrouter", "olama": "ollama", "modle": "model", "modesl": "models",
		"opnrotuer": "openrouter", "nwe": "new", "n": "", "nw": "new", "x": "", "xyz": "", "qwertyuiop": "", "": "",
	} {
		if got := phrase.Nearest(name, names); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// One letter or a transposition is closer than a beginning, and that is closer than other
// changes.
func TestNearestPrefix(t *testing.T) {
	names := []string{"acp", "help", "permissions", "permit", "perms"}
	for name, want := range map[string]string{"halp": "help", "hall": "", "hlep": "help", "permi": "perms", "perm": "perms", "permiss": "permissions", "pe": ""} {
		if got := phrase.Nearest(name, names); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"same", "same", 0},
		{"raed", "read", 1}, {"comand", "command", 1}, {"sever", "server", 1},
		{"kitten", "sitting", 3}, {"abcd", "badc", 2}, {"ab", "ba", 1}, {"aab", "aba", 1},
	} {
		if got := phrase.Distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: got %d, want %d", c.a, c.b, got, c.want)
		}
		if got := phrase.Distance(c.b, c.a); got != c.want {
			t.Errorf("%q to %q: got %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestQuoted(t *testing.T) {
	for name, want := range map[string]string{"get_issue": "get_issue", "a/b.c-d": "a/b.c-d", "": `""`, "x of the MCP server good": `"x of the MCP server good"`, "a\u202eb": `"a\u202eb"`, "\u0430": `"а"`} {
		if got := phrase.Quoted(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}
