package main

import (
	"os"
	"path/filepath"
	"testing"
)

// An approval of a command includes the protected paths that the question names: the
// user answers once.
func TestProtectedPathsNeedOneAnswer(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.env = append(h.env, at(serve(t, call("shell", shellCall("echo x >.git/hooks/pre-push; mkdir .vscode; echo {} >.vscode/settings.json; echo x >.envrc")), say("All done.")))...)
	a := h.open(t, 120, 40)
	a.wait("? help")
	a.send("go" + enter)
	a.asked("Run this command in", ".git/hooks/pre-push is protected", ".vscode/settings.json is protected", ".envrc is protected")
	a.send("1")
	a.wait("All done.", "? help")
	for name, want := range map[string]string{".git/hooks/pre-push": "x\n", ".vscode/settings.json": "{}\n", ".envrc": "x\n"} {
		if got, err := os.ReadFile(filepath.Join(h.work, name)); string(got) != want {
			t.Errorf("%s: %q (%v), want %q", name, got, err, want)
		}
	}
	a.send("\x03\x03")
	a.exit()
}
