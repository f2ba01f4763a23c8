package undo

import (
	"bytes"
	"io"
	"path/filepath"

	"agent/internal/tools/snapshot"
)

// maxCapture is the size in bytes of the largest content that is held in memory.
const maxCapture = 2 << 20

// capture is a snapshot.Contents that holds a content of at most maxCapture bytes in
// memory.
type capture struct {
	to      snapshot.Contents // where to put the content, too; nil for nowhere
	content []byte            // not nil if it was captured
}

// Put is as in snapshot.Contents.
func (c *capture) Put(content io.Reader) (hash string, size int64, err error) {
	b, err := io.ReadAll(io.LimitReader(content, maxCapture+1))
	if err != nil {
		return "", 0, err
	}
	var to snapshot.Contents = snapshot.Hashes{}
	if c.to != nil {
		to = c.to
	}
	if len(b) > maxCapture {
		return to.Put(io.MultiReader(bytes.NewReader(b), content))
	}
	c.content = b
	return to.Put(bytes.NewReader(b))
}

// join returns the absolute path of rel, which has slashes, in dir.
func join(dir, rel string) string { return filepath.Join(dir, filepath.FromSlash(rel)) }
