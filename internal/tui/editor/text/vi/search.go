package vi

import (
	"slices"
	"strings"

	"agent/internal/tui/editor/text"
)

// sought is what / and its like look for.
type sought struct {
	text  string
	back  bool
	whole bool // as a word of its own
}

// ask takes a key of the line in which it is typed what to look for.
func (v *Vi) ask(key string) {
	switch {
	case key == "esc", key == "ctrl+c", key == "backspace" && v.pattern == "":
		v.reset()
		v.hold()
	case key == "backspace":
		v.pattern = v.pattern[:text.Previous(v.pattern, len(v.pattern))]
	case key == "ctrl+u":
		v.pattern = ""
	case key == "ctrl+w":
		v.pattern = v.pattern[:wordStartBack(v.pattern, len(v.pattern), true)]
	case key == "enter", key == "ctrl+j":
		back := v.wait == "?"
		text := v.pattern
		if text == "" {
			text = v.sought.text
		}
		v.wait, v.keys, v.pattern = "", append(v.keys, v.pattern, "enter"), ""
		v.sought = sought{text: text, back: back}
		v.move(v.searchMotion("n", v.times()))
	case isLetter(key):
		v.pattern += key
	}
}

// AskFor adds text to what is looked for.
func (v *Vi) AskFor(text string) { v.pattern += strings.Map(oneLine, text) }

func oneLine(r rune) rune {
	if r == '\n' || text.IsToken(r) {
		return -1
	}
	return r
}

// searchMotion leads to the next place of what is looked for, round the end of
// the text.
func (v *Vi) searchMotion(key string, n int) motion {
	m := motion{to: v.b.Caret(), jumps: true, wide: true}
	back := v.sought.back != (key == "N")
	switch key {
	case "*", "#", "g*", "g#":
		at, word := v.b.wordNear()
		if word == "" {
			return motion{fails: true}
		}
		back = strings.HasSuffix(key, "#")
		m.to, v.sought = at, sought{word, back, len(key) == 1}
	}
	all := v.sought.places(v.b.String())
	if len(all) == 0 {
		return motion{fails: true}
	}
	for ; n > 0; n-- {
		m.to = nextOf(all, m.to, back)
	}
	return m
}

// places are where in s it is.
func (w sought) places(s string) (all []int) {
	for at := 0; w.text != "" && at < len(s); {
		i := strings.Index(s[at:], w.text)
		if i < 0 {
			break
		}
		at += i
		if !w.whole || w.stands(s, at) {
			all = append(all, at)
		}
		at = text.Next(s, at)
	}
	return all
}

// stands reports whether it is a word of its own at an offset.
func (w sought) stands(s string, at int) bool {
	if text.ClassAt(w.text, 0) != text.Letter {
		return true
	}
	to := at + len(w.text)
	return (at == 0 || text.ClassAt(s, text.Previous(s, at)) != text.Letter) && text.ClassAt(s, to) != text.Letter
}

// nextOf is the first of the places behind an offset, or the last before it;
// at the end it begins anew.
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

// wordNear is the word at the caret or behind it in the line; where there is
// none, what is not blank.
func (b buffer) wordNear() (at int, word string) {
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
