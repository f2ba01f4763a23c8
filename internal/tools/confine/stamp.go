package confine

import (
	"io"
	"os"
	"time"
)

// stamp identifies a file and its last change. Equal stamps mean an unchanged file,
// unless a stamp was taken too soon after a change: see fresh.
type stamp struct {
	device, inode uint64
	size          int64
	mtime, ctime  int64 // nanoseconds
}

// timeResolution is more than the resolution of file times.
const timeResolution = 20 * time.Millisecond

// fresh reports whether a file may have changed again, without a new stamp, after a
// stamp was taken at now.
func (s stamp) fresh(now time.Time) bool {
	return max(s.mtime, s.ctime) > now.Add(-timeResolution).UnixNano()
}

// maxConfig is the size limit of a configuration file of git, in bytes.
const maxConfig = 1 << 20

// content is the state of a file at its last read.
type content struct {
	stamp
	exists bool
	plain  bool // it is a regular file of at most maxConfig bytes
	racy   bool // its stamp was fresh
	text   string
}

// readContent reads a file. If it is unchanged, the result is before.
func readContent(path string, before content) content {
	info, err := os.Lstat(path)
	if err != nil {
		return content{}
	}
	now := content{stamp: stampOf(info), exists: true}
	if before.exists && !before.racy && before.stamp == now.stamp {
		return before
	}
	now.racy = now.fresh(time.Now())
	if !info.Mode().IsRegular() || info.Size() > maxConfig {
		return now
	}
	f, err := os.OpenFile(path, os.O_RDONLY|readFlags, 0)
	if err != nil {
		return now
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	now.plain = err == nil && len(text) <= maxConfig
	now.text = string(text)
	return now
}

// lastRead holds what was read for earlier commands, by path. Its methods read again only
// what has changed.
type lastRead struct {
	gitDirs  map[string]gitDir
	gitFiles map[string]content // .git files
	indexes  map[string]index   // of git
	listed   map[string]listed  // protected directories
}
