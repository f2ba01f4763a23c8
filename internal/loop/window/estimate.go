package window

import "agent/internal/llm"

const (
	perMessage = 10   // tokens of a message besides its text: role, separators, IDs
	perImage   = 1500 // tokens of an image at the sizes that providers accept
)

// Tokens estimates how many tokens of a window messages use. The estimate is high
// rather than low, because a request that is too large is rejected.
func Tokens(msgs []llm.Message) int {
	n := 0
	for i := range msgs {
		n += tokensOf(&msgs[i])
	}
	return n
}

// tokensOf estimates the tokens of one message.
func tokensOf(m *llm.Message) int {
	n := perMessage + TextTokens(m.Text) + TextTokens(m.Input) + TextTokens(m.Raw) + TextTokens(m.Name) + TextTokens(m.ID)
	if m.Opaque != nil {
		n += len(m.Opaque.Data) / 4
	}
	return n + perImage*len(m.Images)
}

// PrefixTokens estimates the tokens of a system prompt and tool specifications.
func PrefixTokens(system string, specs []llm.ToolSpec) int {
	n := TextTokens(system)
	for _, s := range specs {
		n += perMessage + TextTokens(s.Name) + TextTokens(s.Description) + TextTokens(s.Schema)
	}
	return n
}

// class is a group of bytes that tokenizers treat alike.
type class byte

const (
	space class = iota
	lower
	upper
	digit
	punctuation
	other // part of a character outside ASCII
)

// TextTokens estimates the tokens of a text by the classes of its bytes: a word is
// about one token, digits and punctuation have up to one each, and characters outside
// ASCII one or several. No text has fewer than one token per 3.75 bytes, the rate of
// dense English prose.
func TextTokens[T ~string | ~[]byte](s T) int {
	quarters, run, last := 0, 0, space
	for i := range len(s) {
		b := s[i]
		c := classOf(b)
		if c != last && !(c == lower && last == upper && run == 1) {
			run = 0
		}
		run++
		quarters += weight(b, c, run)
		last = c
	}
	return max((quarters+3)/4, (4*len(s)+14)/15)
}

// weight returns what byte b adds, in quarters of a token, as number run of a run of
// bytes of class c.
func weight(b byte, c class, run int) int {
	switch c {
	case lower, upper:
		const longWord = 6
		switch {
		case run == 1:
			return 4
		case run > longWord || c == upper && run > 3:
			return 1
		}
		return 0
	case digit:
		if run == 1 {
			return 3
		}
		return 2
	case punctuation:
		return 3
	case space:
		switch {
		case b != ' ' && run == 1:
			return 4
		case run == 2, run%8 == 0:
			return 2
		}
		return 0
	}
	switch {
	case b >= 0xf0: // the first of four bytes
		return 9
	case b >= 0xe0:
		return 3
	case b >= 0xc0:
		return 2
	}
	return 1
}

func classOf(b byte) class {
	switch {
	case b >= 0x80:
		return other
	case b >= 'a' && b <= 'z':
		return lower
	case b >= 'A' && b <= 'Z':
		return upper
	case b >= '0' && b <= '9':
		return digit
	case b <= ' ' || b == 0x7f:
		return space
	}
	return punctuation
}
