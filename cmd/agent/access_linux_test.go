package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command whose model asks for access does not run until somebody grants it: a rule, a flag, or
// the user. The model reads which flag would.
func TestModelAsksForAccess(t *testing.T) {
	t.Parallel()
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached\n") }))
	defer outside.Close()
	h := repository(t)
	h.put(t, "get.sh", "touch ran; curl -s "+outside.URL+"\n")
	if err := os.Mkdir(filepath.Join(h.dir, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(h.dir, "notes", "a.txt")
	h.put(t, "note.sh", "echo noted >"+note+" && cat "+note+"; touch ran\n")
	asks := func(line, access string) string { return fmt.Sprintf(`{"command":%q,"access":%q}`, line, access) }
	for _, c := range []struct {
		tool, args string
		flags      []string
		want       string
		ran        bool
	}{
		{"shell", asks("sh get.sh", "network: get the list"), nil, "denied: it needs the user's approval (access that the model asks for needs approval), and nobody can approve it in this run. Run it without access, or continue without it, or tell the user that --allow 'network: sh get.sh' allows it", false},
		{"shell", asks("sh get.sh", "network: get the list"), []string{"--allow", "network: sh get.sh"}, "reached\n[exit 0]", true},
		{"shell", asks("sh get.sh", "network: get the list"), []string{"--deny", "network: sh"}, "denied: a rule denies it", false},
		{"shell", asks("sh get.sh", "network: get the list"), []string{"--mode", "plan"}, "denied: ", false},
		{"shell", `{"command":"sh get.sh","with_escalated_permissions":true,"justification":"get the list"}`, nil, "denied: it needs the user's approval (access that the model asks for", false},
		{"shell", asks("sh note.sh", note+": add a note"), nil, "that --add-dir '" + h.dir + "/notes' allows it", false},
		{"shell", asks("sh note.sh", "~/notes/a.txt: add a note"), []string{"--add-dir", h.dir + "/notes"}, "noted\n[exit 0]", true},
		{"shell", asks("sh note.sh", "~/.bashrc: add an alias"), nil, "is protected: runs when you open a shell. Do not try it another way", false},
		{"shell", asks("sh note.sh", "everything"), nil, `access cannot be "everything"`, false},
		{"jobs", `{"action":"start","command":"sh get.sh","access":"network: get the list"}`, nil, "denied: it needs the user's approval (access that the model asks for", false},
	} {
		_ = os.Remove(filepath.Join(h.work, "ran"))
		flags := append([]string{"--mode", "all"}, c.flags...)
		got := sandboxRunAs(t, h, flags, c.tool, c.args)["call_0"]
		_, err := os.Stat(filepath.Join(h.work, "ran"))
		if !strings.Contains(got, c.want) || (err == nil) != c.ran {
			t.Errorf("%s %q: ran %v:\n%s\nwant %s", c.args, c.flags, err == nil, got, c.want)
		}
	}
}
