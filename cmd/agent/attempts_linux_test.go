package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The supervisor sees what the sandbox refuses. Output that only looks like a refusal is none, and a
// program that reports none still tried.
func TestAttemptsAreSeen(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached\n") }))
	defer outside.Close()
	h := repository(t)
	h.put(t, "connect.py", "import socket,sys\ns=socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET)\ntry: s.connect((sys.argv[1],int(sys.argv[2])))\nexcept OSError: sys.exit(int(sys.argv[3]))\n")
	note, port := filepath.Join(h.dir, "a.txt"), outside.URL[strings.LastIndex(outside.URL, ":")+1:]
	const caused, refused, nobody = "[the sandbox probably caused this failure", "[the sandbox refused", "[nothing in the sandbox listens on"
	for _, c := range []struct {
		line string
		want string // empty: no note about the sandbox
	}{
		{"python3 connect.py 192.0.2.7 443 1", caused + ": commands have no network except a loopback interface of their own, and it tried to connect to 192.0.2.7:443."},
		{"python3 connect.py 2001:db8::7 443 1", "it tried to connect to [2001:db8::7]:443."},
		{"python3 connect.py 192.0.2.7 443 1; echo assertion failed: 1 != 2; exit 1", refused + " a connection to 192.0.2.7:443]"},
		{"python3 connect.py 192.0.2.7 443 0", refused + " a connection to 192.0.2.7:443]"},
		{"python3 connect.py 127.0.0.1 " + port + " 1", "it tried to connect to 127.0.0.1:" + port},
		{"python3 connect.py 127.0.0.1 1 1", nobody + " 127.0.0.1:1: commands reach only servers that are jobs of this session]"},
		{"python3 connect.py 127.0.0.1 1 0", ""},
		{"curl -s http://127.0.0.1:1/", nobody},
		{"curl -s http://[::1]:1/", nobody + " [::1]:1"},
		{"echo 'dial tcp 192.0.2.7:443: connect: network is unreachable'; exit 1", ""},
		{"echo 'touch: " + note + ": Read-only file system'; exit 1", ""},
		{"python3 -c \"open('" + note + "','w')\" 2>/dev/null; exit 1", caused + ": commands cannot write to " + note},
		{"python3 -c \"open('" + note + "','w')\" 2>/dev/null; true", refused + " a write to " + note + "]"},
		{"python3 -c \"import os; os.rename('Makefile','" + note + "')\"", "commands cannot write to " + note},
		{"python3 -c \"open('" + note + "','w')\" 2>/dev/null; echo assertion failed; exit 1", refused + " a write to " + note + "]"},
		{"python3 -c \"import os; os.mkdir('" + note + "')\" 2>/dev/null", caused + ": commands cannot write to " + note},
	} {
		got := sandboxRunAs(t, h, []string{"--mode", "all"}, "shell", shellCall("sh -c "+fmt.Sprintf("%q", c.line)))["call_0"]
		if !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "sandbox") {
			t.Errorf("%s:\n%s\nwant %q", c.line, got, c.want)
		}
	}
}
