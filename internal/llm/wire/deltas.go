package wire

import "agent/internal/llm"

// maxJoined is the length in bytes that a delta of joined text has at most.
const maxJoined = 1 << 10

// Deltas are those that were made of payloads and are to be yielded next. The
// zero value has none.
type Deltas struct {
	// More reports whether another payload is here already: text that came
	// together is then told together. Where it is nil, each piece is told by
	// itself.
	More func() bool

	list  []llm.Delta
	kind  llm.Kind // of text
	index int
	text  []byte // the piece that follows list, to which more may be joined

	keptBytes, keptParts int
	tooMuch              error
}

const (
	// maxKept is how many bytes a decoder keeps of one answer besides what it
	// yields: signatures, encrypted reasoning, extras of calls.
	maxKept = 4 << 20
	// maxKeptParts is how many parts of one answer a decoder keeps track of.
	maxKeptParts = 4096
)

// Keep counts what a decoder keeps of an answer without yielding it at once,
// which no limit of a reply can see. Beyond the limits the answer is an error.
func (d *Deltas) Keep(parts, bytes int) {
	d.keptParts += parts
	d.keptBytes += bytes
	if d.keptBytes > maxKept || d.keptParts > maxKeptParts {
		d.tooMuch = &llm.Error{Kind: llm.ErrProtocol, Message: "the answer holds more parts, or more hidden data, than a reply may have"}
	}
}

// Add adds a delta.
func (d *Deltas) Add(x llm.Delta) {
	d.settle()
	d.list = append(d.list, x)
}

// Say adds a piece of a text, of thinking, or of a call's arguments.
func (d *Deltas) Say(kind llm.Kind, index int, text string) {
	if kind != d.kind || index != d.index || len(d.text)+len(text) > maxJoined {
		d.settle()
	}
	d.kind, d.index = kind, index
	if d.text = append(d.text, text...); d.More == nil {
		d.settle()
	}
}

// settle ends the piece to which more may be joined.
func (d *Deltas) settle() {
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

// Wait reports whether what there is may wait for the next payload, which is
// here already.
func (d *Deltas) Wait() bool { return d.More != nil && d.More() }

// Flush yields all there is, and reports whether more is wanted.
func (d *Deltas) Flush(yield func(llm.Delta, error) bool) bool {
	d.settle()
	for i, x := range d.list {
		d.list[i] = nil
		if !yield(x, nil) {
			return false
		}
	}
	d.list = d.list[:0]
	return true
}
