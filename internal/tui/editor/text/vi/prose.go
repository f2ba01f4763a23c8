package vi

import "strings"

// run is a sequence of blank lines or of the lines of a paragraph.
type run struct {
	from, to int // start of the first line and end of the last
	blank    bool
	empty    bool // empty lines, which end a paragraph
}

// runs returns all runs of the text.
func (b buffer) runs() (all []run) {
	at := 0
	for line := range strings.SplitSeq(b.String(), "\n") {
		is := strings.Trim(line, " \t") == ""
		if n := len(all) - 1; n >= 0 && all[n].blank == is {
			all[n].to = at + len(line)
		} else {
			all = append(all, run{from: at, to: at + len(line), blank: is})
		}
		at += len(line) + 1
	}
	return all
}

// paragraphs returns the range of n paragraphs or runs of blank lines from the caret
// on. around includes the blank lines after each paragraph.
func (b buffer) paragraphs(n int, around bool) (from, to int, ok bool) {
	all := b.runs()
	first := 0
	for all[first].to < b.Caret() {
		first++
	}
	return among(all, first, n, around)
}

// sentences returns the range of n sentences from the caret on. around includes the
// whitespace after them, or else before them.
func (b buffer) sentences(n int, around bool) (from, to int, ok bool) {
	parts := b.parts()
	first := 0
	for first < len(parts)-1 && parts[first].to <= b.Caret() {
		first++
	}
	return among(parts, first, n, around)
}

// among returns the range of n runs from the first on. around includes the blank run
// after each, or before the first if the text ends without one.
func among(all []run, first, n int, around bool) (from, to int, ok bool) {
	last := first + n - 1
	if around {
		last = first + 2*n - 1
	}
	switch {
	case last < len(all):
	case around && last == len(all) && !all[first].blank:
		if last--; first > 0 && !all[first-1].empty {
			first--
		}
	default:
		return 0, 0, false
	}
	return all[first].from, all[last].to, true
}

// parts returns the sentences and the whitespace between them.
func (b buffer) parts() (all []run) {
	for at := 0; at < len(b.String()); {
		to := at + 1
		for to < len(b.String()) && !b.sentenceAt(to) {
			to++
		}
		words := strings.TrimRight(b.String()[at:to], " \t\n")
		if words != "" {
			all = append(all, run{from: at, to: at + len(words)})
		}
		if at+len(words) < to {
			all = append(all, run{from: at + len(words), to: to, blank: true, empty: words == ""})
		}
		at = to
	}
	return all
}
