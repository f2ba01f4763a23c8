package wire

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pair returns a patient and what it is connected to.
func pair(t *testing.T) (*patient, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return newPatient(near).(*patient), far
}

// told is from how many bytes on the system tells of what came to p.
func told(t *testing.T, p *patient) (n int) {
	t.Helper()
	var fault error
	err := p.raw.Control(func(fd uintptr) {
		n, fault = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT)
	})
	if err != nil || fault != nil {
		t.Fatal(err, fault)
	}
	return n
}

// hears reads a piece from p in a goroutine, and returns it or the error.
func hears(p *patient) <-chan string {
	got := make(chan string, 1)
	go func() {
		b := make([]byte, 100)
		n, err := p.Read(b)
		if err != nil {
			got <- err.Error()
			return
		}
		got <- string(b[:n])
	}()
	return got
}

// within returns what comes on c, which hangs otherwise.
func within(t *testing.T, c <-chan string) string {
	t.Helper()
	select {
	case s := <-c:
		return s
	case <-time.After(20 * time.Second):
		t.Fatal("who waits is not told")
		return ""
	}
}

// While nobody waits, little is not told.
func TestPatientGathers(t *testing.T) {
	p, _ := pair(t)
	p.gather()
	if n := told(t, p); n <= 1 {
		t.Errorf("the system tells of %d bytes", n)
	}
}

// Who waits is told of a single byte and of the end, whatever was asked before
// and is asked meanwhile.
func TestPatientTellsWhoWaits(t *testing.T) {
	p, far := pair(t)
	for _, text := range []string{"a", "b", "c"} {
		p.gather()
		got := hears(p)
		_, _ = io.WriteString(far, text)
		p.gather()
		if got := within(t, got); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	p.gather()
	got := hears(p)
	_ = far.Close()
	if got, want := within(t, got), "EOF"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The end that came while nobody waited is found.
func TestPatientFindsTheEnd(t *testing.T) {
	p, far := pair(t)
	p.gather()
	_, _ = io.WriteString(far, "last")
	_ = far.Close()
	all, err := io.ReadAll(p)
	if got, want := string(all), "last"; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// Who waits is told when the connection is closed here.
func TestPatientCloses(t *testing.T) {
	p, _ := pair(t)
	p.gather()
	got := hears(p)
	_ = p.Close()
	if got := within(t, got); !strings.Contains(got, "closed") {
		t.Errorf("got %q", got)
	}
}

// Long answers come whole, one after another on the same connection, with TLS
// and without, though their connection is left alone in between.
func TestPatientExchanges(t *testing.T) {
	const pieces = 80
	for _, start := range []func(http.Handler) *httptest.Server{httptest.NewServer, httptest.NewTLSServer} {
		from := map[string]bool{}
		s := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from[r.RemoteAddr] = true
			_, _ = io.Copy(io.Discard, r.Body)
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for i := range pieces {
				fmt.Fprintf(w, "data: {\"n\":%d}\n\n", i)
				w.(http.Flusher).Flush()
				<-tick.C
			}
		}))
		at := Endpoint{Base: s.URL}
		if s.Certificate() != nil {
			at.Roots = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		}
		c := New(at)
		for range 2 {
			var got, want []string
			x := c.Exchange(t.Context(), "m", []byte("{}"))
			p, err := x.Post("/ask")
			if err != nil {
				t.Fatal(err)
			}
			if known := x.pace.conn != nil; known != (s.Certificate() == nil) {
				t.Errorf("the connection is known: %v", known)
			}
			for i := range pieces {
				data, err := p.Next()
				if err != nil {
					t.Fatal(err)
				}
				got, want = append(got, string(data)), append(want, fmt.Sprintf(`{"n":%d}`, i))
			}
			if d := cmp.Diff(got, want); d != "" {
				t.Errorf("payloads (-got +want):\n%s", d)
			}
			x.Drain()
			_ = x.Close()
		}
		c.Close()
		s.Close()
		if len(from) != 1 {
			t.Errorf("the answers came on %d connections", len(from))
		}
	}
}
