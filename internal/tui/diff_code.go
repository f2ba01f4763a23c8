package tui

import (
	"path"
	"strings"
)

// maxDiffCode is how much code of a diff, in bytes, is drawn in colours.
const maxDiffCode = 48 << 10

// diffCode returns the code of rows in the colours of its language, which the
// name of the file tells. Either side of a hunk is read as it stands there. Of
// rows that no limit lets be drawn, nothing is read.
func (st *Styles) diffCode(rows []diffRow, file string, limit int) [][]span {
	code := make([][]span, len(rows))
	language := strings.TrimPrefix(path.Ext(file), ".")
	if language == "" {
		language = path.Base(file)
	}
	room := maxDiffCode
	for from := 0; from < len(rows) && room > 0; {
		n := hunkLength(rows[from:])
		for _, side := range []byte{'-', '+'} {
			room -= st.sideCode(code[from:from+n], rows[from:from+n], side, language, limit, room)
		}
		from += n + 1
	}
	return code
}

// sideCode fills in the code of one side of a hunk, at most so many bytes, and
// returns how many it were.
func (st *Styles) sideCode(code [][]span, rows []diffRow, side byte, language string, limit, room int) int {
	var (
		at   []int
		text strings.Builder
	)
	for i, r := range rows {
		if text.Len() > room || limit > 0 && len(at) >= limit {
			break
		}
		if r.mark == side || r.mark == ' ' {
			at = append(at, i)
			text.WriteString(r.shown())
			text.WriteByte('\n')
		}
	}
	if len(at) == 0 {
		return 0
	}
	for n, line := range st.highlight(text.String(), language) {
		if n < len(at) {
			code[at[n]] = line
		}
	}
	return text.Len()
}

// hunkLength is how many rows there are before the end of the hunk.
func hunkLength(rows []diffRow) int {
	for i, r := range rows {
		if r.mark == '@' {
			return i
		}
	}
	return len(rows)
}
