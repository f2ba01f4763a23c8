package fetch_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"agent/internal/tools/fetch"
)

// A name that resolves to an allowed address first and to another one later is not
// followed to the second: the address of every connection is checked, and the name is
// not resolved again after the check.
func TestRebindingNameIsNotReached(t *testing.T) {
	var lookups, requests atomic.Int32
	resolve(t, func() netip.Addr {
		if lookups.Add(1) == 1 {
			return netip.MustParseAddr("127.0.0.1")
		}
		return netip.MustParseAddr("127.0.0.2")
	})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.Redirect(w, r, "/next", http.StatusFound)
	}))
	defer s.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	u, err := fetch.Parse("http://rebind.example:" + port + "/")
	if err != nil {
		t.Fatal(err)
	}
	first := func(a netip.AddrPort) bool { return a.Addr() == netip.MustParseAddr("127.0.0.1") }
	_, err = fetch.New(fetch.Options{Allow: first}).Get(t.Context(), u)
	if err == nil || !strings.Contains(err.Error(), "127.0.0.2 is not a public address") {
		t.Errorf("got %v", err)
	}
	if requests.Load() != 1 || lookups.Load() != 2 {
		t.Errorf("got %d requests after %d lookups, want 1 after 2", requests.Load(), lookups.Load())
	}
	_, err = fetch.New(fetch.Options{}).Get(t.Context(), u) // the name of a loopback address
	if err == nil || !strings.Contains(err.Error(), "not a public address") || requests.Load() != 1 {
		t.Errorf("a name of a loopback address: %v, %d requests", err, requests.Load())
	}
}

// resolve makes a DNS server on the loopback interface the resolver of this process.
// The server answers every question for an IPv4 address with the result of next.
func resolve(t *testing.T, next func() netip.Addr) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	usual := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	done := make(chan struct{})
	t.Cleanup(func() {
		net.DefaultResolver = usual
		_ = conn.Close()
		<-done
	})
	go func() {
		defer close(done)
		b := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(b[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			reply := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, Questions: m.Questions}
			if q.Type == dnsmessage.TypeA {
				reply.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: next().As4()},
				}}
			}
			if packed, err := reply.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
}
