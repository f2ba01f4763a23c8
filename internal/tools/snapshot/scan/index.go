package scan

import (
	"slices"
	"strings"
	"time"

	"agent/internal/tools/snapshot"
)

// index lists the files of a directory tree as they were at one time. It does not change
// once it is complete, except for its contents.
type index struct {
	dirs    []dir             // sorted by path; the first one is the top directory
	targets map[string]string // of links, by path
	files   int               // all entries
	mtime   int64             // of the top directory, in nanoseconds since 1970
}

// dir is a directory and its entries.
type dir struct {
	path     string  // relative to the top directory, with slashes; "." for itself
	entries  []entry // sorted by name
	contents []content
	unread   bool // the directory could not be read: its entries are not known
}

// entry is the result of stat for one name. It takes 56 bytes.
type entry struct {
	name  string
	size  int64
	mtime int64 // nanoseconds since 1970
	ctime int64 // of the last change of the content or the inode; 0 if the system does not tell
	inode uint64
	mode  uint32 // permission bits with setuid, setgid and sticky, as in Unix
	kind  kind
	flags flag
}

// kind is a snapshot.Kind in one byte.
type kind uint8

const (
	other kind = iota
	file
	directory
	link
)

// public returns k in the form of a snapshot.State.
func (k kind) public() snapshot.Kind {
	return [...]snapshot.Kind{snapshot.Other, snapshot.File, snapshot.Dir, snapshot.Link}[k]
}

// flag is a set of facts about an entry.
type flag uint8

const (
	linked  flag = 1 << iota // a file with several hard links
	foreign                  // it belongs to another user
	racy                     // it could change again without a new time: see racyTime
	mounted                  // a directory of another file system, whose entries are not known
)

// racyTime is how long after a change the times of a file may stay the same if it
// changes again. Older kernels count in ticks of up to 10 ms.
const racyTime = 20 * time.Millisecond

// mark sets the racy flag of an entry that was examined at now or later.
func (e *entry) mark(now time.Time) {
	if max(e.mtime, e.ctime) > now.Add(-racyTime).UnixNano() {
		e.flags |= racy
	}
}

// same reports whether nothing shows that the content or mode of an entry changed. The
// times of a directory change with its entries.
func (e *entry) same(o *entry) bool {
	switch {
	case e.kind != o.kind || e.mode != o.mode:
		return false
	case e.kind == directory || e.kind == link:
		return true
	}
	return e.sameContent(o)
}

// sameContent reports whether nothing shows that the content of a file changed.
func (e *entry) sameContent(o *entry) bool {
	return e.kind == o.kind && e.size == o.size && e.mtime == o.mtime && e.ctime == o.ctime && e.inode == o.inode
}

// content is where the old content of a file is, or why it is not known.
type content struct {
	status status
	sum    [32]byte
}

// status says where the content of a file is, or why it is nowhere.
type status uint8

const (
	unknown status = iota // nobody has looked yet
	kept                  // in the store, with this SHA-256
	blob                  // a blob of git, with this SHA-1
	blob256               // a blob of git, with this SHA-256
	ignored               // git ignores the file
	large                 // it has more than MaxCopy bytes
	over                  // the copies have reached MaxCopies
	failed                // it could not be read or stored
)

// id returns the ID of a blob; nil if the content is not one.
func (c *content) id() []byte {
	switch c.status {
	case blob:
		return c.sum[:20]
	case blob256:
		return c.sum[:]
	}
	return nil
}

// find returns the directory at path; nil if there is none.
func (x *index) find(path string) *dir {
	if x == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(x.dirs, path, func(d dir, p string) int { return comparePaths(d.path, p) })
	if !ok {
		return nil
	}
	return &x.dirs[i]
}

// find returns the number of an entry; -1 if there is none.
func (d *dir) find(name string) int {
	i, ok := slices.BinarySearchFunc(d.entries, name, func(e entry, n string) int { return strings.Compare(e.name, n) })
	if !ok {
		return -1
	}
	return i
}

// comparePaths orders paths. The top directory is the first.
func comparePaths(a, b string) int {
	if a == "." || b == "." {
		if a == b {
			return 0
		}
		if a == "." {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

// know sets the content of entry i.
func (d *dir) know(i int, c content) {
	if d.contents == nil {
		d.contents = make([]content, len(d.entries))
	}
	d.contents[i] = c
}

// known returns the content of entry i.
func (d *dir) known(i int) content {
	if d.contents == nil {
		return content{}
	}
	return d.contents[i]
}

// join returns the path of a name in a directory.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// split is the reverse of join.
func split(path string) (dir, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return ".", path
}
