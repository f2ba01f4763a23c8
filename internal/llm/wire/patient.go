package wire

import (
	"net"
	"sync"
	"syscall"
)

// maxGathered is how much may come on a connection before anybody is told, while
// nobody waits for it.
const maxGathered = 32 << 10

// patient is a connection that can leave what comes to gather in the system: the
// program is woken for each packet otherwise, whether it waits for one or not.
// Who waits in Read is told at once, always.
type patient struct {
	net.Conn
	raw syscall.RawConn

	mu      sync.Mutex // guards what follows
	waiting bool       // somebody waits in Read
	quiet   bool       // nobody is told of little; not while somebody waits
}

// newPatient returns conn as a patient, or as it is where the system has no such
// thing.
func newPatient(conn net.Conn) net.Conn {
	s, ok := conn.(syscall.Conn)
	if !ok || !canGather {
		return conn
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return conn
	}
	return &patient{Conn: conn, raw: raw}
}

// gather leaves what comes where it is until the next Read, unless one waits. It
// does nothing on nil.
func (p *patient) gather() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.waiting && !p.quiet {
		p.quiet = tellFrom(p.raw, maxGathered)
	}
}

func (p *patient) Read(b []byte) (int, error) {
	if n := p.take(b); n > 0 {
		return n, nil
	}
	n, err := p.Conn.Read(b)
	p.mu.Lock()
	p.waiting = false
	p.mu.Unlock()
	return n, err
}

// take reads what has gathered. Where there is nothing, or an end, the next that
// comes is told again.
func (p *patient) take(b []byte) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet {
		if n := readNow(p.raw, b); n > 0 {
			return n
		}
		tellFrom(p.raw, 1)
	}
	p.waiting, p.quiet = true, false
	return 0
}
