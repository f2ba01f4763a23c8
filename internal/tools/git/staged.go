package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// StagedFile is a regular file of an index: the blob with its content, and the file of
// the working tree when it had this content.
type StagedFile struct {
	Path       string // relative to the top directory, with slashes
	ID         []byte // of the blob; valid during the visit
	Size       uint32 // of the file in the working tree, without its upper bits
	Inode      uint32 // without its upper bits
	ModTime    FileTime
	ChangeTime FileTime
}

// FileTime is a time in an index: seconds since 1970 without their upper bits, and
// nanoseconds.
type FileTime struct{ Seconds, Nanoseconds uint32 }

// maxIndex limits the index that is read, in bytes.
const maxIndex = 256 << 20

var errIndex = errors.New("its index has an unknown format")

// Staged calls visit for the regular files of the index, except for those in conflict
// and for those that could have changed without a trace, because they were written at
// the same time as the index. It runs no program. The error says why the index cannot be
// read: it is split, for example.
func (r Repository) Staged(visit func(StagedFile)) error {
	commit := r.commit() // shows how long the IDs are
	if commit == "" {
		return errors.New("its commit is not known")
	}
	name := filepath.Join(r.dir, "index")
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	b, err := readFile(name, maxIndex)
	if err != nil {
		return err
	}
	p, n, err := newStagedParser(b, len(commit)/2)
	if err != nil {
		return err
	}
	written := info.ModTime()
	var files []StagedFile
	for range n {
		e, err := p.next()
		if err != nil {
			return err
		}
		if e.kind == regularMode && !e.conflict && e.ModTime.time().Before(written) {
			files = append(files, e.StagedFile)
		}
	}
	if err := p.extensions(); err != nil {
		return err
	}
	for _, f := range files {
		visit(f)
	}
	return nil
}

func (t FileTime) time() time.Time { return time.Unix(int64(t.Seconds), int64(t.Nanoseconds)) }

// StagedEntry is what an entry of an index stages.
type StagedEntry struct {
	Path  string // relative to the top directory, with slashes
	ID    string // of the blob or commit, in hexadecimal
	Mode  uint32 // as in a tree
	Flags uint32 // the stage in a conflict, and flags such as "skip this file in the working tree"
}

// IsSubmodule reports whether the entry is the commit of a submodule.
func (e StagedEntry) IsSubmodule() bool { return e.Mode&maskMode == moduleMode }

// StagedEntries returns the entries of an index with that content. They leave out what git only
// needs to find changed files. The error says why the index cannot be read: it is split, for example.
func StagedEntries(index []byte) ([]StagedEntry, error) {
	p, n, err := newStagedParser(index, sha1.Size)
	if err != nil {
		p, n, err = newStagedParser(index, sha256.Size)
	}
	if err != nil {
		return nil, err
	}
	entries := make([]StagedEntry, 0, min(int(n), len(index)/statSize))
	for range n {
		e, err := p.next()
		if err != nil {
			return nil, err
		}
		entries = append(entries, StagedEntry{Path: e.Path, ID: hex.EncodeToString(e.ID), Mode: e.mode, Flags: e.flags})
	}
	return entries, p.extensions()
}

// newStagedParser returns a parser of the entries of an index whose IDs have a length in bytes, and
// their number.
func newStagedParser(b []byte, length int) (*stagedParser, uint32, error) {
	if len(b) < 12+length || string(b[:4]) != "DIRC" {
		return nil, 0, errIndex
	}
	p := &stagedParser{length: length, version: binary.BigEndian.Uint32(b[4:]), rest: b[12 : len(b)-length]}
	if p.version < 2 || p.version > 4 {
		return nil, 0, errIndex
	}
	h := newHash(length)
	h.Write(b[:len(b)-length])
	// git writes zeros instead of the sum if it is configured to save time.
	if sum := b[len(b)-length:]; !bytes.Equal(sum, h.Sum(nil)) && !bytes.Equal(sum, make([]byte, length)) {
		return nil, 0, errors.New("its index is damaged")
	}
	return p, binary.BigEndian.Uint32(b[8:]), nil
}

// stagedParser reads the entries of an index.
type stagedParser struct {
	version uint32
	length  int    // of an ID, in bytes
	rest    []byte // unread bytes
	path    []byte // of the last entry
}

// The parts of an entry.
const (
	statSize     = 40
	flagExtended = 0x4000
	flagStage    = 0x3000
	maskLength   = 0x0fff // of the path
	maskMode     = 0o170000
	regularMode  = 0o100000
	moduleMode   = 0o160000 // of a submodule
)

// stagedEntry is an entry of an index.
type stagedEntry struct {
	StagedFile
	mode     uint32
	kind     uint32 // regularMode, moduleMode or another one
	flags    uint32 // see StagedEntry
	conflict bool
}

