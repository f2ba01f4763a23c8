package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"agent/internal/sampling"
)

// The temporary files of other sessions are neither shown to tools and commands nor changed
// without approval, wherever they are.
func TestSessionsDoNotSeeTheTemporaryFilesOfOthers(t *testing.T) {
	t.Parallel()
	h := repository(t)
	temp := h.env[len(h.env)-1][len("TMPDIR="):]
	for name, flags := range map[string][]string{"/tmp": nil, temp: nil, "added": {"--add-dir", temp}} {
		parent := filepath.Join(name, "agent-"+strconv.Itoa(os.Getuid()))
		if name == "added" {
			parent = filepath.Join(temp, "agent-"+strconv.Itoa(os.Getuid()))
		}
		if err := os.MkdirAll(parent, 0o700); err != nil {
			t.Fatal(err)
		}
		other, err := os.MkdirTemp(parent, "other-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(other) })
		dir := filepath.Join(other, "tmp")
		file := filepath.Join(dir, "plan.txt")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("THEIRS\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		h.put(t, "spy.sh", "cat "+file+"; echo x >"+dir+"/new\n")
		for call, tool := range sampling.List([][2]string{
			{"read", `{"path":"` + file + `"}`}, {"search", `{"pattern":"THEIRS","path":"` + parent + `"}`}, {"search", `{"pattern":"THEIRS","path":"` + dir + `"}`},
			{"list", `{"path":"` + dir + `"}`}, {"write", `{"path":"` + file + `","content":"mine"}`},
			{"shell", shellCall("cat " + file)}, {"shell", shellCall("wc -l " + file + "; sh spy.sh")}, {"shell", shellCall("sh spy.sh; ls " + dir)},
		}) {
			results := sandboxRunAs(t, h, append([]string{"--mode", "all"}, flags...), tool[:]...)
			if got := results["call_0"]; got == "" || strings.Contains(got, "THEIRS") || strings.Contains(got, "1 plan.txt") || strings.Contains(got, "  plan.txt") {
				t.Errorf("%s, %d: %s", name, call, got)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != "THEIRS\n" {
			t.Errorf("%s: changed to %q, %v", name, got, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "new")); err == nil {
			t.Errorf("%s: a command has written there", name)
		}
	}
}
