package scan

import (
	"iter"
	"strings"
)

// change is a path at which two scans found different things.
type change struct {
	path          string
	before, after *entry // nil for nothing
	target        string // of before, if it is a link
	content       content
}

// compare returns how now differs from old, and carries over the facts about the
// contents of the files that are the same. Suspects are files that could have
// changed although their times are the same. Entries that one of the scans could not
// examine are left out. A renamed file is removed and created.
func compare(old, now *index) (changes, suspects []change) {
	c := comparison{old: old, now: now}
	for i, j := range pairs(old.dirs, now.dirs, func(a, b *dir) int { return comparePaths(a.path, b.path) }) {
		switch {
		case j < 0:
			c.only(&old.dirs[i], now, true)
		case i < 0:
			c.only(&now.dirs[j], old, false)
		default:
			c.both(&old.dirs[i], &now.dirs[j])
		}
	}
	return c.changes, c.suspects
}

// pairs yields the indices of the elements of two sorted lists, in their order. Equal
// elements are one pair; the index of a missing element is -1.
func pairs[T any](old, now []T, order func(a, b *T) int) iter.Seq2[int, int] {
	return func(yield func(i, j int) bool) {
		i, j := 0, 0
		for more := true; more && (i < len(old) || j < len(now)); {
			first := 0
			switch {
			case i == len(old):
				first = 1
			case j == len(now):
				first = -1
			default:
				first = order(&old[i], &now[j])
			}
			switch {
			case first < 0:
				more = yield(i, -1)
				i++
			case first > 0:
				more = yield(-1, j)
				j++
			default:
				more = yield(i, j)
				i, j = i+1, j+1
			}
		}
	}
}

type comparison struct {
	old, now          *index
	changes, suspects []change
}

// only adds the entries of a directory that other lacks.
func (c *comparison) only(d *dir, other *index, removed bool) {
	if d.unread || !other.lacks(d.path) {
		return
	}
	for i := range d.entries {
		if removed {
			c.removed(d, i)
		} else {
			c.created(d, i)
		}
	}
}

// lacks reports whether a directory that is not among the dirs of x did not exist. If
// not, x could not read it or one above it.
func (x *index) lacks(path string) bool {
	for path != "." {
		parent, name := split(path)
		if d := x.find(parent); d != nil {
			if d.unread {
				return false
			}
			i := d.find(name)
			return i < 0 || d.entries[i].kind != directory
		}
		path = parent
	}
	return false
}

func (c *comparison) removed(d *dir, i int) {
	path := join(d.path, d.entries[i].name)
	c.changes = append(c.changes, change{path: path, before: &d.entries[i], target: c.old.targets[path], content: d.known(i)})
}

func (c *comparison) created(d *dir, i int) {
	c.changes = append(c.changes, change{path: join(d.path, d.entries[i].name), after: &d.entries[i]})
}

// both compares the entries of a directory.
func (c *comparison) both(old, now *dir) {
	if old.unread || now.unread {
		return
	}
	for i, j := range pairs(old.entries, now.entries, func(a, b *entry) int { return strings.Compare(a.name, b.name) }) {
		switch {
		case j < 0:
			c.removed(old, i)
		case i < 0:
			c.created(now, j)
		default:
			c.entry(old, i, now, j)
		}
	}
}

// entry compares an entry of a directory.
func (c *comparison) entry(old *dir, i int, now *dir, j int) {
	before, after, known := &old.entries[i], &now.entries[j], old.known(i)
	ch := change{before: before, after: after, content: known}
	same := before.same(after)
	if same && before.kind != link && known.status == unknown {
		return
	}
	ch.path = join(now.path, after.name)
	ch.target = c.old.targets[ch.path]
	switch {
	case !same || before.kind == link && ch.target != c.now.targets[ch.path]:
		c.changes = append(c.changes, ch)
		return
	case before.kind == link:
		return
	case before.flags&racy != 0 && (known.status == kept || known.id() != nil):
		c.suspects = append(c.suspects, ch)
	}
	now.know(j, known)
}
