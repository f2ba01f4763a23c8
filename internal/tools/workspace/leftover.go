package workspace

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// Names of temporary files. A .tmp file can be deleted at any time; a .old file
// may be the only copy of a file.
const (
	tempPrefix      = ".agent-"
	tempExtension   = ".tmp" // new content, renamed to the file
	backupExtension = ".old" // backup: a link to the old file, or a copy
)

// The limits of removing leftovers. The age protects files of a program on
// another machine, whose lock cannot be seen.
const (
	leftoverAge  = 10 * time.Minute
	maxLeftovers = 10_000 // names read of a directory
)

func tempName(p, extension string) string {
	return path.Join(path.Dir(p), tempPrefix+rand.Text()+extension)
}

// lockDir holds a shared lock on a directory in which c makes temporary files,
// until close. The lock tells other programs that the files are in use. If
// no other program holds one, lockDir first removes files left by killed
// programs. It does nothing if the directory cannot be read.
func (c *fileCommit) lockDir(dir treeDir) {
	if c.dirs[dir] != nil {
		return
	}
	d, err := dir.tree.root.Open(dir.path)
	if err != nil {
		return
	}
	if lockExclusive(d) {
		dir.tree.removeLeftovers(dir.path, d)
	}
	lockShared(d)
	c.dirs[dir] = d
}

// removeLeftovers removes temporary files of this user that killed programs left
// in a directory. It ignores errors.
func (t *tree) removeLeftovers(dir string, d *os.File) {
	names, _ := d.Readdirnames(maxLeftovers)
	for _, n := range names {
		if !strings.HasPrefix(n, tempPrefix) {
			continue
		}
		p := path.Join(dir, n)
		if info, err := t.root.Lstat(p); err == nil && isLeftover(n, info) {
			_ = t.root.Remove(p)
		}
	}
}

// isLeftover reports whether a file in a directory without active writers can be
// deleted.
func isLeftover(name string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || time.Since(info.ModTime()) < leftoverAge || !ownedByUser(info) {
		return false
	}
	return strings.HasSuffix(name, tempExtension) || strings.HasSuffix(name, backupExtension) && hasOtherLinks(info)
}
