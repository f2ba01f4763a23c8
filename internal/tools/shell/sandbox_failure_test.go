//go:build unix

package shell_test

import (
	"net"
	"testing"

	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
)

func TestSandboxFailure(t *testing.T) {
	p := &sandbox.Profile{Write: []string{"/w", "/tmp"}, ReadOnly: []string{"/w/.git/hooks"}, Home: "/home/u", Hide: []string{"/home/u/.ssh"}, Show: []string{"/home/u/.ssh/known_hosts"}}
	const (
		written = "commands cannot write to "
		network = "commands have no network except a loopback interface of their own"
	)
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Addr().String())
	for _, c := range []struct {
		output string
		code   int
		want   string
	}{
		{"touch: cannot touch '/etc/x': Read-only file system\n", 1, written + "/etc/x"},
		{"open /home/u/.npmrc: permission denied\n", 1, written + "/home/u/.npmrc"},
		{"cp: cannot create '/w/.git/hooks/pre-commit': Permission denied\n", 1, written + "/w/.git/hooks/pre-commit"},
		{"/usr/bin/bash: line 1: /home/u/x: Read-only file system\n", 1, written + "/home/u/x"},
		{"/bin/sh: 1: cannot create /etc/x: Read-only file system\n", 2, written + "/etc/x"},
		{"mv: cannot move '.git/hooks' to 'h': Device or resource busy\n", 1, written + "/w/.git/hooks"},
		{"umount: /mnt/x: device or resource busy\n", 1, ""},
		{"bash: ../x/y: Read-only file system\n", 1, written + "/x/y"},
		{"bash: .git/hooks/new: Read-only file system\n", 1, written + "/w/.git/hooks/new"},
		{"rm: cannot remove 'hooks': Read-only file system\n", 1, ""},
		{"dial tcp " + server.Addr().String() + ": connect: connection refused\n", 1, network},
		{"connection to server at \"localhost\" (127.0.0.1), port " + port + " failed: Connection refused\n", 2, network},
		{"HTTPConnectionPool(host='localhost', port=" + port + "): Max retries exceeded: [Errno 111] Connection refused\n", 1, network},
		{"urllib.error.URLError: <urlopen error [Errno 111] Connection refused>\n", 1, network},
		{"GET http://localhost:" + port + "/\nConnectionRefusedError: [Errno 111] Connection refused\n", 1, network},
		{"GET http://localhost:1/\nConnectionRefusedError: [Errno 111] Connection refused\n", 1, ""},
		{"dial unix /run/x.sock: connect: connection refused\n", 1, ""},
		{"Error: connect ECONNREFUSED ::1:" + port + "\n", 1, network},
		{"cat: /home/u/.ssh/id_rsa: No such file or directory\n", 1, "commands cannot read /home/u/.ssh/id_rsa"},
		{"Error: ENOENT: no such file or directory, open '../home/u/.ssh/config'\n", 1, "commands cannot read /home/u/.ssh/config"},
		{"cat: /home/u/.ssh/known_hosts: No such file or directory\n", 1, ""},
		{"cat: /home/u/x: No such file or directory\n", 1, ""},
		{"mkdir: cannot create directory '/opt/x': Permission denied\n", 1, ""}, // the user may not either
		{"bash: /w/run.sh: Permission denied\n", 126, ""},                       // not executable
		{"bash: ./run.sh: Permission denied\n", 126, ""},
		{"touch: cannot touch '/etc/x': Read-only file system\n", 0, ""},
		{"curl: (6) Could not resolve host: example.com\n", 6, network},
		{"connect: Network is unreachable\n", 1, network},
		{"dial tcp: lookup proxy.golang.org on 10.0.0.1:53: dial udp 10.0.0.1:53: connect: network is unreachable\n", 1, network},
		{"npm error code EAI_AGAIN\n", 1, network},
		{"connect to localhost port 80: Connection refused\n", 7, ""},
		{"dial tcp 127.0.0.1:80: connect: connection refused\n", 1, ""},
		{"--- FAIL: TestX\n    want permission denied\n", 1, ""},
	} {
		got := ""
		if f, ok := shell.SandboxFailure(p, "/w", c.output, c.code); ok {
			got = f.String()
		}
		if got != c.want {
			t.Errorf("%q, %d: got %q, want %q", c.output, c.code, got, c.want)
		}
	}
	p.Network = true
	if got, ok := shell.SandboxFailure(p, "/w", "connect: Network is unreachable\n", 1); ok {
		t.Errorf("with network: %s", got)
	}
}
