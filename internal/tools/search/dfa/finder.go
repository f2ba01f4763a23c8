package dfa

import (
	"bytes"
	"strings"
)

// common holds the bytes of source code and prose, the most frequent first.
const common = " et\trna\nisolcfdu.p,m/()0x:gh\"=b_1ySTAER{}v2CIOP\\DM34k6Lw8FNBX5V9[]-7*U;'GH<>!W+Y&zK|%jQq$Z#`J"

// rarity returns the rank of c; rarer bytes have a higher rank. With fold a letter
// has the rank of its more common case.
func rarity(c byte, fold bool) int {
	n := strings.IndexByte(common, c)
	if n < 0 {
		n = len(common)
	}
	if fold && 'a' <= c && c <= 'z' {
		n = min(n, rarity(upper(c), false))
	}
	return n
}

// rarest returns the index of the rarest byte of a literal. Of several it is the
// last, which distinguishes more in a multi-byte character.
func rarest(literal string, fold bool) int {
	at := 0
	for i := range len(literal) {
		if rarity(literal[i], fold) >= rarity(literal[at], fold) {
			at = i
		}
	}
	return at
}

// finder finds one literal in a block by its rarest byte.
type finder struct {
	literal string // in lower case if fold is set
	fold    bool
	at      int  // index of the rarest byte
	rare    byte // that byte
	upper   byte // that byte in upper case

	// Positions found last: len of the block for none, -1 before the first search.
	next      int // of the literal
	nextUpper int // of upper
}

func newFinder(literal string, fold bool) finder {
	at := rarest(literal, fold)
	return finder{literal: literal, fold: fold, at: at, rare: literal[at], upper: upper(literal[at])}
}

// reset prepares the finder for another block.
func (f *finder) reset() { f.next, f.nextUpper = -1, -1 }

// find returns the index of the literal in b at or after from, or len(b). Within
// a block from never decreases.
func (f *finder) find(b []byte, from int) int {
	switch {
	case f.next >= from:
	case f.fold:
		f.next = f.folded(b, from)
	default:
		f.next = f.plain(b, from)
	}
	return f.next
}

func (f *finder) plain(b []byte, from int) int {
	for i := from + f.at; i < len(b); i++ {
		j := bytes.IndexByte(b[i:], f.rare)
		if j < 0 {
			break
		}
		i += j
		if k := i - f.at; b[k] == f.literal[0] && len(b)-k >= len(f.literal) && string(b[k:k+len(f.literal)]) == f.literal {
			return k
		}
	}
	return len(b)
}

func (f *finder) folded(b []byte, from int) int {
	for i := from + f.at; i < len(b); i++ {
		if f.nextUpper < i {
			f.nextUpper = len(b)
			if j := bytes.IndexByte(b[i:], f.upper); j >= 0 {
				f.nextUpper = i + j
			}
		}
		if j := bytes.IndexByte(b[i:f.nextUpper], f.rare); j >= 0 {
			i += j
		} else if i = f.nextUpper; i == len(b) {
			break
		}
		if k := i - f.at; upper(b[k]) == upper(f.literal[0]) && len(b)-k >= len(f.literal) && equalLower(b[k:k+len(f.literal)], f.literal) {
			return k
		}
	}
	return len(b)
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// equalLower reports whether b equals literal, which is in lower case, ignoring
// the case of ASCII letters.
func equalLower(b []byte, literal string) bool {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != literal[i] {
			return false
		}
	}
	return true
}
