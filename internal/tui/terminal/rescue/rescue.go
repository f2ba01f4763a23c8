// Package rescue holds the rescue process, a small child process that restores the
// terminal when the program cannot: after a crash in any goroutine, or when it is
// killed. It does nothing else with the terminal.
//
// The program starts its own executable under the name Name, with the terminal as
// standard output and a pipe. It writes an Order into the pipe, sets the pipe as the
// runtime's crash output, and writes ExitClean if it restored the terminal itself. If
// anything else arrives, or the pipe is closed, the process restores the terminal
// and saves what arrived as the crash report. The pipe is small, so that the runtime
// cannot finish writing, and the program cannot exit, before the terminal is
// restored.
//
// The process has its own session, so that signals of the terminal do not reach it.
// The main function of every program that draws on a terminal must call Run first.
package rescue

import "encoding/binary"

// Name is argument 0 of the rescue process, its only argument.
const Name = "agent: rescue"

// dispatched is set by Run. A program that does not call Run must not start itself
// under Name, because the child would run main again.
var dispatched bool

// Dispatched reports whether this program has called Run and can start a rescue
// process.
func Dispatched() bool { return dispatched }

// ControlFD is the file descriptor of the pipe in the rescue process.
const ControlFD = 3

// ExitClean tells the rescue process that there is nothing to do.
const ExitClean = '.'

// Order describes how to restore the terminal and report a crash.
type Order struct {
	Found  []byte // the terminal's State before the program changed it
	Raw    []byte // the State after; if it is different now, another program has the terminal
	Modes  string // the sequences that reset the terminal's modes
	Report string // path of the crash report
	Say    string // the message for the user after a crash
}

// Encode returns the encoded order: its size, then each field preceded by its size,
// as 32-bit big-endian numbers.
func (o Order) Encode() []byte {
	var parts []byte
	for _, p := range []string{string(o.Found), string(o.Raw), o.Modes, o.Report, o.Say} {
		parts = append(binary.BigEndian.AppendUint32(parts, uint32(len(p))), p...)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(parts))), parts...)
}

// decode decodes an encoded order without its leading size.
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
