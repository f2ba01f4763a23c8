package terminal

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// PasteLimit is the maximum size of a paste in bytes.
const PasteLimit = 32 << 20

// slow is the interval at which a paste in progress is reported.
const slow = time.Second

// Messages about pastes, in addition to tea.PasteMsg.
type (
	// Pasting reports a paste in progress. Until it ends, keys are part of it, except
	// ctrl+c, which ends it.
	Pasting struct{ Bytes int }
	// PasteCut reports that ctrl+c ended the last paste.
	PasteCut struct{}
	// PasteTooLarge replaces a paste that was larger than PasteLimit.
	PasteTooLarge struct{ Bytes int }
)

// pastes extracts pasted text from the input, because Bubble Tea would decode it
// character by character. The paste markers stay, so that Bubble Tea sends an empty
// tea.PasteMsg in order with the keys; complete fills in its content.
type pastes struct {
	limit   int
	inside  bool // the input is inside a paste
	matched int  // bytes of the next marker that have been read
	held    [][]byte
	marked  bool // a paste with markers was seen
	now     func() time.Time
	read    time.Time // when the last input came
	quick   int       // how many reads came one after the other without a longer pause

	mu    sync.Mutex // guards the fields below
	size  int        // bytes of the paste in progress; negative for none
	ended []pasted   // complete pastes whose tea.PasteMsg has not come yet
	timer *time.Timer
	tell  func(tea.Msg) // sends a message about a paste
}

// pasted is a complete paste.
type pasted struct {
	held [][]byte
	size int
	cut  bool
	// enter is set if Enter followed a paste without markers.
	enter bool
}

func newPastes(limit int) *pastes {
	return &pastes{limit: limit, size: -1, now: time.Now, tell: func(tea.Msg) {}}
}

// markRest is the maximum number of bytes that divide adds to its input, when the
// rest of a marker was read before.
const markRest = len(ansi.BracketedPasteEnd) - 1

// divide appends the part of in that is not pasted to out. It never holds back
// typed bytes, because no more input may follow.
func (p *pastes) divide(out, in []byte) []byte {
	if p.inside && isInterrupt(in) {
		p.hold([]byte(ansi.BracketedPasteEnd[:p.matched]))
		return p.leave(out, true)
	}
	for len(in) > 0 {
		if p.matched == 0 {
			n := bytes.IndexByte(in, ansi.ESC)
			if n < 0 {
				n = len(in)
			}
			if p.inside {
				p.hold(in[:n])
			} else {
				out = append(out, in[:n]...)
			}
			if in = in[n:]; len(in) == 0 {
				break
			}
		}
		out, in = p.match(out, in)
	}
	return out
}

// match consumes the next byte of a marker, or resets if in does not continue it.
func (p *pastes) match(out, in []byte) ([]byte, []byte) {
	mark := ansi.BracketedPasteStart
	if p.inside {
		mark = ansi.BracketedPasteEnd
	}
	if in[0] != mark[p.matched] {
		if p.inside {
			p.hold([]byte(mark[:p.matched]))
		}
		p.matched = 0
		return out, in
	}
	p.matched++
	complete := p.matched == len(mark)
	switch {
	case complete && p.inside:
		return p.leave(out, false), in[1:]
	case !p.inside:
		out = append(out, in[0])
	}
	if complete {
		p.enter()
	}
	return out, in[1:]
}

func (p *pastes) enter() {
	p.inside, p.matched, p.marked = true, 0, true
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size = 0
	p.timer = time.AfterFunc(slow, p.report)
}

// leave ends a paste and appends the end marker. cut says that ctrl+c ended it.
func (p *pastes) leave(out []byte, cut bool) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer.Stop()
	p.ended = append(p.ended, pasted{held: p.held, size: p.size, cut: cut})
	p.inside, p.matched, p.size, p.held = false, 0, -1, nil
	return append(out, ansi.BracketedPasteEnd...)
}

// hold stores a part of a paste unless the paste has become too large.
func (p *pastes) hold(part []byte) {
	const piece = 64 << 10
	p.mu.Lock()
	p.size += len(part)
	large := p.size > p.limit
	p.mu.Unlock()
	if large {
		p.held = nil
		return
	}
	for len(part) > 0 {
		last := len(p.held) - 1
		if last < 0 || len(p.held[last]) == cap(p.held[last]) {
			p.held = append(p.held, make([]byte, 0, piece))
			last++
		}
		n := min(len(part), cap(p.held[last])-len(p.held[last]))
		p.held[last] = append(p.held[last], part[:n]...)
		part = part[n:]
	}
}

// report sends Pasting while a paste is in progress.
func (p *pastes) report() {
	p.mu.Lock()
	size := p.size
	if size >= 0 {
		p.timer.Reset(slow)
	}
	p.mu.Unlock()
	if size >= 0 {
		p.tell(Pasting{size})
	}
}

// active reports whether a paste is in progress.
func (p *pastes) active() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size >= 0
}

// complete returns the message with the content of the first complete paste, for an
// empty tea.PasteMsg of Bubble Tea. Without a complete paste it returns msg.
func (p *pastes) complete(msg tea.PasteMsg) tea.Msg {
	p.mu.Lock()
	if len(p.ended) == 0 {
		p.mu.Unlock()
		return msg
	}
	first := p.ended[0]
	p.ended = slices.Delete(p.ended, 0, 1)
	p.mu.Unlock()
	if first.size > p.limit {
		return PasteTooLarge{first.size}
	}
	var b strings.Builder
	b.Grow(first.size)
	for _, part := range first.held {
		b.Write(part)
	}
	if first.cut {
		go p.tell(PasteCut{})
	}
	if first.enter {
		return PasteEnter{b.String()}
	}
	return tea.PasteMsg{Content: b.String()}
}

// isInterrupt reports whether typed is ctrl+c in one of its encodings.
func isInterrupt(typed []byte) bool {
	switch string(typed) {
	case "\x03", "\x1b[99;5u", "\x1b[27;5;99~":
		return true
	}
	return false
}
