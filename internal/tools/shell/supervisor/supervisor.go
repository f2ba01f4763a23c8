// Package supervisor is a small process between this program and a
// command. It starts the command, and kills all of its processes at the end.
// Start reading at Start and Run.
//
// The program starts itself again with the argument Name. That process leads its
// own session without a terminal; the command is a process group in it. On Linux
// the supervisor is a subreaper: every orphan of the command becomes its child, even
// daemons and processes in other sessions. Only the supervisor reaps its children, so
// their process IDs are not reused while it kills them. It kills until no child
// is left. Processes of other commands are never its children.
//
// The supervisor exits when all processes of the command are dead. It kills them when
// it gets the order Kill, or when the pipe of its orders is closed, as when this
// program dies.
//
// A command with an Order.Sandbox is started by package sandbox. The supervisor itself
// stays outside, so that it can end every process of the command.
//
// With an Order.Snapshot the supervisor also keeps the files that the command changes: see
// package watch.
//
// Start starts a supervisor with an order. Run turns a process into a supervisor. It must be the first call in main of every
// program that starts commands, and in TestMain of tests that do.
package supervisor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agent/internal/tools/shell/watch"
	"agent/internal/tools/snapshot"
)

// Name is the only argument of a supervisor process.
const Name = "agent: supervisor"

// The file descriptors of a supervisor, after the three standard streams, which it
// does not use.
const (
	Orders  = 3 + iota // the supervisor reads an Order, then NewTurn, Terminate and Kill bytes
	Reports            // the supervisor writes Reports
	Input              // input of the command
	Output             // standard output of the command
	Errors             // standard error of the command
	User               // user namespace of the sandbox; only with an Order.Sandbox
	Net                // network namespace of the sandbox
	IPC                // IPC namespace of the sandbox, if it has one
	Mounts             // mount namespace of the session, if it has one
)

// Orders after the first one.
const (
	NewTurn   = 'n' // keep changed files again: see watch.Watcher.NewTurn
	Terminate = 't' // send SIGTERM to all processes
	Kill      = 'k' // send SIGKILL; closing Orders means the same
)

// Order is a command to run in the current directory of the supervisor.
type Order struct {
	Args      []string // path of the program, and its arguments
	Env       []string
	Processes int // limit of processes and threads, if supported

	// Sandbox are the words of sandbox.Profile.Order; empty means no sandbox.
	Sandbox []string
	// Snapshot says which files to keep; nil for none. It needs a Sandbox.
	Snapshot *snapshot.Order
}

// dispatched is set by Run. A program that does not call Run must not start
// itself as a supervisor: it would run main again, which could do the same forever.
var dispatched bool

// Dispatched reports whether this program has called Run and can start itself as
// a supervisor.
func Dispatched() bool { return dispatched }

var errZero = errors.New("the command or its environment contains a NUL byte")

