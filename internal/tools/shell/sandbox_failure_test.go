//go:build unix

package shell_test

import (
	"net"
	"os"
	"path/filepath"
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
		if f, ok := shell.SandboxFailure(p, "/w", c.output, c.code, shell.Kept{}); ok {
			got = f.String()
		}
		if got != c.want {
			t.Errorf("%q, %d: got %q, want %q", c.output, c.code, got, c.want)
		}
	}
	p.Network = true
	if got, ok := shell.SandboxFailure(p, "/w", "connect: Network is unreachable\n", 1, shell.Kept{}); ok {
		t.Errorf("with network: %s", got)
	}
}

// A command that misses a hidden file of the home directory fails because of the sandbox,
// in the words of many tools.
func TestSandboxFailureNamesHiddenFiles(t *testing.T) {
	home := t.TempDir()
	for _, file := range []string{"lib/go.mod", "jslib.js", "lib/x.h", "work/src/a.c", "opt/tool/bin/fmt"} {
		path := filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(home, ".local/bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../opt/tool/bin/fmt", filepath.Join(bin, "fmt")); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(home, "work")
	p := &sandbox.Profile{Write: []string{"/tmp/none"}, Home: home, NoHome: true, Show: []string{work, bin}}
	for output, want := range map[string]string{
		"go: example.com/lib@v0.0.0 (replaced by ../lib): replacement directory ../lib does not exist":        "lib",
		"go: cannot load module ../lib listed in go.work file: open ../lib/go.mod: no such file or directory": "lib",
		"Error: Cannot find module '../jslib'\nRequire stack:\n- " + work + "/index.js":                       "jslib",
		"Error: Cannot find module '../../jslib'\nRequire stack:\n- " + work + "/src/index.js":                "jslib",
		"src/a.c:1:10: fatal error: ../../lib/x.h: No such file or directory":                                 "lib/x.h",
		"error: failed to read `" + home + "/lib/x.h`":                                                        "lib/x.h",
		"make: *** No rule to make target '../lib/x.h', needed by 'all'.  Stop.":                              "lib/x.h",
		"Hint: It looks like a path. File '../lib' does not exist.":                                           "lib",
		"add_subdirectory given source \"../lib\" which is not an existing\ndirectory.":                       "lib",
		"bash: line 1: fmt: command not found":                                                                "opt/tool/bin/fmt",
		"make: fmt: No such file or directory":                                                                "opt/tool/bin/fmt",
		"replacement directory ../other does not exist":                                                       "",
		"bash: line 1: other: command not found":                                                              "",
		"src/a.c: file not found":                                                                             "",
	} {
		got := ""
		if f, ok := shell.SandboxFailure(p, work, output+"\n", 1, shell.Kept{}); ok {
			got = f.String()
		}
		if want != "" {
			want = "commands cannot read " + filepath.Join(home, want)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", output, got, want)
		}
	}
}

func TestListsHome(t *testing.T) {
	home := t.TempDir()
	work := filepath.Join(home, "src/work")
	for _, dir := range []string{work, filepath.Join(home, "go/bin")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p := &sandbox.Profile{Home: home, NoHome: true, Show: []string{work, filepath.Join(home, "go")}}
	for line, want := range map[string]bool{
		"ls ~/src": true, "ls ~": true, "ls \"$HOME/src\"": true, "find " + home + " -name x": true, "ls ..": true, "du -s ../*; ls ../..": true,
		"ls": false, "ls ~/go": false, "ls /tmp": false, "ls ~/none": false, "ls " + work: false, "go test ./...": false, "cat a/../b": false,
	} {
		if got := shell.ListsHome(p, work, line); got != want {
			t.Errorf("%q: got %t", line, got)
		}
	}
	p.NoHome = false
	if shell.ListsHome(p, work, "ls ~") {
		t.Error("the home directory is not hidden")
	}
}
