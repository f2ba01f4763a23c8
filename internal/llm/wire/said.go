package wire

import (
	"fmt"
	"slices"
	"sync"
)

// maxKept is how much of a conversation is kept as it was written, in bytes.
const maxKept = 4 << 20

// Said keeps how the last conversation was written, whose messages are Ms in a
// dialect: the next request nearly always begins with all of it. The zero value
// keeps nothing yet. It is safe for concurrent use.
type Said[M any] struct {
	mu       sync.Mutex
	messages []M
	ends     []int  // of each in text
	text     []byte // of all, with a comma between two
}

// Text returns messages as JSON with a comma between two. Write appends what one
// is written as, and same reports whether that is the same for two. Nobody
// changes what was returned, nor may the caller; messages are kept, too.
func (s *Said[M]) Text(messages []M, same func(a, b *M) bool, write func(b []byte, m *M) ([]byte, error)) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < min(len(messages), len(s.messages)) && same(&messages[n], &s.messages[n]) {
		n++
	}
	s.keep(n)
	for i := range messages[n:] {
		if len(s.text) > 0 {
			s.text = append(s.text, ',')
		}
		text, err := write(s.text, &messages[n+i])
		if err != nil {
			s.keep(0)
			return nil, fmt.Errorf("write the request: %w", err)
		}
		s.text, s.ends = text, append(s.ends, len(text))
	}
	s.messages = messages
	text := slices.Clip(s.text)
	if cap(s.text) > maxKept {
		s.keep(0)
	}
	return text, nil
}

// keep forgets all but the first n messages. Their text is not written over: a
// request may still be sent from it.
func (s *Said[M]) keep(n int) {
	switch {
	case n == 0:
		s.messages, s.ends, s.text = nil, nil, nil
	case n < len(s.messages):
		s.messages, s.ends = s.messages[:n], s.ends[:n]
		s.text = slices.Clip(s.text[:s.ends[n-1]])
	}
}
