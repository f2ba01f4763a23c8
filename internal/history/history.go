// Package history keeps session logs: append-only files of opaque records. It
// never knows what a record means.
//
// A log is a file of lines, each a JSON object that ends with a checksum over
// the bytes before it. The first line is the header. One line is one write, so
// that a program killed at any instant leaves whole lines and at most one torn
// end. Nothing valid is ever written over: a torn end is cut when the log is
// next opened for appending, and kept beside it; damage elsewhere is skipped
// and reported, and never hides what follows.
//
// One program at a time appends to a log, by a lock that dies with it. Any
// number may read, from the beginning, from the end or at an offset.
//
// Beside a log lie a torn end that was cut from it, its outputs and its draft.
// What a list shows of the sessions is kept in an index, which is a cache.
package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Format is the version of the log format that this package writes. Logs of an
// older format can be read and continued, those of a newer one only read.
const Format = 1

// Errors that a caller may want to tell apart, with errors.Is.
var (
	ErrNotFound = errors.New("there is no such session")
	ErrLocked   = errors.New("the session is open in another program")
	ErrNewer    = errors.New("the session was written by a newer version of this program: it can be read but not continued")
)

// LockedError is an ErrLocked that may know the holder.
type LockedError struct {
	ID  string
	PID int // of the program that holds the session, 0 if unknown
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("session %s is open in another program", e.ID)
	}
	return fmt.Sprintf("session %s is open in another program (process %d)", e.ID, e.PID)
}

// Is makes a LockedError an ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// Header is what the first line of a log says of its session.
type Header struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"`
	Dir     string    `json:"dir"`     // the working directory
	Version string    `json:"version"` // of the program that began it
	Time    time.Time `json:"time"`
	// Parent is the session it was forked from, ForkSeq the last record of that
	// which was taken over.
	Parent  string `json:"parent,omitempty"`
	ForkSeq int    `json:"fork_seq,omitempty"`
}

// Record is one entry of a log.
type Record struct {
	Seq    int             // 1 for the first after the header
	Offset int64           // where its line begins in the file
	Body   json.RawMessage // the object given to Append, byte for byte; the receiver's to keep
}

// Problem is damage found in a log. It is also an error, so that it can stand
// between records.
type Problem struct {
	Offset int64  // where in the file
	Size   int64  // how many bytes; 0 for records that are missing
	Text   string // what is wrong and what was done about it, for people
}

func (p Problem) Error() string { return p.Text }

// Info is a session in a listing. Of a session whose header is damaged, only
// the ID of its Header is known.
type Info struct {
	Header
	Path     string
	Modified time.Time
	Size     int64 // of the file, in bytes
}

// Store holds the sessions of one person.
type Store struct {
	dir string // of the session files
}

// Open returns the store whose sessions lie in dir/sessions. Nothing is made
// or checked until a session is.
func Open(dir string) *Store {
	return &Store{dir: filepath.Join(dir, "sessions")}
}

// The files of a session, by their extensions: the log, torn ends that were cut
// from it, the directory of outputs, and the draft. What is not complete yet is
// temporary.
const (
	tempExtension  = ".tmp"
	extension      = ".jsonl"
	tornExtension  = ".torn"
	outExtension   = ".out"
	draftExtension = ".draft"
)

func (s *Store) path(id string) string { return s.beside(id, extension) }

func (s *Store) beside(id, extension string) string { return filepath.Join(s.dir, id+extension) }

// Outputs returns the directory of a session's outputs, as Log.Outputs does:
// a fork's records may speak of those of its parent. The ID must be whole.
func (s *Store) Outputs(id string) string { return s.beside(id, outExtension) }
