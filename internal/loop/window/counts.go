package window

import (
	"bytes"

	"agent/internal/llm"
)

// Counts remembers the estimates of the messages that were counted last. A request begins with
// the messages of the one before, so each message is counted once. The zero value is ready.
type Counts struct {
	msgs []llm.Message
	upTo []int // by n, the estimate of the first n messages
}

// sums is sumsOf. The result is valid until the next call.
func (c *Counts) sums(msgs []llm.Message) []int {
	n := 0
	for n < min(len(msgs), len(c.msgs)) && countAlike(&msgs[n], &c.msgs[n]) {
		n++
	}
	clear(c.msgs[n:])
	c.msgs = append(c.msgs[:n], msgs[n:]...)
	if c.upTo == nil {
		c.upTo = []int{0}
	}
	c.upTo = c.upTo[:n+1]
	for i := n; i < len(msgs); i++ {
		c.upTo = append(c.upTo, c.upTo[i]+tokensOf(&msgs[i]))
	}
	return c.upTo
}

// countAlike reports whether two messages have the same estimate. Those that were counted
// before have their texts in the same memory, so comparing them costs nothing.
func countAlike(a, b *llm.Message) bool {
	return a.Text == b.Text && a.Raw == b.Raw && a.Name == b.Name && a.ID == b.ID && bytes.Equal(a.Input, b.Input) &&
		a.Opaque == b.Opaque && len(a.Images) == len(b.Images)
}
