// Package snapshot describes the state of a path before and after a change, so that the
// change can be undone. It decides nothing about undoing. Start reading at State.
package snapshot

import (
	"io"

	"agent/internal/tools/protect"
)

// Kind is the kind of file at a path.
type Kind string

// The kinds.
const (
	Absent Kind = "absent"
	File   Kind = "file" // a regular file
	Dir    Kind = "dir"
	Link   Kind = "link"  // a symbolic link
	Other  Kind = "other" // a device, socket or named pipe, which cannot be restored
)

// State describes the file at a path at some time.
type State struct {
	Kind Kind   `json:"kind"`
	Mode uint32 `json:"mode,omitempty"` // permission bits with setuid, setgid and sticky, as in Unix
	// Denied are the permission bits of the group that an access control list denies it even if
	// Mode has them: then these bits of Mode are the mask of the list. Zero without a list.
	Denied uint32 `json:"denied,omitempty"`
	Size   int64  `json:"size,omitempty"`   // of a file, in bytes
	Hash   string `json:"hash,omitempty"`   // of the content of a file: SHA-256 in hexadecimal; empty if it was not read
	Target string `json:"target,omitempty"` // of a link
	// Kept is the name of a link to the file in the store, which then has no copy of the content. Its
	// Hash is known only after the file was read.
	Kept string `json:"kept,omitempty"`
	// Stamp identifies the content of a file, read or not: inode, size, and times of
	// change. Two equal stamps mean the same content.
	Stamp string `json:"stamp,omitempty"`
	Owner string `json:"owner,omitempty"` // user and group, "1000:100"; empty if unknown
	// Inode identifies a file with several hard links; empty if it has one.
	Inode string `json:"inode,omitempty"`
	// Lost is why the state cannot be restored, for the user: "it is larger than 64 MB".
	// It is empty if it can be.
	Lost string `json:"lost,omitempty"`
}

// Touched is a path that a tool call or command is about to change for the first time
// in a turn.
type Touched struct {
	Call   string `json:"call"` // ID of the tool call, or of the command that the user typed
	Path   string `json:"path"` // absolute, without symbolic links in its directory
	Before State  `json:"before,omitzero"`
	// Tool is set if a tool makes the change, not a command.
	Tool bool `json:"tool,omitempty"`
	// Dropped is how many files of earlier turns the store has removed to make room. If it is set, there
	// is no Path.
	Dropped int `json:"dropped,omitempty"`
}

// Store keeps contents and touched paths for later. It is safe for concurrent use, also
// by several processes. Its implementation is a pack of package blobs; tests use that of
// package snapshottest.
type Store interface {
	// Put keeps a content and returns its hash as in State. Keeping the same content
	// again costs no space. The error is for the user: the store is full, or cannot be
	// written.
	Put(content io.Reader) (hash string, size int64, err error)
	// Add records a touched path. It must be in the store before the change happens.
	Add(t Touched) error
}

// Order tells the supervisor of a command which files to keep while it runs.
type Order struct {
	Call  string   // ID of the tool call
	Store string   // path of the store
	Roots []string // absolute directories without links; paths outside of them are not kept
	Skip  []string // absolute paths below Roots that are not kept
	// Strict makes a write fail with EPERM if the old content cannot be kept, because the
	// user has not approved the command.
	Strict bool
	// Git lets a strict command change git directories, because it runs git. Without it,
	// the command may only change those that it has created.
	Git bool
	// Began is when the turn began, in nanoseconds since 1970. What the store holds of earlier turns may
	// be dropped to make room.
	Began   int64
	MaxFile int64 // size in bytes of the largest file whose content is copied
	// Protected are protect.Names.Paths that a strict command must not change or create below
	// Roots. Exceptions: paths in Approved, directories that the command has created, and
	// paths that git creates if Git is set. None of them applies to what makes git run programs.
	Protected []string
	Approved  []string // absolute paths; each stands for everything in it
	// Search finds the programs that a strict command must not create below Roots, because they
	// would run instead of others.
	Search protect.Search
	// GitDirs are git directories outside Roots that the command can change, and that have another
	// name than .git. The rules for a directory with the name .git hold for them, too.
	GitDirs []string
	// Repositories are git directories outside Roots whose state is kept, too: see GitState. That of
	// git directories below Roots always is.
	Repositories []string
}
