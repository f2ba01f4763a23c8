package wire

import "unicode/utf8"

// Scan reads a JSON text whose form is known beforehand, in one pass and without
// a copy. Most of a stream is the same few words around a piece of text: to read
// those with encoding/json is most of what a delta would cost.
//
// It knows objects, arrays of one element, strings, whole numbers and words, and
// fails at all else: what it cannot be sure of is for encoding/json to read.
// Where it does not fail, that would find the same. After a failure there is
// nothing left to read.
type Scan struct {
	rest   []byte
	failed bool
}

// NewScan returns a scan of text, which must not change until it is done.
func NewScan(text []byte) Scan { return Scan{rest: text} }

// Done reports whether all was read and nothing failed.
func (s *Scan) Done() bool { return s.next() == 0 && len(s.rest) == 0 && !s.failed }

// Fail says that the text is not of the form that was expected.
func (s *Scan) Fail() { s.rest, s.failed = nil, true }

// Object calls each for the names in an object. It has to take the value or to
// fail; a name that it does not know may mean anything.
func (s *Scan) Object(each func(name []byte)) {
	s.take('{')
	if s.next() == '}' {
		s.take('}')
		return
	}
	for {
		name, escaped := s.quoted()
		if escaped {
			s.Fail()
		}
		s.take(':')
		if s.failed {
			return
		}
		each(name)
		if s.next() != ',' {
			break
		}
		s.take(',')
	}
	s.take('}')
}

// Only calls each for the one element of an array, which it has to take. It does
// not for an array without any, or null.
func (s *Scan) Only(each func()) {
	if s.next() == 'n' {
		s.Null()
		return
	}
	if s.take('['); s.next() != ']' {
		each()
	}
	s.take(']')
}

// Text returns what a string says, nothing for null. It is good as long as the
// text is. A name that was there before, which had is not nil then, is a
// failure: which of the two counts depends.
func (s *Scan) Text(had []byte) []byte {
	if had != nil {
		s.Fail()
	}
	if s.next() == 'n' {
		s.Null()
		return []byte{}
	}
	before := s.rest
	text, escaped := s.quoted()
	if !escaped && utf8.Valid(text) {
		return text
	}
	said, err := Unquote(before[:len(before)-len(s.rest)])
	if err != nil {
		s.Fail()
	}
	return []byte(said)
}

// Number returns the digits of a whole number that is not below zero.
func (s *Scan) Number() []byte {
	s.next()
	n := 0
	for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
		n++
	}
	if n == 0 || n > 1 && s.rest[0] == '0' {
		s.Fail()
		return nil
	}
	digits := s.rest[:n]
	s.rest = s.rest[n:]
	return digits
}

// Null takes a null.
func (s *Scan) Null() { s.word("null") }

// Skip takes a value of which nothing is wanted.
func (s *Scan) Skip() {
	switch s.next() {
	case '"':
		if _, escaped := s.quoted(); escaped {
			s.Fail()
		}
	case 'n':
		s.word("null")
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case '[': // an empty one
		s.take('[')
		s.take(']')
	case '{':
		s.take('{')
		s.take('}')
	default:
		s.Number()
	}
}

// Value is Skip that returns the value as it stands there.
func (s *Scan) Value() []byte {
	s.next()
	before := s.rest
	s.Skip()
	return before[:len(before)-len(s.rest)]
}

// next passes over blanks and returns the byte that follows them, 0 if none
// does.
func (s *Scan) next() byte {
	for i, c := range s.rest {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			s.rest = s.rest[i:]
			return c
		}
	}
	s.rest = nil
	return 0
}

// take takes the byte c.
func (s *Scan) take(c byte) {
	if s.next() != c || c == 0 {
		s.Fail()
		return
	}
	s.rest = s.rest[1:]
}

func (s *Scan) word(w string) {
	s.next()
	if len(s.rest) < len(w) || string(s.rest[:len(w)]) != w {
		s.Fail()
		return
	}
	s.rest = s.rest[len(w):]
}

// quoted returns what stands between the quotes of a string, as it stands there,
// and whether that is escaped.
func (s *Scan) quoted() (text []byte, escaped bool) {
	s.take('"')
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			text, s.rest = s.rest[:i], s.rest[i+1:]
			return text, escaped
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			s.Fail()
			return nil, false
		}
	}
	s.Fail()
	return nil, false
}
