// Package history stores session logs: append-only files of opaque records. It
// never interprets a record.
//
// A log is a file of lines, each a JSON object that ends with a checksum of the
// bytes before it. The first line is the header. Each line is one write, so
// that a program killed at any time leaves complete lines and at most one
// incomplete last line. Valid data is never overwritten. An incomplete end is
// cut off when the log is next opened for appending, and kept in a file next to
// it. Other damage is skipped and reported, and does not affect later records.
//
// One program at a time appends to a log, under a lock that ends with its
// process. Any number of programs may read it, from the beginning, from the end
// or at an offset.
//
// Next to a log are its incomplete ends, its outputs, its draft, and the old
// contents of files (package blobs). The summaries for lists are cached in an
// index. Start reading at Store and Log.
package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"agent/internal/history/blobs"
)

// Format is the version of the log format that this package writes. Older logs
// can be read and continued, newer ones only read.
const Format = 1

// Errors to test for with errors.Is.
var (
	ErrNotFound = errors.New("there is no such session")
	ErrLocked   = errors.New("the session is open in another program")
	ErrNewer    = errors.New("the session was written by a newer version of agent and is read-only")
)

// LockedError is an ErrLocked with the process that holds the lock, if known.
type LockedError struct {
	ID  string
	PID int // process that holds the session, 0 if unknown
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("session %s is open in another program", e.ID)
	}
	return fmt.Sprintf("session %s is open in another program (process %d)", e.ID, e.PID)
}

// Is reports whether target is ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// Header is the first line of a log.
type Header struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"`
	Dir     string    `json:"dir"`     // working directory, without symbolic links
	Version string    `json:"version"` // version of the program that created the session
	Time    time.Time `json:"time"`
	// Parent is the session that this one was forked from, ForkSeq the last
	// record copied from it.
	Parent  string `json:"parent,omitempty"`
	ForkSeq int    `json:"fork_seq,omitempty"`
	// Agent is set in the session of a delegate, whose Parent is the session that
	// delegated: the name of the agent.
	Agent string `json:"agent,omitempty"`
	// Place is the FileID of the repository that contains Dir, or of Dir itself. It
	// stays the same when the directory is renamed. Empty if unknown.
	Place string `json:"place,omitempty"`
}

// Record is one entry of a log.
type Record struct {
	Seq    int             // 1 for the first record after the header
	Offset int64           // start of its line in the file
	Body   json.RawMessage // the object given to Append, byte for byte; the receiver may keep it
}

// Problem is damage found in a log. It is an error, so that it can appear
// between records.
type Problem struct {
	Offset int64  // offset in the file
	Size   int64  // number of bytes; 0 for missing records
	Text   string // the damage and its handling, for the user
}

func (p Problem) Error() string { return p.Text }

// Info is a session in a list. If the header of the log is damaged, Header has
// only the ID.
type Info struct {
	Header
	Path     string
	Modified time.Time
	Size     int64 // size of the file in bytes
}

// Store holds the sessions of one user.
type Store struct {
	dir directory
}

// Open returns the store of sessions in dir/sessions. It does not touch the
// file system.
func Open(dir string) *Store {
	return &Store{dir: directory{filepath.Join(dir, "sessions")}}
}

// Outputs returns the directory of a session's outputs; see Log.Outputs.
// Prefixes of an ID are not accepted.
func (s *Store) Outputs(id string) string { return s.dir.sibling(id, outExtension) }

// UndoPath returns the file with the old contents of files that a session changed,
// which package blobs opens. Prefixes of an ID are not accepted.
func (s *Store) UndoPath(id string) string { return blobs.Path(s.dir.path, id) }

// UndoSizes returns the sizes of the old contents of files that a session changed, and
// of those of all sessions, in bytes. Prefixes of an ID are not accepted.
func (s *Store) UndoSizes(id string) (own, all int64, err error) { return blobs.Sizes(s.dir.path, id) }
