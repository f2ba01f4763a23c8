//go:build unix

package git_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"agent/internal/tools/git"
)

// TestStagedAgreesWithGit reads indexes of all versions, then damaged ones: every prefix,
// and some with changed bytes. A damaged index must not end the program.
func TestStagedAgreesWithGit(t *testing.T) {
	dir := repository(t)
	for _, name := range []string{"a", "ab", "abc", "d/abcdefg", "d/abcdefgh", "d/e/\xff\n", "z"} {
		write(t, dir, name, name)
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	plain(t, dir, "add", "-A")
	index := filepath.Join(dir, ".git", "index")
	later := time.Now().Add(time.Hour)
	repo, _ := git.Open(dir)
	staged := func() (paths []string, err error) {
		if err := os.Chtimes(index, later, later); err != nil {
			t.Fatal(err)
		}
		err = repo.Staged(func(f git.StagedFile) { paths = append(paths, f.Path) })
		return paths, err
	}
	for _, version := range []string{"2", "3", "4"} {
		plain(t, dir, "update-index", "--index-version", version)
		if version == "3" {
			plain(t, dir, "update-index", "--skip-worktree", "ab")
		}
		got, err := staged()
		if err != nil || !slices.IsSorted(got) || !slices.Contains(got, "d/e/\xff\n") || slices.Contains(got, "link") {
			t.Errorf("version %s: %q, %v", version, got, err)
		}
		b, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		copy(b[len(b)-20:], make([]byte, 20)) // as with index.skipHash, so that damage reaches the parser
		random := rand.New(rand.NewPCG(1, 2))
		for n := range len(b) + 500 {
			damaged := slices.Clone(b)
			if n < len(b) {
				damaged = damaged[:n]
			} else {
				for range 1 + random.IntN(4) {
					damaged[random.IntN(len(b)-20)] = byte(random.Uint32())
				}
			}
			if err := os.WriteFile(index, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := staged(); n < len(b) && (err == nil || got != nil) {
				t.Fatalf("version %s, %d bytes: %q, %v", version, n, got, err)
			}
		}
		if err := os.WriteFile(index, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
