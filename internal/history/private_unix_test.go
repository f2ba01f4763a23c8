//go:build unix

package history_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agent/internal/history"
)

func TestFilesArePrivateForEveryUmask(t *testing.T) {
	for _, umask := range []int{0, 0o077, 0o022} {
		dir := t.TempDir()
		state := filepath.Join(dir, "state")
		old := syscall.Umask(umask)
		path := begin(t, history.Open(filepath.Join(state, "agent")), history.Header{ID: "x"}, 1)
		syscall.Umask(old)
		for _, c := range []struct {
			path string
			want os.FileMode
		}{{state, 0o700}, {filepath.Join(state, "agent"), 0o700}, {filepath.Dir(path), 0o700}, {path, 0o600}} {
			st, err := os.Stat(c.path)
			if err != nil {
				t.Fatal(err)
			}
			if st.Mode().Perm() != c.want {
				t.Errorf("umask %03o: %s is %v, want %v", umask, c.path, st.Mode(), c.want)
			}
		}
	}
}

func TestResumeMakesPrivate(t *testing.T) {
	s := history.Open(t.TempDir())
	path := begin(t, s, history.Header{ID: "x"}, 1)
	for p, mode := range map[string]os.FileMode{path: 0o644, filepath.Dir(path): 0o755} {
		if err := os.Chmod(p, mode); err != nil {
			t.Fatal(err)
		}
	}
	l, _, err := s.Resume("x")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		st, err := os.Stat(p)
		if err != nil || st.Mode().Perm() != want {
			t.Errorf("%s is %v, %v", p, st.Mode(), err)
		}
	}
}

func TestSharedDirectoryIsRejected(t *testing.T) {
	refused := func(name string, s *history.Store, words string) {
		t.Helper()
		_, _, resumeErr := s.Resume("x")
		_, _, readErr := s.Read("x")
		_, listErr := s.List("")
		appendErr := s.Create(history.Header{ID: "y"}).Append([]byte(body(1)), false)
		for _, err := range []error{resumeErr, readErr, listErr, appendErr} {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	s := history.Open(t.TempDir())
	dir := filepath.Dir(begin(t, s, history.Header{ID: "x"}, 1))
	for _, mode := range []os.FileMode{0o770, 0o702} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		refused(mode.String(), s, "is writable by other users")
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 12345, -1); err != nil {
		t.Logf("cannot give a directory away: %v", err)
		return
	}
	refused("owner", s, "belongs to another user")
}
