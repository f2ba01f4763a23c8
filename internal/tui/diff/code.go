package diff

import (
	"path"
	"strings"

	"agent/internal/tui/ink"
)

// maxCode is the maximum number of bytes of a diff that are highlighted.
const maxCode = 48 << 10

// readCode highlights the rows, in the language of the file name. It highlights the
// old and the new side of each hunk separately, and skips rows beyond limit.
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

// readSide highlights one side of the hunk in rows from up to to, at most about room
// bytes, and returns the number of bytes.
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

// hunkLength returns the number of rows before the end of the hunk.
func hunkLength(rows []row) int {
	for i, r := range rows {
		if r.mark == '@' {
			return i
		}
	}
	return len(rows)
}
