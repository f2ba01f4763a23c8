package window

import "agent/internal/llm"

// Meter measures how many tokens of its window a conversation uses: it takes the
// larger of the provider's count and an estimate. The zero value has no count.
type Meter struct {
	input, before int     // tokens of the last counted request, and the number of its messages
	total, msgs   int     // the same with the reply
	scale         float64 // by how much an earlier count was larger than the estimate
}

// Of returns how many tokens a request with msgs uses. prefix is the estimate of
// what precedes the messages.
func (m Meter) Of(prefix int, msgs []llm.Message) int { return m.of(prefix, sumsOf(msgs)) }

// OfCounted is Of with the estimates that c remembers.
func (m Meter) OfCounted(c *Counts, prefix int, msgs []llm.Message) int {
	return m.of(prefix, c.sums(msgs))
}

func (m Meter) of(prefix int, sums []int) int {
	msgs := len(sums) - 1
	all := sums[msgs]
	used := int(m.scaleOf(prefix, sums) * float64(prefix+all))
	if m.total > 0 && m.msgs <= msgs {
		used = max(used, m.total+all-sums[m.msgs])
	}
	return used
}

// sumsOf returns, by n, the estimate of the first n messages.
func sumsOf(msgs []llm.Message) []int {
	sums := make([]int, len(msgs)+1)
	for i := range msgs {
		sums[i+1] = sums[i] + tokensOf(&msgs[i])
	}
	return sums
}

// scaleOf returns by how much the provider counts more than the estimate; at least 1.
// sums are those of the messages.
func (m Meter) scaleOf(prefix int, sums []int) float64 {
	const most = 3 // beyond that the provider counts more than text
	scale := max(m.scale, 1)
	if m.input > 0 && prefix > 0 && m.before < len(sums) {
		scale = float64(m.input) / float64(prefix+sums[m.before])
	}
	return min(max(scale, 1), most)
}

// Counted returns a meter with the provider's count for a request with the first
// before messages, and for its reply, after which there are msgs messages. It
// returns m if the provider counts nothing.
func (m Meter) Counted(u llm.Usage, before, msgs int) Meter {
	if u.Input == 0 {
		return m
	}
	return Meter{u.Input, before, u.Total(), msgs, m.scale}
}

// Compacted returns the meter for the result of a compaction of msgs.
func (m Meter) Compacted(prefix int, msgs []llm.Message) Meter {
	return Meter{scale: m.scaleOf(prefix, sumsOf(msgs))}
}
