package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// In a subdirectory of a repository, the rest of the repository can be read without approval, and git
// works in the sandbox.
func TestSubdirectoryOfARepository(t *testing.T) {
	watched(t)
	for _, c := range []struct{ mode, command, want string }{
		{"ask", "git status --short", " M ../main.go\\nM  b.go"},
		{"ask", "git log --oneline", "First"},
		{"ask", "cat ../main.go", "package changed"},
		{"ask", "grep -rn package ..", "../main.go:1:package changed"},
		{"ask", "cat ../.env", "denied"},
		{"ask", "cat ../../other/notes", "denied"},
		{"auto", "git add b.go && git stash push -q -- . && git stash pop -q && cat ../main.go", "package changed"},
		{"auto", "git commit -qm x", "denied"},
		{"auto", "sh print.sh", "PASSWORD=[secret:"},
		{"auto", "ls ../../../home/notes; echo x >../main.go", "denied"},
		{"auto", "sh write.sh", "Read-only file system"},
		{"auto", "git stash", "Read-only file system"},
		{"all", "git commit -qam x && git log --oneline", "First"},
	} {
		t.Run(c.mode+" "+c.command, func(t *testing.T) {
			t.Parallel()
			h := newAuthor(t)
			h.put(t, ".env", "PASSWORD=k8s-Zq91-xWpL-77\n")
			h.put(t, "../other/notes", "notes\n")
			h.put(t, "src/print.sh", "cat ../.env\n")
			h.put(t, "src/write.sh", "echo x >../main.go\n")
			h.put(t, "src/b.go", "changed\n")
			h.git(t, "add", "src/b.go")
			h.work += "/src"
			before, files := h.gitState(t), h.tree(t)
			s := serve(t, call("shell", shellCall(c.command)), say("done"))
			_, _ = h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", c.mode, "go")
			requests := s.seen()
			body := requests[len(requests)-1].body
			if got := body[strings.LastIndex(body, `"role":"tool"`)+1:]; !strings.Contains(got, c.want) || strings.Contains(got, "k8s-Zq91") {
				t.Errorf("the model got %s", got)
			}
			shown, _ := h.agent(t, "undo", "--yes")
			if d := cmp.Diff(before, h.gitState(t)); d != "" {
				t.Errorf("the state of git (-before +after undo):\n%s\n%s", d, shown)
			}
			now := h.tree(t)
			for name, text := range files {
				if now[name] != text && !strings.Contains(name, ".git/") {
					t.Errorf("%s is %q, want %q", name, now[name], text)
				}
			}
		})
	}
}
