package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"agent/internal/history"
)

// home is a place of its own for a program: a HOME and a working directory.
type home struct {
	dir, work string
	env       []string
}

// newHome returns an empty home whose working directory holds files.
func newHome(t testing.TB, files map[string]string, env ...string) home {
	t.Helper()
	h := home{dir: t.TempDir()}
	h.work = filepath.Join(h.dir, "src", "shop")
	for name, content := range files {
		path := filepath.Join(h.work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(h.work, 0o755); err != nil {
		t.Fatal(err)
	}
	h.env = append([]string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}, env...)
	if runtime.GOOS == "windows" {
		h.env = append(h.env, "USERPROFILE="+h.dir, "LocalAppData="+filepath.Join(h.dir, ".local", "state"), "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return h
}

// enter makes h the home of this very process.
func (h home) enter(t testing.TB) {
	t.Setenv("HOME", h.dir)
	t.Setenv("USERPROFILE", h.dir) // as Windows calls it
}

// configure writes the configuration of h.
func (h home) configure(t testing.TB, text string) {
	t.Helper()
	path := h.config()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// config is where the configuration of h is.
func (h home) config() string { return filepath.Join(h.dir, ".config", "agent", "config.json") }

// command is the program in h without a terminal.
func (h home) command(args ...string) *exec.Cmd {
	cmd := exec.Command("agent", args...)
	cmd.Dir, cmd.Env = h.work, append(os.Environ(), h.env...)
	return cmd
}

// agent runs the program in h and returns what it printed and its exit code.
func (h home) agent(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	cmd := h.command(args...)
	b, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

// read returns a file of h's working directory.
func read(t *testing.T, h home, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(h.work, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// store is that of h's sessions.
func (h home) store() *history.Store {
	return history.Open(filepath.Join(h.dir, ".local", "state", "agent"))
}

// ids returns those of h's sessions, the one written to last first.
func (h home) ids(t *testing.T) []string {
	t.Helper()
	infos, err := h.store().List("")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, i := range infos {
		ids = append(ids, i.ID)
	}
	return ids
}
