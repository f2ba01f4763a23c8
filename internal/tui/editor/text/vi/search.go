package vi

import (
	"slices"
	"strings"

	"agent/internal/tui/editor/text"
)

// pattern is the last search by /, ?, *, #, g* or g#.
type pattern struct {
	text string
	back bool
	word bool // match whole words only
}

// ask handles a key while the user types a search pattern.
func (v *Vi) ask(key string) {
	switch {
	case key == "esc", key == "backspace" && v.pattern == "":
		v.reset()
		v.hold()
	case key == "enter", key == "ctrl+j":
		back := v.wait == "?"
		v.wait, v.keys = "", append(v.keys, v.pattern, "enter")
		if v.pattern == "" {
			v.pattern = v.sought.text
		}
		v.sought, v.pattern = pattern{text: v.pattern, back: back}, ""
		v.move("n", v.searchMotion("n", v.times()))
	case key == "backspace":
		v.pattern = v.pattern[:text.Previous(v.pattern, len(v.pattern))]
	case key == "ctrl+u":
		v.pattern = ""
	case key == "ctrl+w":
		v.pattern = v.pattern[:wordStartBack(v.pattern, len(v.pattern), true)]
	case isLetter(key):
		v.pattern += key
	}
}

// AskFor appends text to the search pattern.
func (v *Vi) AskFor(text string) { v.pattern += strings.Map(oneLine, text) }

func oneLine(r rune) rune {
	if r == '\n' || text.IsToken(r) {
		return -1
	}
	return r
}

// searchMotion returns the motion to the next match, wrapping around the end of the
// text.
func (ms *motions) searchMotion(key string, n int) motion {
	at, back := ms.b.Caret(), ms.sought.back != (key == "N")
	if strings.HasSuffix(key, "*") || strings.HasSuffix(key, "#") {
		var word string
		if at, word = ms.b.wordNear(); word == "" {
			return motion{fails: true}
		}
		back = strings.HasSuffix(key, "#")
		ms.sought = pattern{text: word, back: back, word: len(key) == 1}
	}
	all := ms.sought.matches(ms.b.String())
	for ; n > 0 && len(all) > 0; n-- {
		at = nextOf(all, at, back)
	}
	return motion{to: at, fails: len(all) == 0}
}

// matches returns the offsets of all matches in s.
func (p pattern) matches(s string) (all []int) {
	for at := 0; p.text != "" && at < len(s); {
		i := strings.Index(s[at:], p.text)
		if i < 0 {
			break
		}
		at += i
		if !p.word || p.isWord(s, at) {
			all = append(all, at)
		}
		at = text.Next(s, at)
	}
	return all
}

// isWord reports whether the match at an offset is a whole word.
func (p pattern) isWord(s string, at int) bool {
	if text.ClassAt(p.text, 0) != text.Letter {
		return true
	}
	to := at + len(p.text)
	return (at == 0 || text.ClassAt(s, text.Previous(s, at)) != text.Letter) && text.ClassAt(s, to) != text.Letter
}

// nextOf returns the first match after an offset, or the last before it, wrapping
// around.
func nextOf(all []int, at int, back bool) int {
	i, found := slices.BinarySearch(all, at)
	switch {
	case back:
		i = (i + len(all) - 1) % len(all)
	case found:
		i++
	}
	return all[i%len(all)]
}

// wordNear returns the word at or after the caret in the line, or else the first
// non-blank run.
func (b reader) wordNear() (at int, word string) {
	end := b.lineEnd(b.Caret())
	for _, least := range []text.Class{text.Letter, text.Sign} {
		for at = b.Caret(); at < end; at = text.Next(b.String(), at) {
			if text.ClassAt(b.String(), at) >= least {
				from := runStart(b.String(), at, false)
				return from, b.String()[from:text.Next(b.String(), runEnd(b.String(), at, false))]
			}
		}
	}
	return 0, ""
}
