package text

import "strings"

// quoting tracks whether the next line is inside a code fence or a <think>
// block.
type quoting struct {
	line  strings.Builder // the current line, possibly shortened
	ends  bool            // a dropped part of the line contained </think>
	until string          // end marker of the fence or block; empty outside
}

const thinkTag, thinkEnd = "<think>", "</think>"

// add adds a piece of text with at most one line break, at its end.
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

// longLine is the length from which only both ends of a line are kept, in
// bytes.
const longLine = 8 << 10

// shorten drops the middle of the line. Only a </think> in it matters.
func (q *quoting) shorten() {
	line := q.line.String()
	q.ends = q.ends || strings.Contains(line, thinkEnd)
	q.line.Reset()
	q.line.WriteString(line[:longLine/4])
	q.line.WriteString(" ")
	q.line.WriteString(line[len(line)-len(thinkEnd):])
}

// next processes a complete line. It ignores indentation, which rather treats
// too much as quoted.
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

// fence returns the run of three or more backquotes or tildes at the start of
// text.
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
