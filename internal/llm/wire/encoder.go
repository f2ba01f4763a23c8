package wire

import (
	"fmt"
	"slices"
	"sync"

	"agent/internal/llm"
)

// keptLists is how many conversations an Encoder remembers: those of a session and of its
// delegates.
const keptLists = 4

// Encoder encodes the messages of requests as JSON. It remembers the last conversations, and
// encodes each message once: a request begins with the messages of the previous request. It is
// safe for concurrent use.
type Encoder[T any] struct {
	encode func(item T, marked bool) ([]byte, error)
	mu     sync.Mutex
	last   []*List[T] // most recently used first
}

// NewEncoder returns an Encoder. encode returns an item as JSON, with a cache mark if marked is
// set. The Encoder keeps messages, so the caller must not change what they refer to.
func NewEncoder[T any](encode func(item T, marked bool) ([]byte, error)) *Encoder[T] {
	return &Encoder[T]{encode: encode}
}

// Append appends msgs to out, as a JSON list of the items that add adds to a List. Two calls with
// an equal key, which must be comparable, add the same items for the same messages. The result has
// room for more bytes.
func (e *Encoder[T]) Append(out []byte, key any, msgs []llm.Message, more int, add func(*List[T])) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l, shared := e.nearest(key, msgs)
	l.resume(msgs, shared)
	add(l)
	for i := len(l.ends); i < len(l.items); i++ {
		text, err := e.encode(l.items[i], false)
		if err != nil {
			return nil, fmt.Errorf("write element %d: %w", i, err)
		}
		l.text = append(append(l.text, text...), ',')
		l.ends = append(l.ends, len(l.text))
	}
	out = append(slices.Grow(out, len(l.text)+more+2), '[')
	from := 0
	for _, i := range l.marks {
		text, err := e.encode(l.items[i], true)
		if err != nil {
			return nil, fmt.Errorf("write element %d: %w", i, err)
		}
		out = append(append(append(out, l.text[from:l.start(i)]...), text...), ',')
		from = l.ends[i]
	}
	out = append(out, l.text[from:]...)
	if len(l.items) > 0 {
		out = out[:len(out)-1] // the comma
	}
	return append(out, ']'), nil
}

// nearest returns the list with key whose messages begin with most of msgs, and how many these
// are; a new one if none does.
func (e *Encoder[T]) nearest(key any, msgs []llm.Message) (l *List[T], shared int) {
	at := -1
	for i, one := range e.last {
		if one.key != key {
			continue
		}
		if n := llm.Shared(one.msgs, msgs); at < 0 || n > shared {
			at, shared = i, n
		}
	}
	// Requests that share only the first prompt belong to different conversations.
	if at < 0 || shared < len(e.last[at].msgs)/2 {
		l, shared = &List[T]{key: key}, 0
		e.last = e.last[:min(len(e.last), keptLists-1)]
	} else {
		l = e.last[at]
		e.last = slices.Delete(e.last, at, at+1)
	}
	e.last = slices.Insert(e.last, 0, l)
	return l, shared
}
