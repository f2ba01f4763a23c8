package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"agent/internal/llm/phrase"
)

// maxLinkScan limits the search for the other names of a file, in directory entries.
const maxLinkScan = 100_000

// OtherNames returns the other names in root, with slashes, of the file at path, which
// info describes. It reports whether these are all of them: none is outside root, in a
// git directory or a temporary file, and none was missed in a very large tree. A mount can
// show one name at several paths, of which one is returned, and a file at a path that is no
// name of it.
func OtherNames(root *os.Root, at string, info fs.FileInfo) (names []string, all bool) {
	count, seen := linkCount(info), 0
	if count < 2 {
		return nil, true
	}
	links := map[link]bool{}
	own, found := linkAt(root, at)
	if found {
		links[own] = true
	}
	listed := sync.OnceValue(func() bool { return isListed(root, at) })
	_ = fs.WalkDir(root.FS(), ".", func(p string, e fs.DirEntry, err error) error {
		seen++
		switch {
		case seen > maxLinkScan || len(links) == count:
			return fs.SkipAll
		case err != nil, p == at:
			return nil
		case insideGit(e.Name()) && e.IsDir():
			return fs.SkipDir
		case !e.Type().IsRegular() || insideGit(e.Name()):
			return nil
		case strings.HasPrefix(e.Name(), tempPrefix): // a leftover, which the next commit removes
			return nil
		}
		other, err := e.Info()
		if err != nil || !os.SameFile(info, other) {
			return nil
		}
		l, ok := linkAt(root, p)
		if !ok || links[l] {
			return nil
		}
		if found && l.device == own.device && l.dir == own.dir && strings.EqualFold(Fold(l.name), Fold(own.name)) && !listed() {
			return nil // the path spells its own name differently
		}
		links[l] = true
		names = append(names, p)
		return nil
	})
	return names, len(links) == count
}

// link identifies a hard link: a name in a directory. It is the same at all paths at which
// mounts show the directory.
type link struct {
	device, dir uint64 // of the directory
	name        string
}

// linkAt returns the hard link at a path. ok is false if there is none: another file is
// mounted there.
func linkAt(root *os.Root, at string) (l link, ok bool) {
	dir, err := root.Open(path.Dir(at))
	if err != nil {
		return link{}, false
	}
	defer dir.Close()
	info, err := dir.Stat()
	if err != nil {
		return link{}, false
	}
	l = link{device: device(info), dir: inode(info), name: path.Base(at)}
	return l, !isMountPoint(dir, l.name)
}

// isListed reports whether the directory of a path lists its last name with this spelling.
func isListed(root *os.Root, at string) bool {
	dir, err := root.Open(path.Dir(at))
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	return slices.Contains(names, path.Base(at))
}

// Overwrite writes content to the file at path without replacing it, so that it keeps its
// identity. The write is not atomic. It fails before it changes anything unless the file
// is still the one that info describes, with the content old and the same number of hard
// links. If the write fails later, Overwrite restores old; damaged is set if it cannot.
func Overwrite(root *os.Root, at string, info fs.FileInfo, old, content []byte) (damaged bool, err error) {
	f, err := root.OpenFile(at, os.O_RDWR|nonblock, 0)
	if err != nil {
		return false, err
	}
	if err := checkSame(root, at, f, info, old); err != nil {
		return false, errors.Join(err, f.Close())
	}
	err = replaceContent(f, content)
	if err != nil && replaceContent(f, old) != nil {
		damaged = true
	}
	// A write can clear the setuid and setgid bits.
	if now, e := f.Stat(); e == nil && now.Mode() != info.Mode() {
		_ = f.Chmod(modeBits(info))
	}
	return damaged, errors.Join(err, f.Close())
}

// checkSame returns an error unless f, opened at a path, is the file that info describes,
// with the content old.
func checkSame(root *os.Root, at string, f *os.File, info fs.FileInfo, old []byte) error {
	now, err := f.Stat()
	if err != nil || !os.SameFile(now, info) || now.Mode() != info.Mode() || linkCount(now) != linkCount(info) {
		return errChangedSince
	}
	if entry, err := root.Lstat(at); err != nil || !os.SameFile(entry, info) {
		return errChangedSince
	}
	content, err := io.ReadAll(io.LimitReader(f, int64(len(old))+1))
	if err != nil || !bytes.Equal(content, old) {
		return errChangedSince
	}
	return nil
}

// replaceContent writes the complete content of an open file, and syncs it.
func replaceContent(f *os.File, content []byte) error {
	if _, err := f.WriteAt(content, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(content))); err != nil {
		return err
	}
	return f.Sync()
}

