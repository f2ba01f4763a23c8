// Package keeper is a small process between this program and a command that it
// runs: it starts the command and sees to it that nothing of it remains.
//
// The program starts itself again under the name Name. That process leads a
// session of its own, without a terminal, and the command is a process group in
// it. Where the system can do so (Linux), whatever a dead process of the
// command leaves behind becomes the keeper's child, wherever it has gone to: a
// daemon or another session too. Only the keeper buries its children, so their
// numbers are no others' when it kills them, and it kills until there are none.
// What another command has started is never its child.
//
// It ends when all of the command is dead. It kills all of it when it is told
// to, and when the pipe of its orders ends, so also when this program is killed.
//
// Run makes a process a keeper. The main function of every program that starts
// commands calls it first, and so does TestMain of a test that does.
package keeper

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Name is the name that a keeper is started under, its only argument.
const Name = "agent: keeper"

// The descriptors that a keeper is started with beyond its three streams, which
// are nobody's.
const (
	Orders  = 3 + iota // it reads an Order here, then bytes of Terminate and Kill
	Reports            // it writes Reports here
	Input              // what the command reads
	Output             // what the command writes
)

// Bytes that a keeper obeys.
const (
	Terminate = 't' // ask all of the command to end
	Kill      = 'k' // do not ask; the end of Orders means the same
)

// Order is what a keeper is to run, in the directory that it is started in.
type Order struct {
	Args      []string // the program, by its path, and its arguments
	Env       []string
	Processes int // and threads that there can be of it, where they can be bounded
}

// dispatched is set by Run, before anything else in the program runs. A program
// that does not call Run must not start itself as a keeper: it would run main
// again, which may do the same.
var dispatched bool

// Dispatched reports whether this program has called Run, so that it can start
// itself as a keeper.
func Dispatched() bool { return dispatched }

var errZero = errors.New("a zero byte in a command or in its environment")

// Encode returns an order as it is to be written: its size, its numbers, and all
// its strings, each with a zero byte behind it.
func (o Order) Encode() ([]byte, error) {
	b := binary.BigEndian.AppendUint32(make([]byte, 4), uint32(o.Processes))
	b = binary.BigEndian.AppendUint32(b, uint32(len(o.Args)))
	for _, list := range [][]string{o.Args, o.Env} {
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

// decode is the reverse of Encode, for what comes behind the size.
func decode(b []byte) Order {
	var all []string
	for s := range bytes.SplitSeq(bytes.TrimSuffix(b[8:], []byte{0}), []byte{0}) {
		all = append(all, string(s))
	}
	n := binary.BigEndian.Uint32(b[4:])
	return Order{Args: all[:n], Env: all[n:], Processes: int(binary.BigEndian.Uint32(b))}
}

// Report is what a keeper says of its command.
type Report struct {
	Kind  byte
	Value uint32
}

// The kinds of Report, in the order in which they come.
const (
	Failed  = 'f' // it did not start; the value is the system's error, and nothing follows
	Started = 's' // the value is the number of its process, and of its group
	Exited  = 'x' // its first process has ended; the value is the wait status
	Left    = 'l' // others had to be killed
	Done    = 'd' // all are dead; nothing follows
	Beyond  = 'b' // all are dead but for those of another user's, which we may not kill; nothing follows
)

// Size is that of an encoded Report.
const Size = 5

// Encode returns a report as it is written.
func (r Report) Encode() []byte { return binary.BigEndian.AppendUint32([]byte{r.Kind}, r.Value) }

// Decode returns the report in Size bytes.
func Decode(b []byte) Report { return Report{b[0], binary.BigEndian.Uint32(b[1:])} }
