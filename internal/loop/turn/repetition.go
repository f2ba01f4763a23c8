package turn

import (
	"agent/internal/llm"
)

const (
	// repeatedBytes is the length of the end of a reply that shows that the model
	// repeats itself.
	repeatedBytes = 8 << 10
	// leastRepeats is how often that end must repeat the same text.
	leastRepeats = 8
)

// repetition recognizes a reply that repeats the same text without end. The zero value
// has no text.
type repetition struct {
	end  []byte // of the reply
	next int    // bytes until the next check
}

// repeatedError ends a reply that repeats a text.
type repeatedError struct{ text string }

func (e *repeatedError) Error() string { return "the reply repeated the same text" }

// add adds streamed text. It returns an error once the reply repeats itself.
func (p *repetition) add(d llm.Delta) error {
	var text string
	switch d := d.(type) {
	case llm.TextDelta:
		text = d.Text
	case llm.ThinkingDelta:
		text = d.Text
	}
	p.end = append(p.end, text...)
	if p.next -= len(text); p.next > 0 || len(p.end) < repeatedBytes {
		return nil
	}
	p.next = repeatedBytes / 8
	p.end = append(p.end[:0], p.end[len(p.end)-repeatedBytes:]...)
	if n := period(p.end); n <= repeatedBytes/leastRepeats {
		return &repeatedError{string(p.end[:n])}
	}
	return nil
}

// period returns the length of the shortest text whose repetition is s.
func period(s []byte) int {
	border := make([]int, len(s)) // lengths of the longest proper prefixes that are suffixes
	for i, n := 1, 0; i < len(s); i++ {
		for n > 0 && s[i] != s[n] {
			n = border[n-1]
		}
		if s[i] == s[n] {
			n++
		}
		border[i] = n
	}
	return len(s) - border[len(s)-1]
}
