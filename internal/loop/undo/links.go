package undo

import (
	"errors"
	"io/fs"
	"strings"

	"agent/internal/tools/snapshot"
)

// maxLinkScan limits the search for another name of a removed file, in directory entries.
const maxLinkScan = 100_000

// findLink returns the absolute path of another name of a removed file that had several hard
// links, if it still has the content that the file had; empty for none.
func (a *roots) findLink(before snapshot.State) string {
	if before.Kind != snapshot.File || before.Lost != snapshot.LostLinks || before.Inode == "" || before.Hash == "" {
		return ""
	}
	seen := 0
	for _, r := range a.all {
		found := ""
		_ = fs.WalkDir(r.open.FS(), ".", func(p string, e fs.DirEntry, err error) error {
			seen++
			switch {
			case seen > maxLinkScan || found != "":
				return fs.SkipAll
			case err != nil:
				return nil
			case strings.EqualFold(e.Name(), ".git") && e.IsDir():
				return fs.SkipDir
			case !e.Type().IsRegular():
				return nil
			}
			if info, err := e.Info(); err == nil && snapshot.Inode(info) == before.Inode {
				if (place{root: r, rel: p}).isName(before) {
					found = join(r.dir, p)
				}
			}
			return nil
		})
		if found != "" {
			return found
		}
	}
	return ""
}

// isName reports whether p is a name of the removed file, with its content.
func (p place) isName(before snapshot.State) bool {
	info, err := p.open.Lstat(p.rel)
	if err != nil || snapshot.Inode(info) != before.Inode {
		return false
	}
	now := p.take(snapshot.Hashes{})
	return now.Mode == before.Mode && now.Hash == before.Hash
}

// errUnlinked is why a file is not restored whose other name was found before.
var errUnlinked = errors.New("its other hard links have changed")

// link restores a removed hard link.
func (w *applier) link(i int, at place) error {
	it := w.journal.Items[i]
	from, ok := w.roots.at(it.Link)
	if !ok {
		return errUnlinked
	}
	name, err := from.enter(false)
	if err != nil {
		return errUnlinked
	}
	defer name.close()
	if err := w.unchanged(i, at); err != nil {
		return err
	}
	if !name.isName(it.To) {
		return errUnlinked
	}
	err = name.linkTo(at)
	if errors.Is(err, fs.ErrExist) {
		return errChanged
	}
	return err
}
