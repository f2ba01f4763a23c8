package undo

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tools/snapshot"
)

// maxLinkScan limits the search for another name of a removed file, in directory entries.
const maxLinkScan = 100_000

// names returns the absolute paths of the files with these inodes, by inode.
func (a *roots) names(inodes map[string]bool) map[string][]string {
	all, seen := map[string][]string{}, 0
	if len(inodes) == 0 {
		return all
	}
	for _, r := range a.all {
		_ = fs.WalkDir(r.open.FS(), ".", func(p string, e fs.DirEntry, err error) error {
			seen++
			switch {
			case seen > maxLinkScan:
				return fs.SkipAll
			case err != nil:
				return nil
			case strings.EqualFold(e.Name(), ".git") && e.IsDir():
				return fs.SkipDir
			case !e.Type().IsRegular():
				return nil
			}
			if info, err := e.Info(); err == nil {
				if inode := snapshot.Inode(info); inodes[inode] {
					all[inode] = append(all[inode], join(r.dir, p))
				}
			}
			return nil
		})
	}
	return all
}

// relinks reports whether a removed name of a file with several hard links can be restored:
// another name still has the content, or no name is left and the content is stored.
func (a *roots) relinks(before snapshot.State) bool {
	if before.Kind != snapshot.File || before.Lost != snapshot.UnsavedLinks || before.Inode == "" || before.Hash == "" {
		return false
	}
	names := a.names(map[string]bool{before.Inode: true})[before.Inode]
	return len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return a.isName(name, before) })
}

// isName reports whether path is a name of the removed file, with its content.
func (a *roots) isName(path string, before snapshot.State) bool {
	at, ok := a.at(path)
	return ok && at.isName(before)
}

// isName reports whether p is a name of the removed file, with its content.
func (p rootPath) isName(before snapshot.State) bool {
	if before.Inode == "" || p.inode() != before.Inode {
		return false
	}
	now := p.capture(snapshot.Hashes{})
	return now.Mode == before.Mode && now.Hash == before.Hash
}

// isLinked reports whether v is to become a name of a file with several hard links, in the place
// of something else.
func (v value) isLinked(now snapshot.State) bool {
	return v.Kind == snapshot.File && v.Lost == snapshot.UnsavedLinks && v.content == nil && !inPlace(v.State, now)
}

// relink decides how to restore the names of files with several hard links: as links to names
// that are there, or by content if no name is left; then the further names become links to
// the first.
func (w *planner) relink(paths []string) {
	inodes := map[string]bool{}
	for _, it := range w.items {
		if it.linked && it.To.Inode != "" {
			inodes[it.To.Inode] = true
		}
	}
	names, first := w.roots.names(inodes), map[file]string{}
	for _, path := range paths {
		it := w.items[path]
		if it == nil || !it.linked {
			continue
		}
		link, changed := w.findLink(it.To, names[it.To.Inode])
		id := fileOf(it.To)
		switch {
		case link != "":
			it.link = link
		case !w.plan.Redo && (it.To.Inode == "" || changed && !w.removesContent(it.To)), it.To.Hash == "":
			delete(w.items, path)
			w.lose(*it, snapshot.UnsavedLinks)
		case first[id] != "":
			it.link = first[id]
		case !w.pack.Has(it.To.Hash):
			delete(w.items, path)
			w.lose(*it, "its old content is no longer stored")
		default:
			first[id] = path
		}
	}
}

// file identifies a file with several hard links at some time.
type file struct{ inode, hash string }

func fileOf(s snapshot.State) file { return file{s.Inode, s.Hash} }

// findLink returns which of the names has the content of a removed name; empty for none. It
// prefers names that the plan keeps. It also reports whether the plan keeps a name with another
// content.
func (w *planner) findLink(before snapshot.State, names []string) (link string, changed bool) {
	if before.Hash == "" {
		return "", false
	}
	for _, name := range names {
		it := w.items[name]
		switch {
		case it != nil && inPlace(it.To, it.Now):
			if it.To.Mode == before.Mode && it.To.Hash == before.Hash {
				return name, false
			}
			changed = true
		case w.roots.isName(name, before):
			if it == nil {
				return name, false
			}
			link = name
		case it == nil:
			changed = true
		}
	}
	return link, changed
}

// removesContent reports whether the plan removes a file with the content of s.
func (w *planner) removesContent(s snapshot.State) bool {
	for _, it := range w.items {
		if it.destroys() && it.Now.Hash == s.Hash {
			return true
		}
	}
	return false
}

// holdLast drops the items that would remove the last name of a file whose other names are not
// restored. It reports whether there were any.
func (w *planner) holdLast(paths []string) (held bool) {
	if len(w.missing) == 0 {
		return false
	}
	var all []Item
	for _, path := range paths {
		if it := w.items[path]; it != nil {
			all = append(all, *it)
		}
	}
	for _, it := range all {
		if it.isLast(w.missing, all) {
			delete(w.items, it.Path)
			w.plan.Lost = append(w.plan.Lost, event.LostChange{Path: it.Shown, Why: errLast.Error()})
			held = true
		}
	}
	return held
}

// destroys reports whether it removes a name of a file.
func (it *Item) destroys() bool { return destroys(it.Now, it.To) }

