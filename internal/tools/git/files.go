package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"agent/internal/llm/phrase"
)

// files are the files of a working tree for one pass over it. A path never leads
// through a symbolic link. It is not safe for concurrent use.
type files struct {
	root *os.Root
	real map[string]bool // whether a path is a directory, not a link to one
}

func newFiles(root *os.Root) files { return files{root: root, real: map[string]bool{".": true}} }

// lstat returns the info of a file or symbolic link. A path below a link does not
// exist.
func (f files) lstat(p string) (fs.FileInfo, error) {
	if !f.isDir(path.Dir(p)) {
		return nil, &fs.PathError{Op: "lstat", Path: p, Err: fs.ErrNotExist}
	}
	return f.root.Lstat(p)
}

func (f files) isDir(dir string) bool {
	is, known := f.real[dir]
	if !known {
		if f.isDir(path.Dir(dir)) {
			fi, err := f.root.Lstat(dir)
			is = err == nil && fi.IsDir()
		}
		f.real[dir] = is
	}
	return is
}

// open opens a regular file.
func (f files) open(p string) (*os.File, fs.FileInfo, error) {
	if _, err := f.lstat(p); err != nil {
		return nil, nil, err
	}
	file, err := f.root.OpenFile(p, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	fi, err := file.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", p)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, fi, nil
}

// read returns the content of a regular file of at most limit bytes. It never returns
// nil without an error.
func (f files) read(p string, limit int64) ([]byte, error) {
	file, _, err := f.open(p)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s has more than %s", p, phrase.Bytes(limit))
	}
	return content, err
}

// ownedByGit reports whether a path of an index is in a git directory. git never adds
// such a path, but an index can be forged.
func ownedByGit(p string) bool {
	for name := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(name, ".git") {
			return true
		}
	}
	return false
}

// maxNotes is how many notes a list has, and maxNote the length of one in bytes.
const (
	maxNotes = 20
	maxNote  = 400
)

// notes is a list of sentences that says how many it leaves out.
type notes struct {
	list []string
	more int
}

func (n *notes) add(format string, args ...any) {
	if len(n.list) >= maxNotes {
		n.more++
		return
	}
	n.list = append(n.list, phrase.Clip(fmt.Sprintf(format, args...), maxNote))
}

func (n *notes) lines() []string {
	if n.more == 0 {
		return n.list
	}
	return append(n.list[:len(n.list):len(n.list)], fmt.Sprintf("%d more", n.more))
}