// modeBits returns the bits of a mode that chmod sets.
func modeBits(info fs.FileInfo) fs.FileMode {
	return info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

// findLinks finds the other names of the file of d. The policy judges those to which the
// change applies, too.
func (d *Draft) findLinks(t *tree) {
	if !hasOtherLinks(d.info) || t.kind == outsideTree {
		return
	}
	names, all := OtherNames(t.root, d.at, d.info)
	if !all {
		return
	}
	for _, p := range names {
		if t.isHidden(p) {
			return
		}
		d.links = append(d.links, t.show(p))
	}
	for _, name := range d.links {
		d.addSpelling(name)
	}
}

// sharesNew reports whether a change of the existing file of d reaches its other names.
func (d *Draft) sharesNew() bool { return len(d.links) > 0 && d.attributesOf.info == d.info }

// keepsOld reports whether other names of the file keep the old content: a change must not
// reach names that the policy did not judge, and a file moved here replaces only this one.
func (d *Draft) keepsOld() bool { return hasOtherLinks(d.info) && !d.sharesNew() }

// Unlinks reports whether the change removes the path of a file with other hard links that are
// not all in the workspace. Undo cannot restore such a link.
func (d *Draft) Unlinks() bool {
	if d.After == nil {
		return d.Before != nil && hasOtherLinks(d.info) && len(d.links) == 0
	}
	return d.Before != nil && d.keepsOld()
}

// linkedWith lists the other names of the file.
func (d *Draft) linkedWith() string {
	const most = 3
	names := strings.Join(d.links[:min(len(d.links), most)], ", ")
	if more := len(d.links) - most; more > 0 {
		names += " and " + phrase.Count(more, "more name")
	}
	return names
}

// replaceWarnings returns warnings for the user about changing the existing file of d.
func (d *Draft) replaceWarnings() []string {
	var out []string
	switch {
	case d.keepsOld():
		out = append(out, fmt.Sprintf("%s has %d hard links; the other names keep the old content", d.Path, linkCount(d.info)))
	case d.sharesNew():
		out = append(out, fmt.Sprintf("%s has %d hard links; the change also applies to %s", d.Path, linkCount(d.info), d.linkedWith()))
	}
	if uid, foreign := foreignOwner(d.info); foreign {
		out = append(out, fmt.Sprintf("%s belongs to another user (uid %d); it is written in place, which is not atomic", d.Path, uid))
	}
	return out
}

// checkInPlace decides whether the file of s must be written in place, and notes that for
// the model. Temp is the temporary file that would replace it; empty if there is none yet.
func (c *fileCommit) checkInPlace(s *fileSwap) {
	switch {
	case s.info == nil || s.attributesOf.info != s.info:
	case s.sharesNew():
		s.inPlace = "so that its other hard links get the new content, too"
	case s.keepsOld() || s.temp == "":
	default:
		if now, err := s.in.root.Lstat(s.temp); err == nil && (!sameOwner(now, s.info) || modeBits(now) != modeBits(s.info)) {
			s.inPlace = "because a new file would not have its owner, group and mode"
		}
	}
}

// keepOld prepares for writing the file of s in place: it syncs the old content to a copy
// next to the file and to the store of the caller.
func (c *fileCommit) keepOld(s *fileSwap) (err error) {
	if s.backup, err = c.writeTemp(s, backupExtension, s.Draft, s.onDisk()); err != nil {
		return err
	}
	if c.keep == nil {
		return nil
	}
	if err := c.keep(); err != nil {
		return fmt.Errorf("keep the old content: %w", err)
	}
	return nil
}

// writeInPlace writes the new content of s to the existing file.
func (c *fileCommit) writeInPlace(s *fileSwap) error {
	damaged, err := Overwrite(s.in.root, s.at, s.info, s.onDisk(), s.disk)
	if damaged {
		c.partial = true
		err = fmt.Errorf("%w; the file is damaged, and its old content is in %s", Cause(err), s.in.show(s.backup))
		s.backup = ""
	}
	if err == nil {
		s.Outcome = append(s.Outcome, "It was written in place, which is not atomic, "+s.inPlace+".")
	}
	return err
}

// replaceOne puts a temporary file in the place of the file of s. A mount point cannot be
// replaced and is written in place.
func (c *fileCommit) replaceOne(s *fileSwap) error {
	err := s.in.root.Rename(s.temp, s.at)
	switch {
	case err == nil, !errors.Is(err, syscall.EBUSY):
		return err
	case s.keepsOld():
		return fmt.Errorf("it is a mount point with other hard links: %w", Cause(err))
	}
	s.inPlace = "because it is a mount point"
	if s.backup != "" { // a link to the file, which would change, too
		if err := s.in.root.Remove(s.backup); err != nil {
			return err
		}
	}
	if err := c.keepOld(s); err != nil {
		return err
	}
	return c.writeInPlace(s)
}
