package fetch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"agent/internal/tools/fetch"
)

// A server of this machine is reached by no spelling of its address, and a name that
// looks like an allowed one is another host.
func TestSpellingsOfPrivateAddresses(t *testing.T) {
	var reached atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer s.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	hosts := []string{
		"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "0", "0.0.0.0", "localhost", "LOCALHOST.", "[::1]", "[::ffff:127.0.0.1]",
		"[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::]", "①②⑦.⓪.⓪.①", "127。0。0。1", "127.0.0.1%00.example.org", "example.org@127.0.0.1", "example.org%40127.0.0.1", "127.0.0.1\\@example.org", "127.0.0.1#@example.org",
		"169.254.169.254", "metadata.google.internal",
	}
	for _, host := range hosts {
		u, err := fetch.Parse("http://" + host + ":" + port + "/")
		if err == nil {
			_, err = fetch.New(fetch.Options{}).Get(t.Context(), u)
		}
		if err == nil {
			t.Errorf("%s was fetched", host)
		}
	}
	if reached.Load() != 0 {
		t.Errorf("the server was reached %d times", reached.Load())
	}
	t.Attr("promise", fmt.Sprintf("private addresses reached by fetch, of %d spellings: %d", len(hosts), reached.Load()))
}
