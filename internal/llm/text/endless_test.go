package text_test

import (
	"iter"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/text"
)

// repeated streams first and then piece several times, and counts the deltas
// that were read.
func repeated(first, piece string, times int, asked *int) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if !yield(llm.TextDelta{Text: first}, nil) {
			return
		}
		for range times {
			*asked++
			if !yield(llm.TextDelta{Text: piece}, nil) {
				return
			}
		}
		yield(llm.Finish{Reason: llm.Stop}, nil)
	}
}

// A call without an end is stopped at the limit and becomes a cut call.
func TestEndlessCall(t *testing.T) {
	piece := strings.Repeat("x", 64<<10)
	for form, first := range map[text.Form]string{
		text.Tagged: "<tool_call>\n{\"name\": \"write\", \"arguments\": {\"text\": \"",
		text.ReAct:  "Action: write\nAction Input: {\"text\": \"",
	} {
		asked := 0
		got := assemble(text.Decode(repeated(first, piece, 10_000, &asked), form))
		if len(got.Said) != 1 || !strings.HasPrefix(got.Said[0], "call write raw") || !strings.HasSuffix(got.Said[0], "(cut)") || got.Reason != llm.Length || got.Err != "" {
			t.Errorf("%s: got %d messages, reason %q, error %q", form, len(got.Said), got.Reason, got.Err)
		}
		if most := llm.MaxReplyBytes/len(piece) + 2; asked > most {
			t.Errorf("%s: %d pieces were read, want %d at most", form, asked, most)
		}
	}
}

// Endless whitespace and an endless line are not buffered.
func TestEndlessWhitespaceAndLines(t *testing.T) {
	for name, c := range map[string]struct{ first, piece, want string }{
		"blanks": {"", strings.Repeat(" ", 1<<10), ""},
		"lines":  {"", strings.Repeat("\n", 1<<10), ""},
		"a line": {"a", strings.Repeat("b", 1<<10), "text a" + strings.Repeat("b", 4<<20)},
	} {
		asked := 0
		got := assemble(text.Decode(repeated(c.first, c.piece, 4<<10, &asked), text.Tagged))
		said := strings.Join(got.Said, "|")
		if said != c.want || got.Reason != llm.Stop {
			t.Errorf("%s: got %d bytes, reason %q", name, len(said), got.Reason)
		}
	}
}

// A <think> block can end in the middle of a long line, and a call after it
// counts.
func TestThinkEndsInLongLine(t *testing.T) {
	for _, at := range []int{10, 8 << 10, 8<<10 - 4, 8<<10 + 100, 20 << 10} {
		long := strings.Repeat("x", at) + "</think>" + strings.Repeat("y", 20<<10)
		in := "<think>\n" + long + "\n<tool_call>\n{\"name\": \"read\", \"arguments\": {}}\n</tool_call>"
		var pieces []llm.Delta
		for rest := in; rest != ""; {
			n := min(len(rest), 7)
			pieces = append(pieces, llm.TextDelta{Text: rest[:n]})
			rest = rest[n:]
		}
		got := assemble(text.Decode(stream(append(pieces, llm.Finish{Reason: llm.Stop})), text.Tagged))
		if n := len(got.Said); n == 0 || got.Said[n-1] != "call read {}" {
			t.Errorf("with %d bytes before it, there is no call", at)
		}
	}
}
