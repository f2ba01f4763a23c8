package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"agent/internal/tools/caches"
)

// What a command wrote to caches without approval is listed, stays for the next session, and is
// removed with the workspace.
func TestCachesOfLostWorkspacesAreRemoved(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.put(t, "put.sh", `cat "$HOME/.npm/new" >>out; echo new >"$HOME/.npm/new"`)
	h.put(t, "../../.npm/old", "old")
	if _, err := caches.Test(h.dir, []string{filepath.Join(h.dir, ".npm")}); err != nil {
		t.Skip("overlays do not work here: ", err)
	}
	for range 2 {
		s := serve(t, call("shell", shellCall("sh put.sh")), say("done"))
		if out, code := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go"); code != 0 {
			t.Fatal(out)
		}
	}
	if got := readText(t, filepath.Join(h.work, "out")); got != "new\n" {
		t.Errorf("the second session has found %q", got)
	}
	if out, _ := h.agent(t, "doctor", "--offline"); !regexp.MustCompile(`ok +caches +[0-9]+ bytes of builds that ran without approval\n`).MatchString(out) {
		t.Errorf("got\n%s", out)
	}
	dir := caches.Dir(filepath.Join(h.dir, ".local", "state", "agent"))
	places, err := filepath.Glob(filepath.Join(dir, "*", "workspace"))
	if err != nil || len(places) != 1 {
		t.Fatalf("%v, %v", places, err)
	}
	if err := os.WriteFile(places[0], []byte(filepath.Join(h.dir, "lost")), 0o600); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Dir(places[0]), before, before); err != nil {
		t.Fatal(err)
	}
	if out, code := h.agent(t, "run", "hi"); code != 0 {
		t.Fatal(out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); left != nil {
		t.Errorf("left: %v", left)
	}
}
