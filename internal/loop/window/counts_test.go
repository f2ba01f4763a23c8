package window_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"agent/internal/llm"
	"agent/internal/loop/window"
)

// What is remembered of earlier messages equals a new count, also if messages were changed or
// removed since.
func TestCountsEqualANewCount(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	var counts window.Counts
	var m window.Meter
	var msgs []llm.Message
	for step := range 500 {
		msgs = slices.Clone(msgs)
		switch n := len(msgs); {
		case n > 2 && random.IntN(9) == 0:
			msgs = slices.Delete(msgs, 1, n/2+1)
		case n > 0 && random.IntN(3) == 0:
			one := &msgs[random.IntN(n)]
			switch random.IntN(5) {
			case 0:
				one.Text += "more words"
			case 1:
				one.Input = []byte(fmt.Sprintf(`{"a":%d}`, step))
			case 2:
				one.Images = append(slices.Clone(one.Images), llm.Image{})
			case 3:
				one.Opaque = &llm.Opaque{Data: make([]byte, step)}
			case 4:
				one.Name, one.ID, one.Raw = "read", fmt.Sprint(step), "raw"
			}
		}
		msgs = append(msgs, llm.Message{Kind: llm.User, Text: fmt.Sprint("step ", step)})
		if step%7 == 0 {
			m = m.Counted(llm.Usage{Input: 100 * step}, len(msgs)-1, len(msgs))
		}
		if got, want := m.OfCounted(&counts, 50, msgs), m.Of(50, msgs); got != want {
			t.Fatalf("step %d: got %d, want %d", step, got, want)
		}
	}
}
