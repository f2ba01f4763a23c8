package undo

import (
	"bytes"
	"io"

	"agent/internal/tools/snapshot"
)

// isTorn reports whether the file of an item, which is now in that state, is the one that the undo
// found there, in the middle of being overwritten. Nothing is lost if it is overwritten again:
// all of its content is in the pack.
func (w *applier) isTorn(i int, at rootPath, now snapshot.State) bool {
	it := w.journal.Items[i]
	if it.Inode == "" || at.inode() != it.Inode || it.From.Hash == "" || it.To.Hash == "" || !isTornMode(now, it) {
		return false
	}
	content, err := at.read()
	if err != nil {
		return false
	}
	from, err := w.pack.Read(it.From.Hash)
	if err != nil {
		return false
	}
	to, err := w.pack.Read(it.To.Hash)
	return err == nil && isTornContent(content, from, to)
}

// isTornMode reports whether a file can have its mode because it is being overwritten: writing
// clears setuid and setgid, and the mode of To comes last.
func isTornMode(now snapshot.State, it journalItem) bool {
	const cleared = 0o6000
	return now.Mode&^cleared == it.From.Mode&^cleared || now.Mode&^cleared == it.To.Mode&^cleared
}

// isTornContent reports whether workspace.Overwrite can have left a content when it was
// interrupted while it changed from to to. It writes from the beginning and truncates last, so
// the content is a part of to, and the rest of from unless that was truncated already.
func isTornContent(content, from, to []byte) bool {
	n := 0
	for n < min(len(content), len(to)) && content[n] == to[n] {
		n++
	}
	if n == len(to) && n == len(content) {
		return true
	}
	return bytes.Equal(content[n:], from[min(n, len(from)):])
}

// inode returns what snapshot.Inode is for the file at p; empty if there is none.
func (p rootPath) inode() string {
	if info, err := p.open.Lstat(p.rel); err == nil && info.Mode().IsRegular() {
		return snapshot.Inode(info)
	}
	return ""
}

// read returns the content of the file at p.
func (p rootPath) read() ([]byte, error) {
	var c whole
	if s := p.capture(&c); s.Hash == "" {
		return nil, errChanged
	}
	return c.content, nil
}

// whole is a snapshot.Contents that holds a content in memory.
type whole struct{ content []byte }

// Put is as in snapshot.Contents.
func (c *whole) Put(content io.Reader) (hash string, size int64, err error) {
	if c.content, err = io.ReadAll(content); err != nil {
		return "", 0, err
	}
	return snapshot.Hashes{}.Put(bytes.NewReader(c.content))
}
