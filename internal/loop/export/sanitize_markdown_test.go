package export_test

import (
	"strings"
	"testing"

	"agent/internal/llm"
)

// answer returns the Markdown of an exported session for an answer of the model.
func answer(t *testing.T, source string) string {
	t.Helper()
	s := newScript()
	s.reply = "r_1"
	s.user("hello")
	s.say(llm.Assistant, source)
	_, text, ok := strings.Cut(write(t, "md", s.session()), "## 1. hello\n\n")
	if !ok {
		t.Fatal("the document has no heading for the prompt")
	}
	return strings.TrimSuffix(text, "\n\n")
}

// Only the tags of an answer are escaped, and an open code fence is closed. The rest of the
// answer stays Markdown.
func TestMarkdownKeepsTheRestOfAnAnswer(t *testing.T) {
	for source, want := range map[string]string{
		"a <b>*c*</b> & 1 < 2 `<i>`":     "a &lt;b>*c*&lt;/b> & 1 < 2 `<i>`",
		"<div>\n\n*a*":                   "&lt;div>\n\n*a*",
		"<pre>\na\n</pre>\n\n*b*":        "&lt;pre>\na\n&lt;/pre>\n\n*b*",
		"*a*\n\n```go\nb":                "*a*\n\n```go\nb\n```",
		"*a*\n\n~~~~ go\nb":              "*a*\n\n~~~~ go\nb\n~~~~",
		"````\na\n````\n\n`````\n```\nb": "````\na\n````\n\n`````\n```\nb\n`````",
	} {
		if got := answer(t, source); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

// An answer of more than 256 KiB, or with a paragraph of more than 16 KiB, is exported as
// plain text.
func TestMarkdownOfLongAnswers(t *testing.T) {
	const most = 16 << 10
	paragraph := strings.Repeat("a", most)
	// With the blank line after it, each paragraph but the last takes 16 KiB.
	prose := strings.Repeat(paragraph[2:]+"\n\n", 15) + paragraph
	lines := strings.Repeat(paragraph[:1023]+"\n", 16)
	for _, c := range []struct {
		name, source string
		plain        bool
	}{
		{"longest paragraph", paragraph, false},
		{"longer paragraph", paragraph + "a", true},
		{"longer paragraph of many lines", lines + "a", true},
		{"longest prose", prose, false},
		{"longer prose", "a" + prose, true},
	} {
		want := c.source
		if c.plain {
			want = "```text\n" + c.source + "\n```\n"
		}
		if got := answer(t, c.source); got != want {
			t.Errorf("%s: got %d bytes that begin with %.20q, want %d bytes that begin with %.20q", c.name, len(got), got, len(want), want)
		}
	}
}
