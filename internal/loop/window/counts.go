package window

import "agent/internal/llm"

// Counts remembers the estimates of the messages that were counted last. A request begins with
// the messages of the one before, so each message is counted once. The zero value is ready.
type Counts struct {
	msgs []llm.Message
	upTo []int // by n, the estimate of the first n messages
}

// sums is sumsOf. The result is valid until the next call.
func (c *Counts) sums(msgs []llm.Message) []int {
	n := llm.Shared(c.msgs, msgs)
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
