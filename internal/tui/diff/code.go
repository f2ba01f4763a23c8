package diff

import (
	"path"
	"strings"

	"agent/internal/tui/ink"
)

// maxCode is how much code of a diff, in bytes, is drawn in colours.
const maxCode = 48 << 10

// readCode gives the code of the rows the colours of its language, which the
// name of the file tells. Either side of a hunk is read as it stands there. Of
// rows that no limit lets be drawn, nothing is read.
func (k *drawing) readCode(file string, limit int) {
	k.code = make([][]ink.Span, len(k.rows))
	language := strings.TrimPrefix(path.Ext(file), ".")
	if language == "" {
		language = path.Base(file)
	}
	room := maxCode
	for from := 0; from < len(k.rows) && room > 0; {
		n := hunkLength(k.rows[from:])
		for _, side := range []byte{'-', '+'} {
			room -= k.readSide(from, from+n, side, language, limit, room)
		}
		from += n + 1
	}
}

// readSide does so for one side of a hunk, the rows from from up to to, at
// most so many bytes, and returns how many it were.
func (k *drawing) readSide(from, to int, side byte, language string, limit, room int) int {
	var (
		at   []int
		text strings.Builder
	)
	for i, r := range k.rows[from:to] {
		if text.Len() > room || limit > 0 && len(at) >= limit {
			break
		}
		if r.mark == side || r.mark == ' ' {
			at = append(at, from+i)
			text.WriteString(r.shown())
			text.WriteByte('\n')
		}
	}
	if len(at) == 0 {
		return 0
	}
	for n, line := range k.st.Highlight(text.String(), language) {
		if n < len(at) {
			k.code[at[n]] = line
		}
	}
	return text.Len()
}

// hunkLength is how many rows there are before the end of the hunk.
func hunkLength(rows []row) int {
	for i, r := range rows {
		if r.mark == '@' {
			return i
		}
	}
	return len(rows)
}
