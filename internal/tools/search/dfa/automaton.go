package dfa

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// automaton runs a program as a deterministic automaton: one table lookup for
// each character, however complex the pattern. States are built when they are
// first reached, and all are dropped when they grow too large. It is not safe
// for concurrent use.
type automaton struct {
	*program
	// table holds the transitions: for each state a row with one entry for each
	// class. An entry is unknown, matched or the index of the next state's row.
	table  []uint32
	states []state
	ids    map[string]uint32
	size   int // of all states, in numbers
	resets int // times that all states were dropped

	begin uint32    // state at the beginning of a line
	home  uint32    // state within a line where no match has begun
	idle  [256]bool // bytes that lead from home to home

	// Working memory of step.
	seen  []uint32
	round uint32
	todo  []uint32
}

// Entries of the table that are not states.
const (
	unknown uint32 = iota
	matched        // a match has ended before this character
)

// Limits of an automaton. After maxResets package regexp is faster.
const (
	maxSize   = 1 << 17
	maxResets = 20
)

// state is the set of instructions at which a match may continue. The first
// instruction is implied: a match may begin anywhere.
type state struct {
	before rune // kind of the character before: a newline, a letter or a blank
	at     []uint32
}

// newAutomaton returns nil if there is no program.
func newAutomaton(p *program) *automaton {
	if p == nil {
		return nil
	}
	a := &automaton{program: p, seen: make([]uint32, len(p.Inst))}
	a.reset()
	return a
}

// works reports whether the automaton can be used. A nil one cannot.
func (a *automaton) works() bool { return a != nil && a.resets <= maxResets }

func (a *automaton) reset() {
	a.ids = map[string]uint32{}
	a.table = append(a.table[:0], make([]uint32, a.stride())...)
	a.states = append(a.states[:0], state{})
	a.size = 0
	a.home = a.id(state{before: ' '})
	a.begin = a.id(state{before: a.kind('\n')})
	clear(a.idle[:])
}

// stride is the length of a row. It is at least 2, so that no row begins at
// unknown or matched.
func (a *automaton) stride() int { return max(len(a.sample), 2) }

// find returns the end of the first match in b, or -1 without a match. There is
// no line after a final newline.
func (a *automaton) find(b []byte) int {
	s := a.begin
	for i := 0; i < len(b); {
		if s == a.home {
			for i < len(b) && a.idle[b[i]] {
				i++
			}
			if i == len(b) {
				break
			}
		}
		class, size := a.next(b[i:])
		t := a.table[s+uint32(class)]
		if t == unknown {
			t = a.learn(s, class)
		}
		if t == matched {
			return i
		}
		s = t
		i += size
	}
	if ended := len(b) > 0 && b[len(b)-1] == '\n'; ended && !a.spans || a.step(s, classEnd) != matched {
		return -1
	}
	return len(b)
}

// learn computes the transition of state s on class and stores it in the table.
func (a *automaton) learn(s uint32, class uint8) uint32 {
	resets := a.resets
	t := a.step(s, class)
	if a.resets > resets {
		return t // s was dropped
	}
	a.table[s+uint32(class)] = t
	if s == a.home && t == s {
		a.learnIdle(class)
	}
	return t
}

// learnIdle records that the characters of class lead from home to home. Bytes
// of non-ASCII characters follow once all of their classes do.
func (a *automaton) learnIdle(class uint8) {
	for c, k := range a.ascii {
		if k == class {
			a.idle[c] = true
		}
	}
	for i, r := range a.starts {
		if r >= utf8.RuneSelf && a.table[a.home+uint32(a.runs[i])] != a.home {
			return
		}
	}
	for c := utf8.RuneSelf; c < len(a.idle); c++ {
		a.idle[c] = true
	}
}

// step returns the state that follows s on a character of class.
func (a *automaton) step(s uint32, class uint8) uint32 {
	from, r := a.states[int(s)/a.stride()], a.sample[class]
	flags := syntax.EmptyOpContext(from.before, r)
	to := state{before: a.kind(r)}
	a.round++
	a.todo = append(append(a.todo[:0], from.at...), uint32(a.Start))
	for len(a.todo) > 0 {
		pc := a.todo[len(a.todo)-1]
		a.todo = a.todo[:len(a.todo)-1]
		if a.seen[pc] == a.round {
			continue
		}
		a.seen[pc] = a.round
		switch in := &a.Inst[pc]; in.Op {
		case syntax.InstMatch:
			return matched
		case syntax.InstAlt, syntax.InstAltMatch:
			a.todo = append(a.todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			a.todo = append(a.todo, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^flags == 0 {
				a.todo = append(a.todo, in.Out)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if in.MatchRune(r) {
				to.at = append(to.at, in.Out)
			}
		}
	}
	slices.Sort(to.at)
	to.at = slices.Compact(to.at)
	return a.id(to)
}

// kind returns the character that represents r as the one before a state.
func (a *automaton) kind(r rune) rune {
	switch {
	case a.lines && r == '\n':
		return '\n'
	case a.words && syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}

// id returns the row of st and adds the state if it is new.
func (a *automaton) id(st state) uint32 {
	key := []byte{byte(st.before)}
	for _, pc := range st.at {
		key = binary.LittleEndian.AppendUint16(key, uint16(pc))
	}
	if id, ok := a.ids[string(key)]; ok {
		return id
	}
	if a.size > maxSize {
		a.resets++
		a.reset()
	}
	a.size += a.stride() + 2*len(st.at) + 32
	id := uint32(len(a.table))
	a.table = append(a.table, make([]uint32, a.stride())...)
	a.states = append(a.states, st)
	a.ids[string(key)] = id
	return id
}
