// Package blobs stores the old contents of files, and notes about them, so that changes
// of files can be undone. Each session has one pack: an append-only file of records next
// to its log. A record is a content, which is found by its SHA-256, or a note, a JSON
// object that this package does not interpret. Contents are stored as they are, so a
// pack is as private as the files. Start reading at Pack.
//
// # Format
//
// Numbers are little-endian, checksums are CRC-32C. A pack begins with 24 bytes:
//
//	"agent undo" and a zero byte, the version (1 byte), the mark (8 bytes), and the
//	checksum of these 20 bytes. Later versions keep this layout.
//
// The mark is a random number that begins every record of the pack, so that records are
// found after damage, and so that no content can contain a valid one. A record is:
//
//	mark (8 bytes), kind (1), length of the payload (4), checksum of the payload (4),
//	size of the content (8), SHA-256 of the content (32), checksum of the above (4);
//	the payload;
//	length of the record (4), checksum from its beginning again (4)
//
// The kinds are:
//
//	'n'  a note: JSON. Size and SHA-256 are zero.
//	'c'  a content: compressed by flate.
//	'p'  a part of a content: compressed by flate. The SHA-256 is zero.
//	'l'  a content in parts: the offset of the record of each part (8 bytes each)
//
// # Writers
//
// Several processes append at once: the program and the supervisors of its commands.
// Each record is written under a lock of the file. A writer that is killed leaves an
// incomplete record at the end, which readers ignore and the next writer cuts off. To
// find one, a writer only reads the last record. A damaged byte costs one record and is
// reported.
//
// # Names
//
// ID.undo is the pack of a session. ID.PACK.undo is a hard link to the pack of another
// session, from which session ID was forked. So a pack exists as long as any session
// needs it, and a fork on a file system without hard links lacks the old contents.
//
// # Kept files
//
// ID.kept is a directory with files of the user that commands removed or replaced: links instead of
// copies, so that keeping them takes no time and no space. The notes of the session name them. They
// have no SHA-256 until Sum reads them. Nothing can write to them, unless a program had opened them
// before; their size and time of modification show that.
package blobs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"agent/internal/history/filelock"
)

// Errors to test for with errors.Is. Their texts are for the user.
var (
	ErrFull    = errors.New("the store of old file contents is full")
	ErrMissing = errors.New("the old content is no longer stored")
	ErrDamaged = errors.New("the stored old content is damaged")
	ErrNewer   = errors.New("the old file contents were stored by a newer version of agent")
)

// Limits limits the size of packs, in bytes. Zero means the default. Contents leave 1/64
// of each limit to notes.
type Limits struct {
	Pack  int64 // of one pack; by default 512 MB, so that open sessions leave room for others
	Total int64 // of all packs in a directory; by default 1 GB
	// Kept limits the kept files of all sessions; by default 8 GB. They were on the disk before.
	Kept int64
	// Free is how much of the disk should stay free: kept files of earlier turns are removed for it.
	// By default 1 GB.
	Free int64
}

func (l Limits) orDefaults() Limits {
	if l.Pack == 0 {
		l.Pack = 512 << 20
	}
	if l.Total == 0 {
		l.Total = 1 << 30
	}
	if l.Kept == 0 {
		l.Kept = 8 << 30
	}
	if l.Free == 0 {
		l.Free = 1 << 30
	}
	return l
}

// Room returns how many bytes of contents a pack of a size still accepts.
func (l Limits) Room(size int64) int64 { return max(forContents(l.orDefaults().Pack)-size, 0) }

// Pack is the pack of one session, open for appending and reading. It is safe for
// concurrent use. Any number of processes may have the same pack open.
type Pack struct {
	path     string
	limits   Limits
	encoders sync.Pool // of *encoder

	mu       sync.Mutex
	f        file // nil if the file did not exist when it was last opened
	mark     mark
	end      int64            // where the last record ended when it was last locked
	index    map[hash]int64   // offsets of contents that are known
	indexed  int64            // index has all contents before this offset; 0 if none were read
	seen     bool             // index has the contents of the last records that others appended
	dirty    bool             // the directory entry of the file may not be durable
	parents  map[string]*Pack // of the sessions that this one was forked from; nil if not opened
	readOnly bool             // f is open for reading only
	closed   bool
	buf      []byte
	held     *os.File // of HoldForCommand; nil if it was not called

	kept kept
}

