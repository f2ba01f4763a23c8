package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// endlessly is a provider that streams deltas and then hangs.
func endlessly(deltas ...llm.Delta) script.Reply {
	return script.Reply{Deltas: deltas, Hold: map[int]<-chan struct{}{len(deltas): never()}}
}

// A reply that exceeds a limit is stopped. The received part is kept, its calls do not
// run, and their results tell the model why.
func TestReplyIsStoppedAtItsLimit(t *testing.T) {
	half := strings.Repeat("x", 600)
	var calls, results strings.Builder
	var many []llm.Delta
	for i := range llm.MaxReplyCalls + 44 {
		many = append(many, llm.CallDelta{Index: i, ID: fmt.Sprint("c", i), Name: "look", Args: "{}"})
		if i < llm.MaxReplyCalls {
			fmt.Fprintf(&calls, "call c%d look {} (cut)\n", i)
			fmt.Fprintf(&results, "end c%d \"look\" interrupted: not run: the reply was stopped after 256 tool calls. Make at most 32 calls in one reply\n", i)
		}
	}
	for name, c := range map[string]struct {
		reply script.Reply
		max   int
		want  string
		hint  string
	}{
		"text": {
			reply: endlessly(llm.TextDelta{Text: half}, llm.TextDelta{Text: half}), max: 1024,
			want: `
				user "go"
				assistant "` + strings.Repeat("x", 1024) + `" (cut)
				turn length after 1 (cut): the reply reached the limit of 1024 bytes (max_reply_bytes) and was stopped. The text received is kept`,
			hint: "Press Enter to continue.",
		},
		"thinking": {
			reply: endlessly(llm.ThinkingDelta{Text: half}, llm.ThinkingDelta{Text: half}), max: 1024,
			want: `
				user "go"
				thinking "` + strings.Repeat("x", 1024) + `" (cut)
				turn length after 1: the reply reached the limit of 1024 bytes (max_reply_bytes) and was stopped. The text received is kept`,
			hint: "Send a message to continue.",
		},
		"arguments": {
			reply: endlessly(llm.TextDelta{Text: "I write it."}, llm.BlockEnd{}, llm.CallDelta{Index: 1, ID: "c1", Name: "change", Args: `{"text":"` + half}, llm.CallDelta{Index: 1, Args: half}), max: 1024,
			want: `
				user "go"
				assistant "I write it."
				call c1 change {} (cut)
				end c1 "change" interrupted: not run: the reply was stopped at its limit of 1024 bytes. Write less in one reply: divide large files among several calls
				turn length after 1: the reply reached the limit of 1024 bytes (max_reply_bytes) and was stopped. The text received is kept`,
			hint: "Send a message to continue.",
		},
		"calls": {
			reply: endlessly(many...),
			want: "\nuser \"go\"\n" + calls.String() + results.String() +
				"turn length after 1: the reply was stopped after 256 tool calls, which were not run",
			hint: "Send a message to continue.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(script.New(c.reply), echo("look", tools.Read), echo("change", tools.Write))
			o.Limits.ReplyBytes = c.max
			events := play(t, o, []string{"go"}, nil)
			if d := cmp.Diff(trace(events), dedent(c.want)); d != "" {
				t.Error(d)
			}
			if end := events[len(events)-1].(*event.TurnEnd); end.Hint != c.hint {
				t.Errorf("got hint %q, want %q", end.Hint, c.hint)
			}
			shown := 0
			for _, e := range events {
				if s, ok := e.(event.Streamed); ok {
					switch d := s.Delta.(type) {
					case llm.TextDelta:
						shown += len(d.Text)
					case llm.ThinkingDelta:
						shown += len(d.Text)
					case llm.CallDelta:
						shown += len(d.ID) + len(d.Name) + len(d.Args)
					}
				}
			}
			if c.max > 0 && shown != c.max {
				t.Errorf("%d bytes were shown as they came, want %d", shown, c.max)
			}
		})
	}
}

// A reply of the maximum size, of the characters with the longest encoding, is recorded
// and resumed completely. The next request has both ends of it.
func TestLargestReplyIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	text := strings.Repeat("\x01", llm.MaxReplyBytes-len("the end")) + "the end"
	p := script.New(endlessly(llm.TextDelta{Text: text + " and more"}), script.Say("done"))
	store := history.Open(t.TempDir())
	log := store.Create(history.Header{ID: "large", Dir: "/work"})
	o := options(p)
	o.Log, o.Models.Current.Context = log, 0
	play(t, o, []string{"go", "continue"}, nil)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := store.View("large")
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s, err := session.ReplayRecords(v.From(0))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Messages[1]; len(s.Messages) != 4 || got.Text != text || !got.Cut || len(s.Closing) != 0 {
		t.Errorf("got %d messages, %d bytes, cut %v, %d events that close", len(s.Messages), len(got.Text), got.Cut, len(s.Closing))
	}
	sent := p.Requests()[1].Messages[1].Text
	if len(sent) > 200<<10 || !strings.HasPrefix(sent, "\x01\x01") || !strings.HasSuffix(sent, "the end\n\n[this answer was cut off here]") {
		t.Errorf("the model is sent %d bytes, which end in %q", len(sent), sent[max(0, len(sent)-40):])
	}
}
