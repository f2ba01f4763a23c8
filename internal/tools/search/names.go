package search

import (
	"strings"
	"sync"
)

// The limits of an index: number of names, and bytes of names and directory
// paths.
const (
	maxNames = 400_000
	maxBytes = 64 << 20
)

// group ranks names: later groups come last.
type group uint8

const (
	normal  group = iota
	hidden        // the name, or that of a parent, begins with a dot
	ignored       // excluded by ignore rules
)

// names holds the files and directories of a tree in compact form. One goroutine
// adds entries while others read snapshots.
type names struct {
	mu   sync.Mutex
	dirs []string // directories with entries, relative to the tree
	text []byte   // all names, concatenated
	all  []name
	size int // size of text and dirs in bytes
}

// name is one file or directory.
type name struct {
	dir      uint32 // index of its directory in dirs
	at       uint32 // offset of its name in text
	letters  uint32 // letters of its path: see lettersOf
	size     uint16 // length of its name in bytes
	isDir    bool
	standing group
}

// entryInfo is an entry to add.
type entryInfo struct {
	name     string
	isDir    bool
	standing group
}

// add adds the entries of dir. It reports whether the limits allow more.
func (n *names) add(dir string, entries []entryInfo) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.size += len(dir)
	for _, e := range entries {
		n.size += len(e.name)
	}
	if len(n.all)+len(entries) > maxNames || n.size > maxBytes {
		return false
	}
	if len(entries) == 0 {
		return true
	}
	n.dirs = append(n.dirs, dir)
	letters := uint32(0)
	if dir != "." {
		letters = lettersOf(dir) | lettersOf("/")
	}
	for _, e := range entries {
		if len(e.name) > 1<<16-1 {
			continue // longer than any file system allows
		}
		n.all = append(n.all, name{
			dir: uint32(len(n.dirs) - 1), at: uint32(len(n.text)), size: uint16(len(e.name)),
			letters: letters | lettersOf(e.name), isDir: e.isDir, standing: e.standing,
		})
		n.text = append(n.text, e.name...)
	}
	return true
}

// snapshot returns the current names. It never changes.
func (n *names) snapshot() snapshot {
	n.mu.Lock()
	defer n.mu.Unlock()
	return snapshot{n.dirs, n.text, n.all}
}

// snapshot is the state of names at some time.
type snapshot struct {
	dirs []string
	text []byte
	all  []name
}

// path appends the path of a name to buf and returns the offset of its last
// element.
func (k snapshot) path(buf []byte, n name) (path []byte, base int) {
	if dir := k.dirs[n.dir]; dir != "." {
		buf = append(append(buf, dir...), '/')
	}
	return append(buf, k.text[n.at:n.at+uint32(n.size)]...), len(buf)
}

// lettersOf returns a bit set of the bytes in s, ignoring case. If it lacks a bit
// of a query, s cannot match the query.
func lettersOf(s string) uint32 {
	set := uint32(0)
	for i := range len(s) {
		set |= letterOf(s[i])
	}
	return set
}

func letterOf(b byte) uint32 {
	const digit, other = 26, 31
	switch b = lowerByte(b); {
	case 'a' <= b && b <= 'z':
		return 1 << (b - 'a')
	case '0' <= b && b <= '9':
		return 1 << digit
	}
	if i := strings.IndexByte("./-_", b); i >= 0 {
		return 1 << (digit + 1 + i)
	}
	return 1 << other
}

// lowerByte lowercases an ASCII letter.
func lowerByte(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