func destroys(now, to snapshot.State) bool {
	return now.Kind == snapshot.File && (to.Kind != snapshot.File || !to.SameContent(now) && !inPlace(to, now))
}

// isLast reports whether it would remove the last name of a file: one of the missing states is
// that file, and none of the items restores it.
func (it *Item) isLast(missing, items []Item) bool {
	if !it.destroys() {
		return false
	}
	for i := range missing {
		m := &missing[i]
		restores := func(o Item) bool { return o.linked && fileOf(o.To) == fileOf(m.To) }
		if m.Path != it.Path && sameFile(it.Now, m.To) && !slices.ContainsFunc(items, restores) {
			return true
		}
	}
	return false
}

// sameFile reports whether the file now can be what is left of a file with the state before, which
// had another name.
func sameFile(now, before snapshot.State) bool {
	if before.Kind != snapshot.File || before.Lost == "" || before.Size == 0 {
		return false
	}
	return now.Hash != "" && now.Hash == before.Hash || now.Inode != "" && now.Inode == before.Inode || now.SameUnread(before) ||
		before.Hash == "" && before.Inode == "" && before.Stamp == "" && now.Size == before.Size
}

// isLast reports whether an item would remove the last name of a file, because all others that the
// undo should restore are skipped.
func (w *applier) isLast(i int) bool {
	skipped := false
	for _, all := range w.linked {
		if !sameFile(w.journal.Items[i].From, w.journal.Items[all[0]].To) {
			continue
		}
		for _, j := range all {
			if j != i && !w.isSkipped(j) {
				return false
			}
			skipped = skipped || j != i
		}
	}
	return skipped
}

// linkEarly restores hard links before anything is removed, because another name may be removed.
// What fails is tried again later.
func (w *applier) linkEarly(order []int) {
	if w.ready == nil {
		w.ready = map[int]bool{}
	}
	parents := map[string]bool{}
	for _, it := range w.journal.Items {
		for dir := it.Path; it.Link != "" && dir != filepath.Dir(dir); {
			dir = filepath.Dir(dir)
			parents[dir] = true
		}
	}
	for _, i := range order {
		it := w.journal.Items[i]
		makes := it.To.Kind == snapshot.Dir && it.From.Kind == snapshot.Absent && parents[it.Path]
		at, ok := w.roots.at(it.Path)
		if !ok || it.Link == "" && !makes || w.ready[i] || w.isSkipped(i) {
			continue
		}
		within, err := at.enter(true)
		switch {
		case err != nil:
		case makes:
			_ = w.makeDir(i, within)
		case w.unchanged(i, within) == nil:
			w.ready[i] = w.linkTo(i, it.Link, within) == nil
		}
		within.close()
	}
}

// missedLinks names the hard links of a file of which one was restored as a file of its own.
const missedLinks = "its other hard links"

// siblings returns the other items that are names of the file of an item.
func (w *applier) siblings(i int) []int {
	return slices.DeleteFunc(slices.Clone(w.linked[fileOf(w.journal.Items[i].To)]), func(j int) bool { return j == i })
}

// link restores a name of a file with several hard links. If no name is left, it writes the
// content.
func (w *applier) link(i int, at rootPath) error {
	it, siblings := w.journal.Items[i], w.siblings(i)
	if err := w.unchanged(i, at); err != nil {
		return err
	}
	names := []string{it.Link}
	for _, j := range siblings {
		if !w.isSkipped(j) {
			names = append(names, w.journal.Items[j].Path)
		}
	}
	linkable := true
	for _, name := range names {
		err := w.linkTo(i, name, at)
		if err == nil || errors.Is(err, errChanged) {
			return err
		}
		linkable = linkable && errors.Is(err, errUnlinked)
	}
	if from, ok := w.roots.at(it.Link); !w.pack.Has(it.To.Hash) || linkable && !w.journal.Redo && ok && from.inode() == it.To.Inode {
		return errUnlinked
	}
	err := w.replace(i, at)
	if err == nil && (len(siblings) == 0 || !linkable) {
		w.miss(i, missedLinks)
	}
	return err
}

// linkTo makes a path another name of the file at an absolute path. The error is errUnlinked if that
// is not the file of the item.
func (w *applier) linkTo(i int, path string, at rootPath) error {
	it := w.journal.Items[i]
	from, ok := w.roots.at(path)
	if !ok {
		return errUnlinked
	}
	name, err := from.enter(false)
	if err != nil {
		return errUnlinked
	}
	defer name.close()
	restored := func(j int) bool { return w.journal.Items[j].Path == path }
	if j := slices.IndexFunc(w.siblings(i), restored); !name.isName(it.To) && (j < 0 || name.capture(snapshot.Hashes{}).Hash != it.To.Hash) {
		return errUnlinked
	}
	if w.stamps[i] == "" || it.From.Kind == snapshot.Dir {
		err := name.linkTo(at)
		if errors.Is(err, fs.ErrExist) {
			return errChanged
		}
		return err
	}
	temp := at
	temp.rel = w.temp(i, at)
	if err := name.linkTo(temp); err != nil {
		return err
	}
	defer func() { _ = at.open.Remove(temp.rel) }()
	return at.open.Rename(temp.rel, at.rel)
}
