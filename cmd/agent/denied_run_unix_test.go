//go:build unix

package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"agent/internal/sampling"
)

// The exit code of a run is 3 if a denied call remains that no later call has replaced.
func TestDeniedCallsOfARun(t *testing.T) {
	t.Parallel()
	const (
		deniedCommand = `{"command":"python3 x.py"}`
		command       = `{"command":"touch made"}`
		list          = `{"command":"ls"}`
		deniedEdit    = `{"path":"a.txt","content":"x\n"}`
		edit          = `{"path":"a.md","content":"x\n"}`
		deniedRead    = `{"path":"/etc/passwd"}`
		read          = `{"path":"go.mod"}`
	)
	for name, row := range sampling.Rows(map[string]struct {
		calls []string // tool and arguments of each step
		code  int
	}{
		"command, last":                 {[]string{"shell", command, "shell", deniedCommand}, 3},
		"command, then a command":       {[]string{"shell", deniedCommand, "shell", command}, 0},
		"command, then an edit":         {[]string{"shell", deniedCommand, "write", edit}, 0},
		"command, then reads":           {[]string{"shell", deniedCommand, "read", read}, 3},
		"command, then one that reads":  {[]string{"shell", deniedCommand, "shell", list}, 3},
		"command, then one of several":  {[]string{"shell", deniedCommand, "shell", `{"command":"cd . && ls | wc -l"}`}, 3},
		"read, then a command":          {[]string{"read", deniedRead, "shell", list}, 0},
		"command, then one that fails":  {[]string{"shell", deniedCommand, "shell", `{"command":"touch /no/dir/x"}`}, 3},
		"edit, last":                    {[]string{"write", edit, "write", deniedEdit}, 3},
		"edit, then an edit":            {[]string{"write", deniedEdit, "write", edit}, 0},
		"edit, then a command":          {[]string{"write", deniedEdit, "shell", list}, 3},
		"read, then a read":             {[]string{"read", deniedRead, "read", read}, 0},
		"read, last":                    {[]string{"read", read, "read", deniedRead}, 3},
		"command and edit, then a read": {[]string{"shell", deniedCommand, "write", deniedEdit, "read", read}, 3},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"go.mod": "module m\n"})
			var steps []answer
			for i := 0; i < len(row.calls); i += 2 {
				steps = append(steps, call(row.calls[i], row.calls[i+1]))
			}
			s := serve(t, append(steps, say("done"))...)
			out, code := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--allow", "command: touch", "--allow", "edit: *.md", "go")
			if code != row.code {
				t.Errorf("exit code %d, want %d\n%s", code, row.code, out)
			}
		})
	}
}

// A run gives no advice that only a screen can follow, and a denial in mode plan names the
// mode.
func TestAdviceOfARun(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	s := serveFunc(t, func(_ *server, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"This model's maximum context length is 10 tokens.","code":"context_length_exceeded"}}`)
	})
	for _, format := range []string{"text", "json"} {
		out, code := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--output", format, "go")
		if code != 1 || !strings.Contains(out, "larger context window") || regexp.MustCompile(`[ "]/[a-z]+[ ,."]|Press`).MatchString(out) {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	}
	s = serve(t, call("write", `{"path":"a","content":"x\n"}`), call("shell", `{"command":"touch a"}`), say("done"))
	out, code := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "plan", "go")
	if code != 0 || strings.Count(out, "denied: plan mode ") != 2 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
