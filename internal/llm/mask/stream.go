package mask

import (
	"bytes"
	"strings"
)

// Stream masks text that arrives in parts, such as the output of a command. It holds
// back the last line, and a private key whose end has not arrived. It is not safe for
// concurrent use.
type Stream struct {
	masker *Masker
	held   []byte
}

// maxHeld limits how many bytes a Stream holds back.
const maxHeld = 64 << 10

// Stream returns a new Stream.
func (m *Masker) Stream() *Stream { return &Stream{masker: m} }

// Next adds a part and returns the masked text that is complete.
func (s *Stream) Next(part []byte) []byte {
	s.held = append(s.held, part...)
	ready := bytes.LastIndexByte(s.held, '\n') + 1
	text := string(s.held)
	v, ok := visible(text, "", true)
	if ok {
		text = v.text
	}
	if key := strings.LastIndex(text, "-----BEGIN "); key >= 0 && len(text)-key < unlimited && !strings.Contains(text[key:], "-----END ") {
		ready = min(ready, v.offset(key))
	}
	if ready == 0 && len(s.held) > maxHeld {
		ready = len(s.held)
	}
	out := []byte(s.masker.Text(string(s.held[:ready])))
	s.held = append(s.held[:0], s.held[ready:]...)
	return out
}

// Rest returns the masked text that was held back.
func (s *Stream) Rest() []byte {
	out := []byte(s.masker.Text(string(s.held)))
	s.held = nil
	return out
}