// Encode returns the encoded order: its size, its numbers, and its strings, each
// followed by a zero byte.
func (o Order) Encode() ([]byte, error) {
	b := make([]byte, 4)
	kept := snapshotWords(o.Snapshot)
	for _, n := range []int{o.Processes, len(o.Args), len(o.Sandbox), len(kept)} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	for _, list := range [][]string{o.Args, o.Sandbox, kept, o.Env} {
		for _, s := range list {
			if bytes.IndexByte([]byte(s), 0) >= 0 {
				return nil, errZero
			}
			b = append(append(b, s...), 0)
		}
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b, nil
}

// decode decodes an order without its size.
func decode(b []byte) Order {
	var all []string
	for s := range bytes.SplitSeq(bytes.TrimSuffix(b[16:], []byte{0}), []byte{0}) {
		all = append(all, string(s))
	}
	args, rest := split(all, binary.BigEndian.Uint32(b[4:]))
	words, rest := split(rest, binary.BigEndian.Uint32(b[8:]))
	kept, env := split(rest, binary.BigEndian.Uint32(b[12:]))
	return Order{Args: args, Env: env, Processes: int(binary.BigEndian.Uint32(b)), Sandbox: words, Snapshot: parseSnapshot(kept)}
}

func split(all []string, n uint32) (first, rest []string) { return all[:n], all[n:] }

// snapshotWords returns the words of an order to keep files; none for nil.
func snapshotWords(o *snapshot.Order) []string {
	if o == nil {
		return nil
	}
	words := []string{o.Call, o.Store, strconv.FormatBool(o.Strict), strconv.FormatBool(o.Git), strconv.FormatInt(o.MaxFile, 10), strconv.FormatInt(o.Began, 10)}
	for _, list := range lists(o) {
		words = append(append(words, strconv.Itoa(len(*list))), *list...)
	}
	return words
}

// parseSnapshot returns the order of snapshotWords.
func parseSnapshot(words []string) *snapshot.Order {
	if len(words) == 0 {
		return nil
	}
	o := &snapshot.Order{Call: words[0], Store: words[1], Strict: words[2] == "true", Git: words[3] == "true"}
	o.MaxFile, _ = strconv.ParseInt(words[4], 10, 64)
	o.Began, _ = strconv.ParseInt(words[5], 10, 64)
	rest := words[6:]
	for _, list := range lists(o) {
		n, _ := strconv.ParseUint(rest[0], 10, 32)
		*list, rest = split(rest[1:], uint32(n))
	}
	return o
}

// lists returns the lists of an order, in the sequence of snapshotWords.
func lists(o *snapshot.Order) []*[]string {
	return []*[]string{&o.Roots, &o.Skip, &o.Protected, &o.Approved, &o.GitDirs, &o.Repositories, &o.Search.Inside, &o.Search.Outside, &o.Search.Relative}
}

// Report is a message from the supervisor about its command. The text of the kinds with one
// follows the encoded Report; Value is its length.
type Report struct {
	Kind  byte
	Value uint32
}

// The kinds of Report, in the order of their sending. TurnStarted, and those from ChangeRefused to Attempts,
// may come at any time after Started.
const (
	Failed        = 'f' // the command did not start; the value is the errno; last report
	StoreFailed   = 'n' // it did not start because its files cannot be kept; the text is why, for the user; last report
	Refused       = 'r' // it did not start in its sandbox; the value is for sandbox.Unpack; last report
	ChangeRefused = 'k' // the first change that was refused because its file cannot be kept; the text is the path, a zero byte, and why
	Protected     = 'p' // a change of a protected path was refused; the text is the path
	Settings      = 'o' // a change of a configuration file of git was refused; the text is the path, a zero byte, and the settings
	Planted       = 'g' // the command may have created a repository; the text is the directory
	Made          = 'm' // Planted for a directory that the command has created; the text is the directory
	Created       = 'i' // a protected path was created; the text is the path
	Attempted     = 'a' // the sandbox refused an access; the text is that of an Attempt
	Attempts      = 'v' // all attempts of a kind are reported; the value is for AttemptKinds
	Started       = 's' // the value is the ID of the process and its group
	TurnStarted   = 't' // NewTurn has been executed
	Exited        = 'x' // the shell exited; the value is the wait status
	Touched       = 'c' // the value is how many paths were kept
	NotRecorded   = 'u' // some changed files are not kept; the text is why, for the user
	KilledRest    = 'l' // other processes had to be killed
	Done          = 'd' // all processes are dead; last report
	Unkillable    = 'b' // only processes of another user are left, which cannot be killed; last report
)

// Errors of Start.
var (
	// ErrSandbox is the error of a command whose sandbox could not be set up.
	ErrSandbox = errors.New("set up the sandbox")
	// ErrStoreFailed is the error of a command whose files cannot be kept, although its order
	// is strict. Its text is for the user.
	ErrStoreFailed = errors.New("the files that the command changes cannot be kept")
)

// Files describes the saved states of the files that a command with an Order.Snapshot has
// changed.
type Files struct {
	Touched int    // paths that were added to the store
	Problem string // why changed files were not kept, for the user; empty if all were
	// Refused is the first change that failed, because its file could not be kept and
	// the order is strict; nil if none failed.
	Refused *Change
	// Protected are the first protected paths that the command tried, but failed, to change.
	Protected []string
	// Settings are the first changes of configuration files of git that failed. Why holds the
	// settings that need approval; it is empty if the file could not be checked.
	Settings []Change
	// Planted are directories in which the command created an entry by which git recognizes a
	// repository, or to which it moved one. Made are further ones that it has created itself.
	Planted, Made []string
	Created       []string // protected paths that it was allowed to create
	// Attempts are the first accesses that the sandbox refused, each once, and Seen says which
	// kinds are reported at all.
	Attempts []Attempt
	Seen     AttemptKinds
}

// Change is a change of a file that a command was not allowed to make.
type Change struct {
	Path string // absolute; empty if it is not known
	Why  string // why the file cannot be kept, for the user: "it is larger than 64 MB"
}

// Matters reports whether a command with that output may have failed because the change was
// refused. Commands such as git diff try to lock the index of a repository, and do not fail
// or say so if they cannot.
func (c Change) Matters(output string) bool {
	return filepath.Base(c.Path) != watch.IndexLock || strings.Contains(output, watch.IndexLock)
}

// Raced reports whether the program tried to hide the change.
func (c Change) Raced() bool { return c.Why == watch.Raced }

// Size is the length of an encoded Report in bytes.
const Size = 5

// Encode returns the encoded report.
func (r Report) Encode() []byte { return binary.BigEndian.AppendUint32([]byte{r.Kind}, r.Value) }

// Decode decodes the report in Size bytes.
func Decode(b []byte) Report { return Report{b[0], binary.BigEndian.Uint32(b[1:])} }

// HasText reports whether a text follows the report.
func (r Report) HasText() bool {
	return slices.Contains([]byte{StoreFailed, NotRecorded, ChangeRefused, Protected, Settings, Planted, Made, Created, Attempted}, r.Kind)
}

// Open opens the store of files at a path. The process of the supervisor closes it by ending.
type Open func(path string) (snapshot.Store, error)
