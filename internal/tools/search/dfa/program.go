package dfa

import (
	"errors"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// program is a pattern compiled for an automaton. Characters that no part of the
// pattern distinguishes form a class.
type program struct {
	*syntax.Prog
	ascii  [utf8.RuneSelf]uint8 // the class of each
	starts []rune               // where a run of characters of one class begins
	runs   []uint8              // the class of each run
	sample []rune               // one character of each class
	words  bool                 // the pattern has word boundaries
	lines  bool                 // the pattern has beginnings of lines
	spans  bool                 // a match may span lines
}

// classEnd is the class of a newline. It also stands for the end of the text.
const classEnd = 0

// Limits of a program. Package regexp handles a pattern beyond them.
const (
	maxInsts   = 4000
	maxRegexp  = 10_000 // instructions for package regexp, which may follow all of them at each byte
	maxSets    = 100    // different sets of characters
	maxClasses = 250
)

// newProgram compiles re. It returns nil for a pattern that is too large for an
// automaton, and an error for one that is too large for package regexp too.
func newProgram(re *syntax.Regexp, spans bool) (*program, error) {
	prog, err := syntax.Compile(re.Simplify())
	switch {
	case err != nil:
		return nil, nil
	case len(prog.Inst) > maxRegexp:
		return nil, errors.New("the pattern is too large once its repetitions are written out: use * or + instead of large numbers in {}, or a shorter pattern")
	case len(prog.Inst) > maxInsts:
		return nil, nil
	}
	return classified(prog, spans), nil
}

// classified returns the program of prog, or nil if it has too many classes.
func classified(prog *syntax.Prog, spans bool) *program {
	p := &program{Prog: prog, spans: spans}
	var sets []*syntax.Inst
	for i := range prog.Inst {
		switch in := &prog.Inst[i]; in.Op {
		case syntax.InstEmptyWidth:
			op := syntax.EmptyOp(in.Arg)
			p.lines = p.lines || op&syntax.EmptyBeginLine != 0
			p.words = p.words || op&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			same := func(o *syntax.Inst) bool { return o.Arg == in.Arg && slices.Equal(o.Rune, in.Rune) }
			if !slices.ContainsFunc(sets, same) {
				sets = append(sets, in)
			}
		}
		if len(sets) > maxSets {
			return nil
		}
	}
	if !p.classify(sets) {
		return nil
	}
	return p
}

// classify assigns each character to a class by the sets that contain it. It
// reports whether the classes are few enough.
func (p *program) classify(sets []*syntax.Inst) bool {
	p.starts = bounds(sets)
	classes := map[string]uint8{p.signature('\n', sets): classEnd}
	p.sample = []rune{'\n'}
	for i, r := range p.starts {
		key := p.signature(r, sets)
		class, ok := classes[key]
		if !ok {
			if len(p.sample) == maxClasses {
				return false
			}
			class = uint8(len(p.sample))
			classes[key] = class
			p.sample = append(p.sample, r)
		}
		p.runs = append(p.runs, class)
		end := rune(utf8.RuneSelf)
		if i+1 < len(p.starts) {
			end = min(end, p.starts[i+1])
		}
		for ; r < end; r++ {
			p.ascii[r] = class
		}
	}
	return true
}

// bounds returns, in order, the characters at which a new class may begin.
func bounds(sets []*syntax.Inst) []rune {
	all := []rune{0, '\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1, utf8.RuneSelf}
	for _, in := range sets {
		if len(in.Rune) == 1 {
			r := in.Rune[0]
			all = append(all, r, r+1)
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				all = append(all, f, f+1)
			}
			continue
		}
		for i := 0; i < len(in.Rune); i += 2 {
			all = append(all, in.Rune[i], in.Rune[i+1]+1)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// signature identifies the class of a character: the sets that contain it, and
// whether it is a newline or part of a word.
func (p *program) signature(r rune, sets []*syntax.Inst) string {
	key := []byte{'-'}
	switch {
	case r == '\n':
		key[0] = 'n'
	case p.words && syntax.IsWordChar(r):
		key[0] = 'w'
	}
	for _, in := range sets {
		if in.MatchRune(r) {
			key = append(key, '1')
		} else {
			key = append(key, '0')
		}
	}
	return string(key)
}

// next returns the class and the length of the first character of b.
func (p *program) next(b []byte) (class uint8, size int) {
	if b[0] < utf8.RuneSelf {
		return p.ascii[b[0]], 1
	}
	r, size := utf8.DecodeRune(b)
	i, found := slices.BinarySearch(p.starts, r)
	if !found {
		i--
	}
	return p.runs[i], size
}
