package vi

import "strings"

// run is a row of lines of one kind: blank ones, or a paragraph.
type run struct {
	from, to int // of the first line's start and the last one's end
	blank    bool
	empty    bool // empty lines, which end a paragraph
}

// runs are all of a text.
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

// paragraphs are n paragraphs or the lines between them, from the caret's on;
// around, paragraphs with the blank lines behind them.
func (b buffer) paragraphs(n int, around bool) (from, to int, ok bool) {
	all := b.runs()
	first := 0
	for all[first].to < b.Caret() {
		first++
	}
	last := first + n - 1
	if around {
		last = first + 2*n - 1
	}
	switch {
	case last < len(all):
	case around && last == len(all) && !all[first].blank:
		if last--; first > 0 {
			first--
		}
	default:
		return 0, 0, false
	}
	return all[first].from, all[last].to, true
}

// sentences are n sentences from the caret's on; around, with the blanks
// behind them, or else those before.
func (b buffer) sentences(n int, around bool) (from, to int, ok bool) {
	parts := b.parts()
	first := 0
	for first < len(parts)-1 && parts[first].to <= b.Caret() {
		first++
	}
	last := first + n - 1
	if around {
		last = first + 2*n - 1
	}
	switch {
	case last < len(parts):
	case around && last == len(parts) && !parts[first].blank:
		if last--; first > 0 && !parts[first-1].empty {
			first--
		}
	default:
		return 0, 0, false
	}
	return parts[first].from, parts[last].to, true
}

// parts are the sentences and the blanks between them.
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
