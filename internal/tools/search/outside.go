package search

import (
	"io"
	"os"
	"strings"
)

// maxGitFile is how much is read of a file in which git keeps one line.
const maxGitFile = 8 << 10

// readRules reads a file of rules or configuration outside the tree. A file
// that cannot be read holds no rules. With plain, a symbolic link is not
// followed, as git does not for a .gitignore.
func (b *budget) readRules(file string, plain bool) string {
	if file == "" || b.ended() {
		return ""
	}
	f := openRegular(file, plain)
	if f == nil {
		return ""
	}
	defer f.Close()
	return b.readAll(f, b.caps.file)
}

// readLine reads a file in which git keeps one line. It returns nothing for a
// file that is too large to be one.
func readLine(file string) string {
	f := openRegular(file, false)
	if f == nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxGitFile+1))
	if err != nil || len(data) > maxGitFile {
		return ""
	}
	return strings.TrimRight(string(data), "\r\n")
}

// openRegular opens a file that is regular, and returns nil for anything else.
// A FIFO or a device is not opened at all: it may have no end, and opening it
// may do something.
func openRegular(file string, plain bool) *os.File {
	stat := os.Stat
	if plain {
		stat = os.Lstat
	}
	if info, err := stat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := regular(func(flag int) (*os.File, error) { return os.OpenFile(file, flag, 0) })
	if err != nil {
		return nil
	}
	return f
}

// readAll reads whole lines up to most bytes, and less if little is left of the
// budget.
func (b *budget) readAll(r io.Reader, most int64) string {
	most = min(most, b.bytes.Load())
	if most <= 0 {
		b.noteRules()
		return ""
	}
	data, _ := io.ReadAll(io.LimitReader(r, most+1))
	b.bytes.Add(-int64(len(data)))
	text := string(data)
	if int64(len(data)) > most {
		b.noteRules()
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return text
}
