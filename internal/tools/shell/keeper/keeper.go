// Package keeper is a small supervisor process between this program and a
// command. It starts the command, and kills all of its processes at the end.
// Start reading at Run.
//
// The program starts itself again with the argument Name. That process leads its
// own session without a terminal; the command is a process group in it. On Linux
// the keeper is a subreaper: every orphan of the command becomes its child, even
// daemons and processes in other sessions. Only the keeper reaps its children, so
// their process IDs are not reused while it kills them. It kills until no child
// is left. Processes of other commands are never its children.
//
// The keeper exits when all processes of the command are dead. It kills them when
// it gets the order Kill, or when the pipe of its orders is closed, as when this
// program dies.
//
// A command with an Order.Sandbox is started by package sandbox. The keeper itself
// stays outside, so that it can end every process of the command.
//
// Run turns a process into a keeper. It must be the first call in main of every
// program that starts commands, and in TestMain of tests that do.
package keeper

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Name is the only argument of a keeper process.
const Name = "agent: keeper"

// The file descriptors of a keeper, after the three standard streams, which it
// does not use.
const (
	Orders  = 3 + iota // the keeper reads an Order, then Terminate and Kill bytes
	Reports            // the keeper writes Reports
	Input              // input of the command
	Output             // output of the command
	User               // user namespace of the sandbox; only with an Order.Sandbox
	Net                // network namespace of the sandbox
)

// Orders after the first one.
const (
	Terminate = 't' // send SIGTERM to all processes
	Kill      = 'k' // send SIGKILL; closing Orders means the same
)

// Order is a command to run in the current directory of the keeper.
type Order struct {
	Args      []string // path of the program, and its arguments
	Env       []string
	Processes int // limit of processes and threads, if supported

	// Sandbox are the words of sandbox.Profile.Order; empty means no sandbox.
	Sandbox []string
}

// dispatched is set by Run. A program that does not call Run must not start
// itself as a keeper: it would run main again, which could do the same forever.
var dispatched bool

// Dispatched reports whether this program has called Run and can start itself as
// a keeper.
func Dispatched() bool { return dispatched }

var errZero = errors.New("the command or its environment contains a NUL byte")

// Encode returns the encoded order: its size, its numbers, and its strings, each
// followed by a zero byte.
func (o Order) Encode() ([]byte, error) {
	b := make([]byte, 4)
	for _, n := range []int{o.Processes, len(o.Args), len(o.Sandbox)} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	for _, list := range [][]string{o.Args, o.Sandbox, o.Env} {
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
	for s := range bytes.SplitSeq(bytes.TrimSuffix(b[12:], []byte{0}), []byte{0}) {
		all = append(all, string(s))
	}
	args, rest := split(all, binary.BigEndian.Uint32(b[4:]))
	words, env := split(rest, binary.BigEndian.Uint32(b[8:]))
	return Order{Args: args, Env: env, Processes: int(binary.BigEndian.Uint32(b)), Sandbox: words}
}

func split(all []string, n uint32) (first, rest []string) { return all[:n], all[n:] }

// Report is a message from the keeper about its command.
type Report struct {
	Kind  byte
	Value uint32
}

// The kinds of Report, in the order of their sending.
const (
	Failed  = 'f' // the command did not start; the value is the errno; last report
	Refused = 'r' // it did not start in its sandbox; the value is for sandbox.Unpack; last report
	Started = 's' // the value is the ID of the process and its group
	Exited  = 'x' // the shell exited; the value is the wait status
	Left    = 'l' // other processes had to be killed
	Done    = 'd' // all processes are dead; last report
	Beyond  = 'b' // only processes of another user are left, which cannot be killed; last report
)

// Size is the length of an encoded Report in bytes.
const Size = 5

// Encode returns the encoded report.
func (r Report) Encode() []byte { return binary.BigEndian.AppendUint32([]byte{r.Kind}, r.Value) }

// Decode decodes the report in Size bytes.
func Decode(b []byte) Report { return Report{b[0], binary.BigEndian.Uint32(b[1:])} }