// next returns the next entry.
func (p *stagedParser) next() (e stagedEntry, err error) {
	fixed := statSize + p.length + 2
	if len(p.rest) < fixed {
		return e, errIndex
	}
	entry := p.rest
	number := func(at int) uint32 { return binary.BigEndian.Uint32(entry[at:]) }
	flags := binary.BigEndian.Uint16(entry[fixed-2:])
	if flags&flagExtended != 0 {
		fixed += 2
	}
	if len(p.rest) < fixed {
		return e, errIndex
	}
	if e.flags = uint32(flags &^ (maskLength | flagExtended)); flags&flagExtended != 0 {
		e.flags |= uint32(binary.BigEndian.Uint16(entry[fixed-2:])) << 16
	}
	p.rest = p.rest[fixed:]
	if err := p.readPath(fixed); err != nil {
		return e, err
	}
	e.StagedFile = StagedFile{
		Path: string(p.path), ID: entry[statSize : statSize+p.length], Size: number(36), Inode: number(20),
		ChangeTime: FileTime{number(0), number(4)}, ModTime: FileTime{number(8), number(12)},
	}
	e.mode, e.kind, e.conflict = number(24), number(24)&maskMode, flags&flagStage != 0
	return e, nil
}

// readPath reads the path of an entry and what follows it. fixed is the length of the
// entry up to the path.
func (p *stagedParser) readPath(fixed int) error {
	if p.version == 4 {
		drop, n := indexVarint(p.rest)
		if n == 0 || drop > uint64(len(p.path)) {
			return errIndex
		}
		p.path, p.rest = p.path[:len(p.path)-int(drop)], p.rest[n:]
	} else {
		p.path = p.path[:0]
	}
	end := bytes.IndexByte(p.rest, 0)
	if end < 0 {
		return errIndex
	}
	p.path = append(p.path, p.rest[:end]...)
	next := end + 1
	if p.version < 4 {
		next = (fixed+end+8)/8*8 - fixed // at least one zero byte, to a multiple of eight
	}
	if next > len(p.rest) {
		return errIndex
	}
	p.rest = p.rest[next:]
	return nil
}

// indexVarint reads a number in the encoding that index entries share with offsets in
// packs. n is its length in bytes; 0 if it is invalid.
func indexVarint(b []byte) (v uint64, n int) {
	for i, c := range b[:min(len(b), 8)] {
		if i > 0 {
			v++
		}
		v = v<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
	}
	return 0, 0
}

// extensions returns an error if the index has parts without which its entries would be
// misread: its rest is in another file, for example.
func (p *stagedParser) extensions() error {
	for len(p.rest) > 0 {
		if len(p.rest) < 8 {
			return errIndex
		}
		size := uint64(binary.BigEndian.Uint32(p.rest[4:])) + 8
		switch name := string(p.rest[:4]); {
		case size > uint64(len(p.rest)):
			return errIndex
		case name == "sdir": // directories that are not checked out
		case name[0] < 'A' || name[0] > 'Z': // not optional
			return errors.New("its index is split or has an unknown extension")
		}
		p.rest = p.rest[size:]
	}
	return nil
}

// maxAsked is how many blobs or files one git process gets.
const maxAsked = 4096

// BlobSizes returns the sizes of blobs by ID in hexadecimal. Missing ones are left out.
func (s *Session) BlobSizes(ctx context.Context, ids []string) (map[string]int64, error) {
	all := make(map[string]int64, len(ids))
	for len(ids) > 0 {
		n := min(len(ids), maxAsked)
		out, _, err := s.command(ctx, command{
			dir: s.dir, env: s.env, input: strings.NewReader(strings.Join(ids[:n], "\n") + "\n"), limit: maxListing,
			args: []string{"cat-file", "--batch-check=%(objecttype) %(objectsize) %(objectname)"},
		})
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			if len(fields) != 3 || fields[0] != "blob" {
				continue
			}
			if size, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				all[fields[2]] = size
			}
		}
		ids = ids[n:]
	}
	return all, nil
}

// Converted returns which of these files have attributes that change more of their
// content than the ends of lines when it is checked out. The paths are relative to the
// top directory.
func (s *Session) Converted(ctx context.Context, paths []string) (map[string]bool, error) {
	found := map[string]bool{}
	for len(paths) > 0 {
		n := min(len(paths), maxAsked)
		out, complete, err := s.command(ctx, command{
			dir: s.repo.Root, env: s.env, input: strings.NewReader(strings.Join(paths[:n], "\x00") + "\x00"), limit: maxListing,
			args: []string{"check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding"},
		})
		if err != nil {
			return nil, err
		}
		fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if !complete || len(fields) != n*9 {
			return nil, errors.New("git check-attr: cannot parse the output")
		}
		for ; len(fields) > 0; fields = fields[3:] {
			if value := fields[2]; value != "unspecified" && value != "unset" {
				found[fields[0]] = true
			}
		}
		paths = paths[n:]
	}
	return found, nil
}

// Missing returns those of some IDs in hexadecimal that no object of the repository has.
func (s *Session) Missing(ctx context.Context, ids []string) (missing []string, err error) {
	for len(ids) > 0 {
		n := min(len(ids), maxAsked)
		out, _, err := s.command(ctx, command{
			dir: s.dir, env: s.env, input: strings.NewReader(strings.Join(ids[:n], "\n") + "\n"), limit: maxListing,
			args: []string{"cat-file", "--batch-check=%(objectname)"},
		})
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			if id, is := strings.CutSuffix(strings.TrimSpace(line), " missing"); is {
				missing = append(missing, id)
			}
		}
		ids = ids[n:]
	}
	return missing, nil
}
