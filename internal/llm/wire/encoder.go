package wire

import (
	"fmt"
	"slices"
	"sync"
)

// keptLists is how many lists an Encoder remembers: those of a session and of its delegates.
const keptLists = 4

// Encoder encodes lists as JSON, such as the messages of requests. It remembers the last lists
// and encodes each element once: a request begins with the messages of the previous request
// and has the same tools. It is safe for concurrent use.
type Encoder[T any] struct {
	encode func(T) ([]byte, error)
	same   func(a, b *T) bool
	mu     sync.Mutex
	last   []*encoded[T] // most recently used first
}

// NewEncoder returns an Encoder. encode returns an element as JSON; same reports whether two
// elements surely have the same encoding. The Encoder keeps elements, so the caller must not
// change what they refer to.
func NewEncoder[T any](encode func(T) ([]byte, error), same func(a, b *T) bool) *Encoder[T] {
	return &Encoder[T]{encode: encode, same: same}
}

// encoded is a list and its encoding.
type encoded[T any] struct {
	list []T
	text []byte // of all elements, with a comma after each
	ends []int  // offset in text after each element
}

// Append appends the encoding of list to out. The result has room for more bytes.
func (e *Encoder[T]) Append(out []byte, list []T, more int) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, shared := e.nearest(list)
	c.cut(shared)
	for i := shared; i < len(list); i++ {
		text, err := e.encode(list[i])
		if err != nil {
			return nil, fmt.Errorf("write element %d: %w", i, err)
		}
		c.text = append(append(c.text, text...), ',')
		c.list, c.ends = append(c.list, list[i]), append(c.ends, len(c.text))
	}
	out = append(slices.Grow(out, len(c.text)+more+2), '[')
	return append(append(out, c.text[:max(len(c.text)-1, 0)]...), ']'), nil
}

// nearest returns the encoded list that begins with most elements of list, and how many these
// are; a new one if none does.
func (e *Encoder[T]) nearest(list []T) (c *encoded[T], shared int) {
	at := -1
	for i, one := range e.last {
		if n := e.shared(one.list, list); at < 0 || n > shared {
			at, shared = i, n
		}
	}
	// Requests that share only the system prompt belong to different conversations.
	if at < 0 || shared < len(e.last[at].list)/2 {
		c, shared = new(encoded[T]), 0
		e.last = e.last[:min(len(e.last), keptLists-1)]
	} else {
		c = e.last[at]
		e.last = slices.Delete(e.last, at, at+1)
	}
	e.last = slices.Insert(e.last, 0, c)
	return c, shared
}

// shared returns how many elements at the beginning of a and b are the same.
func (e *Encoder[T]) shared(a, b []T) int {
	n := 0
	for n < min(len(a), len(b)) && e.same(&a[n], &b[n]) {
		n++
	}
	return n
}

// cut drops all but the first n elements.
func (c *encoded[T]) cut(n int) {
	end := 0
	if n > 0 {
		end = c.ends[n-1]
	}
	clear(c.list[n:])
	c.list, c.ends, c.text = c.list[:n], c.ends[:n], c.text[:end]
}
