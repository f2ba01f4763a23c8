package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
)

// BlobHash returns a hash that computes the ID of a blob of that size. length is that of
// the IDs of its repository: 20 bytes for SHA-1, 32 for SHA-256.
func BlobHash(length int, size int64) hash.Hash {
	h := newHash(length)
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

// newHash returns the hash whose sums have that length in bytes.
func newHash(length int) hash.Hash {
	if length == sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}

// hasher returns the BlobHash of the repository.
func (w *Worktree) hasher(size int64) hash.Hash { return BlobHash(len(w.head)/2, size) }

// blobID returns the ID of the blob with that content.
func (w *Worktree) blobID(content []byte) string {
	h := w.hasher(int64(len(content)))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// fileID returns the size of a file and the ID of the blob with its content.
func (w *Worktree) fileID(file io.ReadSeeker) (id string, size int64, err error) {
	if size, err = file.Seek(0, io.SeekEnd); err != nil {
		return "", 0, err
	}
	if _, err = file.Seek(0, io.SeekStart); err != nil {
		return "", 0, err
	}
	h := w.hasher(size)
	if _, err = io.CopyN(h, file, size); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// stoppable is a file that can be read until stopped returns an error.
type stoppable struct {
	io.ReadSeeker
	stopped func() error
}

func (s stoppable) Read(b []byte) (int, error) {
	if err := s.stopped(); err != nil {
		return 0, err
	}
	return s.ReadSeeker.Read(b)
}

// Blobs returns the contents of blobs of the repository, by ID in hexadecimal. size is
// the sum of their sizes. Missing blobs are left out.
func (s *Session) Blobs(ctx context.Context, ids []string, size int64) (map[string][]byte, error) {
	const header = 200 // bytes that git prints with each blob, at most
	out, complete, err := s.command(ctx, command{
		dir: s.dir, env: s.env, input: strings.NewReader(strings.Join(ids, "\n") + "\n"),
		limit: int(size) + header*len(ids), args: []string{"cat-file", "--batch"},
	})
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for len(out) > 0 {
		line, rest, ok := bytes.Cut(out, []byte("\n"))
		fields := strings.Fields(string(line))
		if out = rest; ok && len(fields) == 2 && fields[1] == "missing" {
			continue
		}
		if !ok || len(fields) != 3 || fields[1] != "blob" {
			return nil, fmt.Errorf("git cat-file: cannot parse %q", line)
		}
		n, err := strconv.Atoi(fields[2])
		if err != nil || n < 0 || n >= len(out) || !complete {
			return nil, fmt.Errorf("git cat-file: the output ends in blob %s", fields[0])
		}
		all[fields[0]], out = out[:n:n], out[n+1:]
	}
	return all, nil
}
