package text

import "strings"

// quoting knows whether the next line is quoted: inside a fence of code, or in
// what a model thinks aloud.
type quoting struct {
	line  strings.Builder // the line so far, as far as it is needed
	ends  bool            // a part of it that is not kept ends what a model thinks aloud
	until string          // what ends the quoting; empty outside
}

const thinkTag, thinkEnd = "<think>", "</think>"

// add takes a piece of text that holds at most one line end, at its end.
func (q *quoting) add(piece string) {
	line, ended := strings.CutSuffix(piece, "\n")
	q.line.WriteString(line)
	if q.line.Len() > longLine {
		q.shorten()
	}
	if ended {
		q.next(q.line.String())
		q.line.Reset()
		q.ends = false
	}
}

// longLine is the length beyond which only the two ends of a line are kept, in
// bytes.
const longLine = 8 << 10

// shorten drops the middle of the line, which says nothing but whether what the
// model thinks aloud ends there.
func (q *quoting) shorten() {
	line := q.line.String()
	q.ends = q.ends || strings.Contains(line, thinkEnd)
	q.line.Reset()
	q.line.WriteString(line[:longLine/4])
	q.line.WriteString(" ")
	q.line.WriteString(line[len(line)-len(thinkEnd):])
}

// next takes a whole line. How far it is indented does not matter: that quotes
// rather too much than too little.
func (q *quoting) next(line string) {
	text := strings.TrimSpace(line)
	run := fence(text)
	switch {
	case q.until == thinkEnd:
		if q.ends || strings.Contains(text, thinkEnd) {
			q.until = ""
		}
	case q.until != "":
		if strings.HasPrefix(run, q.until) && run == text {
			q.until = ""
		}
	case strings.HasPrefix(text, thinkTag) && !q.ends && !strings.Contains(text, thinkEnd):
		q.until = thinkEnd
	case run != "" && !(run[0] == '`' && strings.Contains(text[len(run):], "`")):
		q.until = run
	}
}

// fence returns the run of three or more fence letters that text begins with.
func fence(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	run := text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
	if len(run) < 3 {
		return ""
	}
	return run
}
