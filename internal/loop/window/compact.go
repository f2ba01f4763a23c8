package window

import (
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Need is the purpose of a compaction.
type Need struct {
	Enough int    // tokens to save: no more is shortened
	Least  int    // tokens: nothing is shortened to save fewer
	Why    string // for the user
}

// Compact shortens as little old content of msgs as meets n, and returns the
// result with its event, which has no time yet. Without anything to shorten it
// returns msgs and nil. It hands save the complete texts of shortened results,
// which are to become files in the directory outputs. If save fails, the results
// are shortened without naming files, and the error is returned with them.
func Compact(msgs []llm.Message, m Meter, outputs string, n Need, save func([]Original) error) ([]llm.Message, *event.Compacted, error) {
	for _, replies := range []int{8, 4, 2, 1} {
		out, originals := Shorten(msgs, replies, outputs)
		saved := m.saved(msgs, out)
		if saved < n.Least || saved < n.Enough && replies > 1 {
			continue
		}
		err := save(originals)
		if err != nil {
			outputs = ""
			out, _ = Shorten(msgs, replies, outputs)
			saved = m.saved(msgs, out)
		}
		return out, &event.Compacted{Replies: replies, Saved: saved, Why: n.Why, Outputs: outputs}, err
	}
	return msgs, nil, nil
}
