package window

import (
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Need is how much a compaction must save.
type Need struct {
	Enough  int    // tokens to save; compaction stops there
	Minimum int    // tokens that must be saved; otherwise nothing is shortened
	Why     string // for the user
}

// Compact shortens as little old content of msgs as n requires, and returns the
// result with its event, without a time. If it cannot save n.Minimum, it returns msgs
// and nil. It passes the full texts of shortened results to save, which writes them
// to the directory outputs. If save fails, the shortened results name no files, and
// Compact also returns the error.
func Compact(msgs []llm.Message, m Meter, outputs string, n Need, save func([]Original) error) ([]llm.Message, *event.Compacted, error) {
	for _, replies := range []int{8, 4, 2, 1} {
		out, originals := Shorten(msgs, replies, outputs)
		saved := m.saved(msgs, out)
		if saved < n.Minimum || saved < n.Enough && replies > 1 {
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
