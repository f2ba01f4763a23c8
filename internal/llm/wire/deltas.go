package wire

import "agent/internal/llm"

// maxJoined limits the text of a joined delta, in bytes.
const maxJoined = 1 << 10

// Deltas is a queue of decoded deltas. The zero value is empty.
type Deltas struct {
	// More reports whether another payload has already arrived; consecutive
	// pieces of text are then joined into one delta. If it is nil, each piece
	// becomes its own delta.
	More func() bool

	list  []llm.Delta
	kind  llm.Kind // kind of text
	index int
	text  []byte // piece after list that may still grow

	keptBytes, keptParts int
	err                  error
}

const (
	// maxKept limits the bytes that a decoder keeps of one response without
	// yielding them: signatures, encrypted reasoning, extras of calls.
	maxKept = 4 << 20
	// maxKeptParts limits the parts of one response that a decoder tracks.
	maxKeptParts = 4096
)

// Keep counts what a decoder keeps without yielding it, which the limits of
// llm.Reply do not see. Beyond maxKept and maxKeptParts the response fails.
func (d *Deltas) Keep(parts, bytes int) {
	d.keptParts += parts
	d.keptBytes += bytes
	if d.keptBytes > maxKept || d.keptParts > maxKeptParts {
		d.err = &llm.Error{Kind: llm.ErrProtocol, Message: "the response has too many parts or too much hidden data"}
	}
}

// Add adds a delta.
func (d *Deltas) Add(x llm.Delta) {
	d.flush()
	d.list = append(d.list, x)
}

// AddText adds a piece of text, thinking, or a call's arguments.
func (d *Deltas) AddText(kind llm.Kind, index int, text string) {
	if kind != d.kind || index != d.index || len(d.text)+len(text) > maxJoined {
		d.flush()
	}
	d.kind, d.index = kind, index
	if d.text = append(d.text, text...); d.More == nil {
		d.flush()
	}
}

// flush moves the joined text to list.
func (d *Deltas) flush() {
	if len(d.text) == 0 {
		return
	}
	text := string(d.text)
	d.text = d.text[:0]
	switch d.kind {
	case llm.Thinking:
		d.list = append(d.list, llm.ThinkingDelta{Index: d.index, Text: text})
	case llm.ToolCall:
		d.list = append(d.list, llm.CallDelta{Index: d.index, Args: text})
	default:
		d.list = append(d.list, llm.TextDelta{Index: d.index, Text: text})
	}
}

// Wait reports whether the queue may wait for the next payload, which has
// already arrived.
func (d *Deltas) Wait() bool { return d.More != nil && d.More() }

// Flush yields and removes all deltas. It returns false if yield did.
func (d *Deltas) Flush(yield func(llm.Delta, error) bool) bool {
	d.flush()
	for i, x := range d.list {
		d.list[i] = nil
		if !yield(x, nil) {
			return false
		}
	}
	d.list = d.list[:0]
	return true
}
