package scan

import (
	"context"
	"encoding/hex"
	"path/filepath"
	"strings"

	"agent/internal/tools/git"
)

// repository finds contents of the files of a tree in the objects of its repository.
type repository struct {
	session *git.Session // nil until it is needed
}

func (r *repository) close() {
	if r.session != nil {
		r.session.Close()
	}
	r.session = nil
}

// candidate is a file whose content seems to be a blob.
type candidate struct {
	entryRef
	id   string // in hexadecimal
	path string // relative to the top directory of the repository
}

// locate sets the contents of those files of t that are clean: the index of git has the
// same size and times for them as the scan, so they have the content of a blob. Files that git
// converts when it checks them out differ from their blobs. They have another size, or
// an attribute.
func (r *repository) locate(ctx context.Context, t *tree) error {
	repo, ok := git.Open(t.top)
	if !ok {
		return nil
	}
	clean, err := r.clean(repo, t)
	if err != nil || len(clean) == 0 {
		return err
	}
	if r.session == nil {
		if r.session, err = repo.Session(ctx); err != nil {
			return err
		}
	}
	ids, paths := make([]string, len(clean)), make([]string, len(clean))
	for i, c := range clean {
		ids[i], paths[i] = c.id, c.path
	}
	sizes, err := r.session.BlobSizes(ctx, ids)
	if err != nil {
		return err
	}
	converted, err := r.session.Converted(ctx, paths)
	if err != nil {
		return err
	}
	for _, c := range clean {
		if size, ok := sizes[c.id]; !ok || size != c.at().size || converted[c.path] {
			continue
		}
		known := content{status: blob}
		if len(c.id) == hex.EncodedLen(len(known.sum)) {
			known.status = blob256
		}
		if _, err := hex.Decode(known.sum[:], []byte(c.id)); err == nil {
			c.dir.know(c.entry, known)
		}
	}
	return nil
}

// clean returns the files of t of unknown content that have not changed since git looked
// at them.
func (r *repository) clean(repo git.Repository, t *tree) (all []candidate, err error) {
	prefix, err := filepath.Rel(repo.Root, t.top)
	if err != nil {
		return nil, err
	}
	prefix = strings.TrimPrefix(filepath.ToSlash(prefix)+"/", "./")
	var last *dir // entries of one directory mostly follow each other
	err = repo.Staged(func(f git.StagedFile) {
		rel, ok := strings.CutPrefix(f.Path, prefix)
		if !ok {
			return
		}
		path, name := split(rel)
		if last == nil || last.path != path {
			if last = t.index.find(path); last == nil {
				return
			}
		}
		i := last.find(name)
		if i < 0 || last.known(i).status != unknown || !matches(&last.entries[i], f) {
			return
		}
		all = append(all, candidate{entryRef{last, i}, hex.EncodeToString(f.ID), f.Path})
	})
	return all, err
}

// matches reports whether a file is the one that the index of git describes.
func matches(e *entry, f git.StagedFile) bool {
	return e.kind == file && uint32(e.size) == f.Size && uint32(e.inode) == f.Inode && timeOf(e.mtime) == f.ModTime && timeOf(e.ctime) == f.ChangeTime
}

// timeOf returns a time in nanoseconds in the form of an index.
func timeOf(t int64) git.FileTime {
	return git.FileTime{Seconds: uint32(t / 1e9), Nanoseconds: uint32(t % 1e9)}
}

// maxFetch is how many bytes of contents are fetched at once.
const maxFetch = 32 << 20

// fetch returns the contents of blobs by ID in hexadecimal, as far as git still has them.
// size is the sum of their sizes. locate was called before.
func (r *repository) fetch(ctx context.Context, ids []string, size int64) map[string][]byte {
	found, err := r.session.Blobs(ctx, ids, size)
	if err != nil {
		return nil
	}
	for id, content := range found {
		h := git.BlobHash(hex.DecodedLen(len(id)), int64(len(content)))
		h.Write(content)
		if hex.EncodeToString(h.Sum(nil)) != id {
			delete(found, id)
		}
	}
	return found
}