// file is the file of a pack.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Datasync() error
	Lock() error
	Unlock() error
}

type osFile struct{ *os.File }

func (f osFile) Datasync() error { return filelock.Datasync(f.File) }
func (f osFile) Lock() error     { return filelock.Await(f.File) }
func (f osFile) Unlock() error   { return filelock.Unlock(f.File) }

// openFile opens the file of a pack. It is a variable for tests of a full disk.
var openFile = func(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	return osFile{f}, err
}

// Path returns the name of the pack of a session in the directory of sessions.
func Path(dir, session string) string { return filepath.Join(dir, session+extension) }

// Open opens the pack at path, which ends with .undo. The first Put or Append creates
// the file and its directory. The error is an ErrNewer or that of reading the file.
func Open(path string, limits Limits) (*Pack, error) {
	p := &Pack{path: path, limits: limits.orDefaults(), index: map[hash]int64{}, kept: kept{total: -1}}
	if _, err := p.open(); err != nil && !errors.Is(err, errUnreadable) {
		return nil, err
	}
	return p, nil
}

// open opens the file if it exists, and returns its length. The caller holds mu, as for the
// other unexported methods, unless a comment says that they lock it.
func (p *Pack) open() (size int64, err error) {
	if p.closed {
		return 0, fmt.Errorf("%s: %w", p.path, fs.ErrClosed)
	}
	if p.f == nil {
		f, err := openFile(p.path, os.O_RDWR)
		p.readOnly = errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
		if p.readOnly {
			f, err = openFile(p.path, os.O_RDONLY)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		p.f = f
	}
	info, err := p.f.Stat()
	if err != nil {
		return 0, err
	}
	if p.mark == (mark{}) && info.Size() >= headerSize {
		if p.mark, err = readMark(p.f, info.Size()); err != nil {
			return 0, fmt.Errorf("%s: %w", p.path, err)
		}
	}
	if p.mark == (mark{}) {
		return 0, nil // it is being created
	}
	return info.Size(), nil
}

// forget closes the file, because it was removed or renamed.
func (p *Pack) forget() {
	_ = p.f.Close()
	p.f, p.mark, p.end, p.indexed, p.seen = nil, mark{}, 0, 0, false
	clear(p.index)
}

// Size returns the size of the file in bytes, 0 if it does not exist.
func (p *Pack) Size() int64 {
	info, err := os.Stat(p.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Room returns how many bytes of incompressible contents fit before the limit of one pack
// is reached. It does not consider Limits.Total.
func (p *Pack) Room() int64 { return p.limits.Room(p.Size()) }

// Sync makes everything that any process appended durable.
func (p *Pack) Sync() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.open(); err != nil || p.f == nil {
		return err
	}
	if err := p.f.Datasync(); err != nil {
		return fmt.Errorf("sync %s: %w", p.path, err)
	}
	if p.dirty {
		if err := filelock.SyncDir(filepath.Dir(p.path)); err != nil {
			return fmt.Errorf("sync %s: %w", p.path, err)
		}
		p.dirty = false
	}
	if err := filelock.SyncDir(p.KeptDir()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sync %s: %w", p.KeptDir(), err)
	}
	return nil
}

// Close closes the pack. It does not sync it.
func (p *Pack) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	clear(p.index)
	var err error
	if p.held != nil {
		err = p.held.Close()
		p.held = nil
	}
	for _, q := range p.parents {
		err = errors.Join(err, q.Close())
	}
	if p.f != nil {
		err = errors.Join(err, p.f.Close())
		p.f = nil
	}
	return err
}
