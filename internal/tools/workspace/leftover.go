package workspace

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// The temporary files of a change. What is fresh may go at any time; what is
// saved may be all that is left of a file.
const (
	temporaryPrefix = ".agent-"
	freshExtension  = ".tmp" // will take a file's name
	savedExtension  = ".old" // another name of a file that is about to change
)

// A temporary file that nobody touched for so long has no use for a program on
// another machine either, whose presence cannot be seen. So many names of a
// directory are looked at.
const (
	leftoverAge  = 10 * time.Minute
	maxLeftovers = 10_000
)

func temporaryName(p, extension string) string {
	return path.Join(path.Dir(p), temporaryPrefix+rand.Text()+extension)
}

// enter announces that r makes temporary files in a directory: until leave, no
// other program takes them for left over. It removes from the directory what
// programs left there that were killed. It does nothing where the directory
// cannot be read.
func (r *replacement) enter(dir string) {
	if r.dirs[dir] != nil {
		return
	}
	d, err := r.in.root.Open(dir)
	if err != nil {
		return
	}
	if alone(d) {
		r.in.tidy(dir, d)
	}
	announce(d)
	r.dirs[dir] = d
}

func (r *replacement) leave() {
	for _, d := range r.dirs {
		_ = d.Close()
	}
}

// tidy removes from a directory the temporary files of this user that are left
// over. It is a courtesy: what cannot be removed stays.
func (t *tree) tidy(dir string, d *os.File) {
	names, _ := d.Readdirnames(maxLeftovers)
	for _, n := range names {
		if !strings.HasPrefix(n, temporaryPrefix) {
			continue
		}
		p := path.Join(dir, n)
		if info, err := t.root.Lstat(p); err == nil && leftover(n, info) {
			_ = t.root.Remove(p)
		}
	}
}

// leftover reports whether a file in a directory where nobody writes is of no
// use to anybody.
func leftover(name string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || time.Since(info.ModTime()) < leftoverAge || !mine(info) {
		return false
	}
	return strings.HasSuffix(name, freshExtension) || strings.HasSuffix(name, savedExtension) && otherNames(info)
}
