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

// PasteLimit is the size in bytes up to which a paste is taken.
const PasteLimit = 32 << 20

// slow is how long a paste goes on before that is told, again and again.
const slow = time.Second

// Messages about pastes, beside Bubble Tea's.
type (
	// Pasting says that a paste has not ended yet. Keys are part of it until it
	// does, but for ctrl+c, which ends it.
	Pasting struct{ Bytes int }
	// PasteCut says that a paste had no end, and is what came before ctrl+c.
	PasteCut struct{}
	// PasteTooLarge stands for a paste that was larger than PasteLimit.
	PasteTooLarge struct{ Bytes int }
)

// pastes takes what is pasted out of what is typed: Bubble Tea would read it
// letter by letter. The marks around a paste pass, so that Bubble Tea tells of an
// empty paste in its place among the keys. See told.
type pastes struct {
	limit   int
	inside  bool // what comes is part of a paste
	matched int  // how many bytes of the next mark have come
	held    [][]byte

	mu    sync.Mutex // guards what follows
	size  int        // of the paste that goes on; below 0 there is none
	ended []pasted   // not told yet
	timer *time.Timer
	tell  func(tea.Msg) // of a paste that takes long
}

// pasted is a paste that has ended.
type pasted struct {
	held [][]byte
	size int
	cut  bool
}

func newPastes(limit int) *pastes {
	return &pastes{limit: limit, size: -1, tell: func(tea.Msg) {}}
}

// markRest is by how much divide may return more than it was given: the rest of
// a mark came before.
const markRest = len(ansi.BracketedPasteEnd) - 1

// divide appends to out what of in was typed and not pasted. Nothing that was
// typed is held back, as nothing more may come.
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

// match takes the next byte of a mark, or finds that it is none.
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
	whole := p.matched == len(mark)
	switch {
	case whole && p.inside:
		return p.leave(out, false), in[1:]
	case !p.inside:
		out = append(out, in[0])
	}
	if whole {
		p.enter()
	}
	return out, in[1:]
}

func (p *pastes) enter() {
	p.inside, p.matched = true, 0
	p.mu.Lock()
	defer p.mu.Unlock()
	p.size = 0
	p.timer = time.AfterFunc(slow, p.report)
}

// leave ends a paste, as its mark does. cut says that it has none.
func (p *pastes) leave(out []byte, cut bool) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer.Stop()
	p.ended = append(p.ended, pasted{p.held, p.size, cut})
	p.inside, p.matched, p.size, p.held = false, 0, -1, nil
	return append(out, ansi.BracketedPasteEnd...)
}

// hold keeps part of a paste, unless that has become too large.
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

// report tells of a paste that goes on.
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

// goesOn reports whether a paste has not ended yet.
func (p *pastes) goesOn() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size >= 0
}

// told is the message for the paste that Bubble Tea tells of, which is the first
// that ended. One that was not taken out is as Bubble Tea read it.
func (p *pastes) told(msg tea.PasteMsg) tea.Msg {
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
	return tea.PasteMsg{Content: b.String()}
}

// isInterrupt reports whether what was typed at once is ctrl+c, in one of the
// ways in which a terminal tells of it.
func isInterrupt(typed []byte) bool {
	switch string(typed) {
	case "\x03", "\x1b[99;5u", "\x1b[27;5;99~":
		return true
	}
	return false
}
