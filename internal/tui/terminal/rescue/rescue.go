// Package rescue is a small process beside this program that sees to the
// terminal where the program itself no longer can: when a fault ends it, in
// whatever goroutine, and when it is killed.
//
// The program starts itself again under the name Name, with the terminal as its
// standard output and a pipe. It writes an Order into the pipe, has the runtime
// write there what it tells of a fault, and says Farewell when it leaves the
// terminal in order itself. When something else comes, or nothing any more, the
// process restores the terminal, and keeps what came. The pipe is small: the
// runtime cannot finish telling, and the program cannot end, before the terminal
// is restored.
//
// The process leads a session of its own, so that nothing that concerns the
// terminal's concerns it. Run makes a process such a one: the main function of
// every program that draws on a terminal calls it first.
package rescue

import "encoding/binary"

// Name is the name that the process is started under, its only argument.
const Name = "agent: rescue"

// dispatched is set by Run, before anything else in the program runs. A program
// that does not call Run must not start itself under Name: it would run main
// again.
var dispatched bool

// Dispatched reports whether this program has called Run, so that it can start
// itself under Name.
func Dispatched() bool { return dispatched }

// Orders is the descriptor of the pipe.
const Orders = 3

// Farewell is what the program writes when there is nothing to do.
const Farewell = '.'

// Order is what is to be done for a program that is gone.
type Order struct {
	Found  []byte // the terminal's State before the program changed it
	Raw    []byte // and after: where it is another by now, it is somebody else's already
	Modes  string // what switches the modes of the terminal off
	Report string // the file that keeps what the runtime tells of a fault
	Say    string // what the person is told of a fault
}

// Encode returns an order as it is to be written: its size, and each of its
// parts behind the size of that.
func (o Order) Encode() []byte {
	var parts []byte
	for _, p := range []string{string(o.Found), string(o.Raw), o.Modes, o.Report, o.Say} {
		parts = append(binary.BigEndian.AppendUint32(parts, uint32(len(p))), p...)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(parts))), parts...)
}

// decode is the reverse of Encode, for what comes behind the size.
func decode(b []byte) (o Order, ok bool) {
	var parts [5]string
	for i := range parts {
		if len(b) < 4 {
			return Order{}, false
		}
		n := int(binary.BigEndian.Uint32(b))
		if len(b)-4 < n {
			return Order{}, false
		}
		parts[i], b = string(b[4:4+n]), b[4+n:]
	}
	return Order{[]byte(parts[0]), []byte(parts[1]), parts[2], parts[3], parts[4]}, true
}
