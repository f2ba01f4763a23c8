package search

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// automaton runs a program. It decides at one look at each character whether a
// line matches, which package regexp has no means to do. Its states are made
// when they are first reached, and forgotten when they become too many. It is
// used by one goroutine.
type automaton struct {
	*program
	// table holds what each state and class lead to: unknown, matched, or the
	// state, which is where its row begins.
	table  []uint32
	states []state
	ids    map[string]uint32
	size   int // of all states, in numbers
	floods int // how often they were too many

	begin uint32     // the state at the beginning of a line
	home  uint32     // that in the middle of a line where nothing has begun to match
	idle  [256]uint8 // 1 for the bytes that lead from home to home

	// What step needs.
	seen  []uint32
	round uint32
	todo  []uint32
}

// What a state and a class may lead to other than a state.
const (
	unknown uint32 = iota
	matched        // something that matches has ended before this character
)

// The limits of an automaton: the size of its states, and how often they may be
// forgotten before regexp does better.
const (
	maxSize   = 1 << 17
	maxFloods = 20
)

// state is a set of instructions at which some match may go on, beside the
// first one, at which one may begin anywhere.
type state struct {
	before rune // a newline, a letter or a blank stand for what comes before
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

// works reports whether the automaton is of use. A nil one is not.
func (a *automaton) works() bool { return a != nil && a.floods <= maxFloods }

func (a *automaton) reset() {
	a.ids = map[string]uint32{}
	a.table = append(a.table[:0], make([]uint32, a.stride())...)
	a.states = append(a.states[:0], state{})
	a.size = 0
	a.home = a.id(state{before: ' '})
	a.begin = a.id(state{before: a.kind('\n')})
	clear(a.idle[:])
}

// stride is how long a row is: at least as many as there are other verdicts, so
// that no row begins where those are.
func (a *automaton) stride() int { return max(len(a.sample), 2) }

// find looks for the first match in b to end and returns where that is, or -1 if
// there is none. After a last newline there is no line to match.
func (a *automaton) find(b []byte) int {
	s := a.begin
	for i := 0; i < len(b); {
		if s == a.home {
			if i = a.rest(b, i); i == len(b) {
				break
			}
		}
		class, size := uint8(0), 1
		if c := b[i]; c < utf8.RuneSelf {
			class = a.ascii[c]
		} else {
			class, size = a.next(b[i:])
		}
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

// rest returns where the automaton leaves home that is there before byte i of b.
func (a *automaton) rest(b []byte, i int) int {
	for ; len(b)-i >= 8; i += 8 {
		w := b[i : i+8 : i+8]
		if a.idle[w[0]]&a.idle[w[1]]&a.idle[w[2]]&a.idle[w[3]]&a.idle[w[4]]&a.idle[w[5]]&a.idle[w[6]]&a.idle[w[7]] == 0 {
			break
		}
	}
	for i < len(b) && a.idle[b[i]] == 1 {
		i++
	}
	return i
}

// learn fills in what state s and class lead to.
func (a *automaton) learn(s uint32, class uint8) uint32 {
	floods := a.floods
	t := a.step(s, class)
	if a.floods > floods {
		return t // s is forgotten
	}
	a.table[s+uint32(class)] = t
	if s == a.home && t == s {
		a.learnIdle(class)
	}
	return t
}

// learnIdle notes that the characters of a class lead from home to home. Bytes
// beyond ASCII do once all characters beyond it are known to.
func (a *automaton) learnIdle(class uint8) {
	for c, k := range a.ascii {
		if k == class {
			a.idle[c] = 1
		}
	}
	for i, r := range a.starts {
		if r >= utf8.RuneSelf && a.table[a.home+uint32(a.runs[i])] != a.home {
			return
		}
	}
	for c := utf8.RuneSelf; c < len(a.idle); c++ {
		a.idle[c] = 1
	}
}

// step follows all that may match at state s over a character of class.
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

// kind is the character that stands for r before a state.
func (a *automaton) kind(r rune) rune {
	switch {
	case a.lines && r == '\n':
		return '\n'
	case a.words && syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}

// id returns the state that st is, which may be a new one.
func (a *automaton) id(st state) uint32 {
	key := []byte{byte(st.before)}
	for _, pc := range st.at {
		key = binary.LittleEndian.AppendUint16(key, uint16(pc))
	}
	if id, ok := a.ids[string(key)]; ok {
		return id
	}
	if a.size > maxSize {
		a.floods++
		a.reset()
	}
	a.size += a.stride() + 2*len(st.at) + 32
	id := uint32(len(a.table))
	a.table = append(a.table, make([]uint32, a.stride())...)
	a.states = append(a.states, st)
	a.ids[string(key)] = id
	return id
}
