package search

import (
	"strings"
	"sync"
)

// The limits of what an index remembers, and with it of its memory: how many
// names, and how many bytes of names and of paths of directories.
const (
	maxNames = 400_000
	maxBytes = 64 << 20
)

// standing says how far behind the others a name comes.
type standing uint8

const (
	plain   standing = iota
	hidden           // it, or a directory that it is in, begins with a dot
	ignored          // the rules leave it out
)

// names are the files and directories of a tree, in little memory. One
// goroutine at a time adds to them, while others look at what was there.
type names struct {
	mu   sync.Mutex
	dirs []string // those that hold something, relative to the tree
	text []byte   // the names, one after the other
	all  []name
	size int // of the text and the dirs, in bytes
}

// name is one file or directory.
type name struct {
	dir      uint32 // which of the dirs it is in
	at       uint32 // where its name begins in the text
	letters  uint32 // those of its whole path: see lettersOf
	size     uint16 // of its name, in bytes
	isDir    bool
	standing standing
}

// listed is what an add takes of one entry.
type listed struct {
	name     string
	isDir    bool
	standing standing
}

// add takes what is in dir. It reports whether there is room for more.
func (n *names) add(dir string, entries []listed) bool {
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
			continue // no system has such names
		}
		n.all = append(n.all, name{
			dir: uint32(len(n.dirs) - 1), at: uint32(len(n.text)), size: uint16(len(e.name)),
			letters: letters | lettersOf(e.name), isDir: e.isDir, standing: e.standing,
		})
		n.text = append(n.text, e.name...)
	}
	return true
}

// now returns what there is so far. It stays as it is.
func (n *names) now() known {
	n.mu.Lock()
	defer n.mu.Unlock()
	return known{n.dirs, n.text, n.all}
}

// known is what was there at some time.
type known struct {
	dirs []string
	text []byte
	all  []name
}

// path appends the path of a name to buf, and returns where in it the name
// itself begins.
func (k known) path(buf []byte, n name) (path []byte, base int) {
	if dir := k.dirs[n.dir]; dir != "." {
		buf = append(append(buf, dir...), '/')
	}
	return append(buf, k.text[n.at:n.at+uint32(n.size)]...), len(buf)
}

// lettersOf returns a set of the bytes in s, small and large letters alike:
// where it lacks one of a query's, s cannot be what the query stands for.
func lettersOf(s string) uint32 {
	set := uint32(0)
	for i := range len(s) {
		set |= letterOf(s[i])
	}
	return set
}

func letterOf(b byte) uint32 {
	const digit, other = 26, 31
	switch b = small(b); {
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

// small is the small letter of an ASCII letter.
func small(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
