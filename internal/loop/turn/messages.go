package turn

import (
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/window"
)

const (
	// hugeAnswer is the size above which a truncated answer is sent back shortened,
	// in bytes. No window of a model has room for much more.
	hugeAnswer = 1 << 20
	// keptAnswer is how much is kept of each end then.
	keptAnswer = 64 << 10
)

// withCutsMarked returns a copy of the conversation for a request: a truncated
// answer says so, truncated thinking is left out.
func withCutsMarked(msgs []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(msgs))
	for _, m := range msgs {
		if m.Cut && m.Kind == llm.Thinking {
			continue
		}
		if m.Cut && m.Kind == llm.Assistant {
			m.Text = bothEnds(strings.TrimRight(m.Text, " \n")) + "\n\n[this answer was cut here]"
		}
		out = append(out, m)
	}
	return out
}

// bothEnds returns the two ends of a huge text: the second is what the model
// needs to continue.
func bothEnds(text string) string {
	if len(text) <= hugeAnswer {
		return text
	}
	end := strings.ToValidUTF8(text[len(text)-keptAnswer:], "")
	return fmt.Sprintf("%s\n\n[%d bytes are left out here]\n\n%s", window.Prefix(text, keptAnswer), len(text)-2*keptAnswer, end)
}

// stripImages removes the images of msgs, for a model that sees none: each message
// says how many it had.
func stripImages(msgs []llm.Message) {
	for i, m := range msgs {
		if len(m.Images) == 0 {
			continue
		}
		what := "an image was here"
		if n := len(m.Images); n > 1 {
			what = fmt.Sprintf("%d images were here", n)
		}
		msgs[i].Images = nil
		msgs[i].Text += "\n[" + what + ", which this model cannot see]"
	}
}
