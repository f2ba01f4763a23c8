package turn

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/window"
)

const (
	// hugeAnswer is the size in bytes above which a truncated answer is shortened
	// before it is sent back. No context window holds much more.
	hugeAnswer = 1 << 20
	// keptAnswer is the size in bytes of each end that is kept.
	keptAnswer = 64 << 10
)

// withCutsMarked returns the conversation for a request: truncated answers are marked, truncated
// thinking and interrupted searches are removed. It changes a copy.
func withCutsMarked(msgs []llm.Message) []llm.Message {
	n := 0
	for n < len(msgs) && !msgs[n].Cut {
		n++
	}
	if n == len(msgs) {
		return msgs
	}
	out := slices.Clone(msgs[:n])
	for _, m := range msgs[n:] {
		if m.Cut && (m.Kind == llm.Thinking || m.Kind == llm.WebSearch) {
			continue
		}
		if m.Cut && m.Kind == llm.Assistant {
			m.Text = bothEnds(strings.TrimRight(m.Text, " \n")) + "\n\n[this answer was cut off here]"
		}
		out = append(out, m)
	}
	return out
}

// bothEnds returns the beginning and the end of a huge text. The model continues
// from the end.
func bothEnds(text string) string {
	if len(text) <= hugeAnswer {
		return text
	}
	end := strings.ToValidUTF8(text[len(text)-keptAnswer:], "")
	return fmt.Sprintf("%s\n\n[%d bytes omitted]\n\n%s", window.Prefix(text, keptAnswer), len(text)-2*keptAnswer, end)
}

// withoutImages returns msgs with a note in place of images, for a model without image input. It
// changes a copy.
func withoutImages(msgs []llm.Message) []llm.Message {
	out := slices.Clone(msgs)
	for i, m := range out {
		if len(m.Images) == 0 {
			continue
		}
		what := "1 image removed"
		if n := len(m.Images); n > 1 {
			what = fmt.Sprintf("%d images removed", n)
		}
		out[i].Images = nil
		out[i].Text += "\n[" + what + ": this model has no image input]"
	}
	return out
}

// removeImages removes the images that the provider rejected with err from the
// conversation: those that the model has not answered to yet, or else all. It reports
// whether there were any.
func (q *requester) removeImages(err error) bool {
	msgs := q.conv.Messages
	from := len(msgs)
	for from > 0 && (msgs[from-1].Kind == llm.User || msgs[from-1].Kind == llm.ToolResult) {
		from--
	}
	hasImages := func(m llm.Message) bool { return len(m.Images) > 0 }
	if !slices.ContainsFunc(msgs[from:], hasImages) {
		if from = 0; !slices.ContainsFunc(msgs, hasImages) {
			return false
		}
	}
	q.compactor.apply(&event.Compacted{Step: event.CompactImages, Limit: len(msgs) - from, Why: err.Error()})
	return true
}
