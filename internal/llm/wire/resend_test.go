package wire

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"agent/internal/llm"
)

// keptServer answers the first request on its first connection and keeps it
// open. When the next request arrives, it closes the connection as configured.
// It closes later connections after a complete request while stubborn is
// positive, and answers after that.
type keptServer struct {
	ln       net.Listener
	close    func(conn *net.TCPConn, r *bufio.Reader)
	stubborn int
	served   chan int // number of connections whose first request was complete
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 30\r\n\r\ndata: {\"a\":1}\n\ndata: [DONE]\n\n\n"

func (s *keptServer) serve() {
	whole := 0
	defer func() { s.served <- whole }()
	for first := true; ; first = false {
		conn, err := s.ln.Accept()
		if err != nil {
			return
		}
		r := bufio.NewReader(conn)
		if req, err := http.ReadRequest(r); err == nil {
			_, _ = io.Copy(io.Discard, req.Body)
			whole++
		}
		switch {
		case first:
			_, _ = io.WriteString(conn, okAnswer)
			s.close(conn.(*net.TCPConn), r)
		case s.stubborn > 0:
			s.stubborn--
		default:
			_, _ = io.WriteString(conn, okAnswer)
		}
		_ = conn.Close()
	}
}

// TestResend checks that a request on a connection that the server closed is
// sent again on a new one, once, and that other requests are not.
func TestResend(t *testing.T) {
	reset := func(conn *net.TCPConn, r *bufio.Reader) {
		_, _ = r.ReadByte()
		_ = conn.SetLinger(0)
	}
	for _, row := range []struct {
		name        string
		close       func(conn *net.TCPConn, r *bufio.Reader)
		stubborn    int
		size        int
		connections int
		want        string
	}{
		{name: "reset at the first byte, small request", close: reset, size: 10, connections: 2},
		{name: "reset at the first byte, large request", close: reset, size: 32 << 20, connections: 2},
		{name: "closed after the complete request", close: func(_ *net.TCPConn, r *bufio.Reader) {
			if req, err := http.ReadRequest(r); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
			}
		}, size: 10, connections: 2},
		{name: "half of a response arrived", close: func(conn *net.TCPConn, r *bufio.Reader) {
			if req, err := http.ReadRequest(r); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n")
		}, size: 10, connections: 1, want: "closed the connection without responding"},
		{name: "the new connection fails too", close: reset, stubborn: 9, size: 10, connections: 2, want: "closed the connection without responding"},
	} {
		t.Run(row.name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := &keptServer{ln: ln, close: row.close, stubborn: row.stubborn, served: make(chan int, 1)}
			go s.serve()
			c := New(Endpoint{Base: "http://" + ln.Addr().String()})
			body := []byte(`{"a":"` + strings.Repeat("x", row.size) + `"}`)
			if e := post(t, c, []byte(`{"a":1}`)); e != nil {
				t.Fatal(e)
			}
			e := post(t, c, body)
			if row.want == "" && e != nil {
				t.Errorf("got %v, want an answer", e)
			}
			if row.want != "" && (e == nil || !e.Retry || !strings.Contains(e.Message, row.want)) {
				t.Errorf("got %v, want %q", e, row.want)
			}
			c.Close()
			_ = ln.Close()
			if n := <-s.served; n != row.connections {
				t.Errorf("the server got requests on %d connections, want %d", n, row.connections)
			}
		})
	}
}

// post sends body and reads the response to its end.
func post(t *testing.T, c *Client, body []byte) *llm.Error {
	t.Helper()
	x := c.Exchange(t.Context(), "m")
	defer func() { _ = x.Close() }()
	payloads, err := x.Post("/ask", body)
	if err != nil {
		return x.Failed(err)
	}
	if _, err := payloads.Next(); err != nil {
		return x.Failed(err)
	}
	x.drain()
	return nil
}
