package loop

import (
	"fmt"

	"agent/internal/llm"
)

// unseen returns the conversation for a model that sees no images: each message
// says how many it had.
func unseen(msgs []llm.Message) []llm.Message {
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
	return msgs
}
