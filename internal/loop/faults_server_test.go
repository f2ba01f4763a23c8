package loop_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// act is what the server does with a request. It reports whether the connection
// is kept for another one.
type act func(p *peer) bool

// peer is a connection on which a request has come.
type peer struct {
	net.Conn
	st *stage
	r  *bufio.Reader
}

// server is a server on the loopback that does with each request what it is
// told to, byte by byte.
type server struct {
	st  *stage
	ln  net.Listener
	tls *tls.Config // set before start; nil uses plain HTTP
	// greet takes a connection in place of HTTP. Set before start.
	greet func(p *peer)

	mu       sync.Mutex
	acts     []act
	requests int
	conns    map[net.Conn]bool
	waiting  int // acts that wait for the other side to leave
	open     sync.WaitGroup
}

func newServer(t *testing.T, st *stage) *server {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &server{st: st, ln: ln, conns: map[net.Conn]bool{}}
}

// start serves acts, and good answers after them.
func (s *server) start(acts []act) {
	s.acts = acts
	s.open.Go(func() {
		for {
			conn, err := s.ln.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[conn] = true
			s.mu.Unlock()
			s.open.Go(func() { s.talk(conn) })
		}
	})
}

// close ends everything.
func (s *server) close() {
	_ = s.ln.Close()
	s.mu.Lock()
	for c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.open.Wait()
}

// talk serves one connection.
func (s *server) talk(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	}()
	p := &peer{Conn: conn, st: s.st}
	if s.tls != nil {
		p.Conn = tls.Server(conn, s.tls)
	}
	p.r = bufio.NewReader(p.Conn)
	if s.greet != nil {
		s.greet(p)
		return
	}
	for {
		req, err := http.ReadRequest(p.r)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		if err := s.st.d.check(body); err != nil && req.Method == http.MethodPost {
			s.st.t.Errorf("a strict server refuses the request: %v\n%s", err, body)
		}
		if !s.next()(p) {
			return
		}
	}
}

// next counts a request and returns what is done with it.
func (s *server) next() act {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if len(s.acts) == 0 {
		return sse(said(s.st.d, "fine"))
	}
	a := s.acts[0]
	s.acts = s.acts[1:]
	return a
}

// count returns how many requests came.
func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// left holds that nobody is connected any more to acts that wait for it.
func (s *server) left(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for {
		s.mu.Lock()
		n := s.waiting
		s.mu.Unlock()
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%d connections are still open after the end of the turn", n)
			return
		}
		runtime.Gosched()
	}
}

// gone waits until the other side leaves.
func (p *peer) gone() bool {
	s := p.st.server
	s.mu.Lock()
	s.waiting++
	s.mu.Unlock()
	_, _ = io.Copy(io.Discard, p.r)
	s.mu.Lock()
	s.waiting--
	s.mu.Unlock()
	return false
}

// write sends s. The other side may have left.
func (p *peer) write(s string) bool {
	_, err := io.WriteString(p.Conn, s)
	return err == nil
}

// head begins an answer of chunks.
func (p *peer) head(contentType string, more ...string) {
	p.write("HTTP/1.1 200 OK\r\nContent-Type: " + contentType + "\r\nTransfer-Encoding: chunked\r\n" + strings.Join(append(more, ""), "\r\n") + "\r\n")
}

func (p *peer) chunk(s string) bool { return p.write(fmt.Sprintf("%x\r\n%s\r\n", len(s), s)) }

// reset ends the connection with an RST.
func (p *peer) reset() bool {
	if c, ok := p.Conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	return false
}

// shown waits until the person sees what was sent: nothing of it can be lost
// by what follows.
func (p *peer) shown(text string) {
	if err := p.st.screen.until(text); err != nil {
		p.st.t.Error(err)
	}
}

// sse answers with a stream, each event a chunk of its own.
func sse(stream string) act { return stream200("text/event-stream", events(stream)...) }

// stream200 answers with chunks.
func stream200(contentType string, chunks ...string) act {
	return func(p *peer) bool {
		p.head(contentType)
		for _, c := range chunks {
			if !p.chunk(c) {
				return false
			}
		}
		return p.write("0\r\n\r\n")
	}
}

// events cuts a stream behind its blank lines.
func events(stream string) []string {
	all := strings.SplitAfter(stream, "\n\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// answer answers with a status and a body of a known length. Header is one line
// of the head, without its end.
func answer(status int, header, body string) act {
	if header != "" {
		header += "\r\n"
	}
	all := fmt.Sprintf("HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\n\r\n%s", status, http.StatusText(status), header, len(body), body)
	return func(p *peer) bool { return p.write(all) }
}

// broken begins a stream and does then what it is told to.
func broken(stream string, then func(p *peer) bool) act {
	return func(p *peer) bool {
		p.head("text/event-stream")
		for _, e := range events(stream) {
			p.chunk(e)
		}
		return then(p)
	}
}

// times is an act that comes n times.
func times(n int, a act) []act {
	var out []act
	for range n {
		out = append(out, a)
	}
	return out
}
