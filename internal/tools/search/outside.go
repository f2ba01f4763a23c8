package search

import (
	"io"
	"os"
	"strings"
)

// maxGitFile is the maximum size in bytes of git's one-line files.
const maxGitFile = 8 << 10

// readRules reads an ignore or configuration file outside the tree. An unreadable
// file is empty. If plain is set, symbolic links are not followed, as git does
// for .gitignore.
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

// readLine reads a one-line file of git. It returns "" for a file that is too
// large.
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

// openRegular opens a regular file and returns nil for anything else. It never
// opens a FIFO or a device, which may block or have side effects.
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

// readAll reads complete lines up to most bytes, or less if the budget is low.
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
