package catalog

import (
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sockets has the content of /proc/net/tcp and tcp6 of a small machine.
const sockets = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 32961 1 0000000000000000 100 0 0 10 0
   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 20911 1 0000000000000000 100 0 0 10 0
   2: 0100007F:1F90 0100007F:D2F4 01 00000000:00000000 00:00000000 00000000  1001        0 41131 1 0000000000000000 20 4 30 10 -1
   3: 0200007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1002        0 41132 1 0000000000000000 100 0 0 10 0
   4: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 41133 1 0000000000000000 100 0 0 10 0
   5: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 41134 1 0000000000000000 100 0 0 10 0
   6: 0100007F:ZZZZ 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1004        0 41135 1
   7: 0100007F:0051 00000000:0000 0A
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:1F40 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000   998        0 51960 1 0000000000000000 100 0 0 10 0
   1: 00000000000000000000000000000000:04D2 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 65534        0 51961 1 0000000000000000 100 0 0 10 0
   2: 0000000000000000FFFF00000100007F:1F41 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1005        0 51962 1 0000000000000000 100 0 0 10 0
`

func TestListeners(t *testing.T) {
	if runtime.GOARCH == "s390x" || runtime.GOARCH == "ppc64" {
		t.Skip("the sockets are those of a machine with another byte order")
	}
	for at, want := range map[string][]int{
		"127.0.0.1:11434": {1000},
		"127.0.0.2:11434": nil,
		"127.0.0.1:22":    {0},
		"[::1]:22":        nil, // listens on IPv4 only
		"127.0.0.1:8080":  nil, // a connection, and a server at another address
		"127.0.0.2:8080":  {1002},
		"127.0.0.1:80":    {1003, 0},
		"127.0.0.1:81":    nil, // an incomplete line
		"[::1]:8000":      {998},
		"127.0.0.1:8000":  nil,
		"127.0.0.1:1234":  {65534}, // through IPv6
		"[::1]:1234":      {65534},
		"127.0.0.1:8001":  {1005},
	} {
		if diff := cmp.Diff(listeners(sockets, netip.MustParseAddrPort(at)), want); diff != "" {
			t.Errorf("%s: got, want:\n%s", at, diff)
		}
	}
	for _, text := range []string{"", "\n\n", "x\n", "0: : : 0A : : : :\n"} {
		if got := listeners(text, netip.MustParseAddrPort("127.0.0.1:80")); got != nil {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestOwnerOf(t *testing.T) {
	uids := map[string][]int{
		"127.0.0.1:1": {os.Getuid()}, "127.0.0.1:2": {0}, "127.0.0.1:3": {999}, "127.0.0.1:4": {4242}, "127.0.0.1:5": {0, 4242},
		"127.0.0.1:6": {0}, "[::1]:6": {4242}, "[::1]:7": {0}, "127.0.0.1:80": {0},
	}
	in := Input{Listeners: func(at netip.AddrPort) []int { return uids[at.String()] }}
	for base, want := range map[string]Owner{
		"http://127.0.0.1:1/v1": Trusted, "http://127.0.0.1:2": Trusted, "http://127.0.0.1:3": Trusted, "http://127.0.0.1:4": Foreign, "http://127.0.0.1:5": Foreign,
		"http://localhost:6": Foreign, "http://LocalHost:7": Trusted, "http://127.0.0.1/v1": Trusted,
		"http://127.0.0.1:9": Unknown, "http://gpu:1": Unknown, "http://127.0.0.1:99999": Unknown, ":": Unknown,
	} {
		if got := in.ownerOf(base); got != want {
			t.Errorf("%s: got %d, want %d", base, got, want)
		}
	}
}

// A server of the current user is found with the real system tables.
func TestServerOfSameUserIsTrusted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells who owns a socket")
	}
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", "[::]:0", "0.0.0.0:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("%s: %v", address, err) // no IPv6
			continue
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		if got := (Input{}).ownerOf("http://localhost:" + port); got != Trusted {
			t.Errorf("%s: got %d, want %d", l.Addr(), got, Trusted)
		}
		_ = l.Close()
		if got := (Input{}).ownerOf("http://localhost:" + port); got != Unknown {
			t.Errorf("%s, closed: got %d, want %d", l.Addr(), got, Unknown)
		}
	}
}

// Servers of other users are offered if the user named no model, and need
// confirmation if a session used them.
func TestForeignServers(t *testing.T) {
	ollama, _ := Find("ollama")
	own, _ := Find("vllm")
	servers := []Server{
		{Row: ollama, Owner: Foreign, BaseURL: ollama.BaseURL, Models: []Served{{Name: "a"}, {Name: "b"}}},
		{Row: own, Owner: Unknown, BaseURL: own.BaseURL, Models: []Served{{Name: "c"}}},
		{Row: own, Owner: Unknown, BaseURL: own.BaseURL},
	}
	offers := []string{
		"The server at 127.0.0.1:11434 belongs to another user, so it is not used automatically. Choose it with /model ollama/a or --model ollama/a.",
		"The server at 127.0.0.1:8000 may belong to another user, so it is not used automatically. Choose it with /model vllm/c or --model vllm/c.",
	}
	foreign := func(netip.AddrPort) []int { return []int{424242} }
	for name, row := range map[string]struct {
		in      Input
		want    string
		confirm string
		notices []string
	}{
		"found":                       {in: Input{Local: func() []Server { return servers }}, want: "offline/guide", notices: offers},
		"named":                       {in: Input{Flag: "ollama/a"}, want: "ollama/a"},
		"configured":                  {in: Input{Config: []string{"ollama/a"}}, want: "ollama/a"},
		"last used":                   {in: Input{Last: "ollama/a", LastOwn: true}, want: "offline/guide", notices: offers[:1]},
		"last used and running":       {in: Input{Last: "ollama/a", LastOwn: true, Local: func() []Server { return servers[:1] }}, want: "offline/guide", notices: offers[:1]},
		"a continued session":         {in: Input{Last: "ollama/a", LastOwn: true, Continued: true}, want: "ollama/a", confirm: "Send the conversation to ollama/a at 127.0.0.1:11434?"},
		"on another host":             {in: Input{Last: "ollama/a", LastURL: "http://gpu:1/v1"}, want: "ollama/a"},
		"a model of another provider": {in: Input{Last: "ollama/a", LastURL: "http://127.0.0.1:7/v1", Continued: true}, want: "ollama/a", confirm: "Send the conversation to ollama/a at 127.0.0.1:7?"},
	} {
		row.in.Listeners = foreign
		c, err := Resolve(row.in)
		confirm := ""
		if c.Confirm != nil {
			confirm = c.Confirm.Question
		}
		if diff := cmp.Diff([]any{c.ID(), confirm, c.Notices, err}, []any{row.want, row.confirm, row.notices, error(nil)}); diff != "" {
			t.Errorf("%s: got, want:\n%s", name, diff)
		}
	}
}
