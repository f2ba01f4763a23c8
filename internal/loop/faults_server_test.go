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

// act handles a request. It reports whether the connection stays open.
type act func(p *peer) bool

// peer is a connection with a request.
type peer struct {
	net.Conn
	st *stage
	r  *bufio.Reader
}

// server is a loopback server that handles each request with an act.
type server struct {
	st  *stage
	ln  net.Listener
	tls *tls.Config // set before start; nil speaks plain HTTP
	// greet handles a connection instead of HTTP. Set before start.
	greet func(p *peer)

	mu       sync.Mutex
	acts     []act
	requests int
	conns    map[net.Conn]bool
	waiting  int // acts that wait for the client to disconnect
	open     sync.WaitGroup
}

func newServer(t *testing.T, st *stage) *server {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &server{st: st, ln: ln, conns: map[net.Conn]bool{}}
}

// start serves acts, then valid replies.
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

// close stops the server and closes its connections.
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

// next counts a request and returns its act.
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

// count returns the number of requests.
func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// left checks that all clients of waiting acts have disconnected.
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

// gone waits until the client disconnects.
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

// write sends s. The client may have disconnected.
func (p *peer) write(s string) bool {
	_, err := io.WriteString(p.Conn, s)
	return err == nil
}

// head sends the head of a chunked response.
func (p *peer) head(contentType string, more ...string) {
	p.write("HTTP/1.1 200 OK\r\nContent-Type: " + contentType + "\r\nTransfer-Encoding: chunked\r\n" + strings.Join(append(more, ""), "\r\n") + "\r\n")
}

func (p *peer) chunk(s string) bool { return p.write(fmt.Sprintf("%x\r\n%s\r\n", len(s), s)) }

// reset closes the connection with an RST.
func (p *peer) reset() bool {
	if c, ok := p.Conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	return false
}

// shown waits until the sent text is on the screen.
func (p *peer) shown(text string) {
	if err := p.st.screen.until(text); err != nil {
		p.st.t.Error(err)
	}
}

// sse responds with a stream, one chunk per event.
func sse(stream string) act { return stream200("text/event-stream", events(stream)...) }

// stream200 responds with the given chunks.
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

// events splits a stream after blank lines.
func events(stream string) []string {
	all := strings.SplitAfter(stream, "\n\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// answer responds with a status and a body. Header is one header line without its
// line end.
func answer(status int, header, body string) act {
	if header != "" {
		header += "\r\n"
	}
	all := fmt.Sprintf("HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\n\r\n%s", status, http.StatusText(status), header, len(body), body)
	return func(p *peer) bool { return p.write(all) }
}

// broken begins a stream and then calls how.
func broken(stream string, then func(p *peer) bool) act {
	return func(p *peer) bool {
		p.head("text/event-stream")
		for _, e := range events(stream) {
			p.chunk(e)
		}
		return then(p)
	}
}

// times returns an act n times.
func times(n int, a act) []act {
	var out []act
	for range n {
		out = append(out, a)
	}
	return out
}
