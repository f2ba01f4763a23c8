package command

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// maxNames limits the names that Splits reads.
const maxNames = 100_000

// Splits reports whether a name at or below path may become several words of xargs, of which
// one is an option or names another file. If lines is set, only a newline separates words.
// It also reports true if there are too many names to read.
func Splits(path string, lines bool) bool {
	budget := maxNames
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && splitsBelow(path, lines, &budget)
}

func splitsBelow(dir string, lines bool, budget *int) bool {
	entries, err := os.ReadDir(dir)
	if *budget -= len(entries); *budget < 0 {
		return true
	}
	if err != nil {
		return len(entries) > 0 || !os.IsPermission(err) && !os.IsNotExist(err)
	}
	for _, e := range entries {
		if splits(e.Name(), e.IsDir(), lines) || e.IsDir() && splitsBelow(filepath.Join(dir, e.Name()), lines, budget) {
			return true
		}
	}
	return false
}

// splits reports whether a word that begins within name is an option, or a path if name is
// that of a directory. Quotes and a backslash in front of a dash belong to the word.
func splits(name string, dir, lines bool) bool {
	blank := func(r rune) bool { return r == '\n' || !lines && unicode.IsSpace(r) }
	for i, r := range name {
		if blank(r) && (dir || strings.HasPrefix(strings.TrimLeft(name[i+1:], "\"'\\"), "-")) {
			return true
		}
	}
	return false
}
