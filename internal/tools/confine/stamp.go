package confine

import (
	"io"
	"os"
	"time"
)

// stamp identifies a file and its last change. Equal stamps mean an equal file, unless
// the stamp was taken within a moment of the change: see fresh.
type stamp struct {
	device, inode uint64
	size          int64
	mtime, ctime  int64 // nanoseconds
}

// moment is more than the resolution of the times of files.
const moment = 20 * time.Millisecond

// fresh reports whether a file may have changed again, without a new stamp, after a
// stamp was taken at now.
func (s stamp) fresh(now time.Time) bool {
	return max(s.mtime, s.ctime) > now.Add(-moment).UnixNano()
}

// maxConfig is the size limit of a configuration file of git, in bytes.
const maxConfig = 1 << 20

// content is a file as it was read.
type content struct {
	stamp
	exists bool
	plain  bool // it is a regular file of at most maxConfig bytes
	racy   bool // its stamp was fresh
	text   string
}

// readContent reads a file unless it still is as before.
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
