package search_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/sampling"
)

// TestAgreesWithGit generates repositories and compares the ignored files with those
// that git ignores.
func TestAgreesWithGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	isolateGit(t)
	rounds := uint64(3)
	if sampling.Whole() {
		rounds = 15
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := generator{rand.New(rand.NewPCG(seed, 1))}
			repo := t.TempDir()
			runGit(t, repo, nil, "init", "-q")
			files := g.repository()
			runGit(t, repo, nil, "config", "core.excludesFile", filepath.Join(repo, ".git", "everywhere"))
			runGit(t, repo, nil, "config", "core.ignoreCase", fmt.Sprint(seed%4 == 0))
			writeFiles(t, repo, files)
			// The searched directory may be below the root of the repository.
			base := ""
			if seed%3 == 0 {
				base = g.dir(1)
				writeFiles(t, repo, map[string]string{path.Join(base, "x"): ""})
			}
			compare(t, repo, base, files)
		})
	}
}

// compare checks every file and directory below base, and a walk of base.
func compare(t *testing.T, repo, base string, rules map[string]string) {
	t.Helper()
	all, dirs := everything(t, repo, base)
	ignored := map[string]bool{}
	out := runGit(t, repo, []byte(strings.Join(all, "\x00")), "check-ignore", "--no-index", "-z", "--stdin")
	for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		ignored[name] = true
	}
	if base != "" && runGit(t, repo, []byte(base), "check-ignore", "--no-index", "-z", "--stdin") != "" {
		return // git ignores all files in it, but a search that starts there finds them
	}
	tree := openTree(t, filepath.Join(repo, base))
	var want []string
	for _, name := range all {
		rel := strings.TrimPrefix(strings.TrimPrefix(name, base), "/")
		if !dirs[name] && !ignored[name] {
			want = append(want, rel)
		}
		if got := tree.Ignored(rel, dirs[name]); got != ignored[name] {
			t.Errorf("%s: got ignored %v, git says %v", name, got, ignored[name])
		}
	}
	found, err := tree.Find(t.Context(), ".", func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found.Files {
		got = append(got, f.Path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("walk: got (-), git (+):\n%s", diff)
	}
	if t.Failed() {
		t.Logf("rules: %q", rules)
	}
}

// everything returns the paths below base, relative to repo.
func everything(t *testing.T, repo, base string) (all []string, dirs map[string]bool) {
	t.Helper()
	dirs = map[string]bool{}
	top := filepath.Join(repo, base)
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == top {
			return err
		}
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(repo, p)
		all = append(all, filepath.ToSlash(rel))
		dirs[filepath.ToSlash(rel)] = d.IsDir()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, dirs
}

// runGit returns the output of git. Exit code 1 is no error: check-ignore reports
// with it that no path is ignored.
func runGit(t *testing.T, dir string, stdin []byte, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// generator generates names, and patterns that often match them.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) name() string {
	return g.pick("a", "b", "ab", "Ab", "foo", "foo.o", "foo.go", "bar", "x y", "#x", "!x", "a+b", "(a)", "a[b]", "a.b.c", "é", "üb", ".h", "-", "a*b", `a\b`, "a ", "$x", "{a,b}")
}

// dirNames returns names for directories only, so that no path is also a file.
func dirNames() []string { return []string{"a", "b", "foo", "bar", "d.o", "é"} }

func (g generator) dir(depth int) string {
	var names []string
	for range depth {
		names = append(names, g.pick(dirNames()...))
	}
	return strings.Join(names, "/")
}

func (g generator) pattern() string {
	part := func() string {
		return g.pick(g.name(), g.name(), g.dir(1), "*", "**", "?", "a*", "*b", "*.o", "f?o", "[ab]", "[!a]*", "[^a-b]", "foo*", "**a", "a**", "a**b",
			"[a-]", "[]a]", "[[:alpha:]]*", "[[:upper:]]*", "[[:nope:]]", "[", "[a", `\a`, `\*`, `\#x`, `\!x`, `a\`, `[\]]`, "[A-Z]*", "?b", "??", "[[:space:]]*", `\(a)`, "*.*", `a\\b`, "[z-a]", "[--0]")
	}
	p := part()
	for g.IntN(3) == 0 {
		p += "/" + part()
	}
	p = g.pick("", "", "", "/", "!", "!", "!/", "**/") + p
	return p + g.pick("", "", "", "", "/", "/", "/**", " ", "\t", "\r", `\ `, "/*")
}

func (g generator) rules() string {
	var b strings.Builder
	b.WriteString(g.pick("", "", "", "\ufeff"))
	for range 1 + g.IntN(5) {
		b.WriteString(g.pick("", "", "", "# no\n", "\n") + g.pattern() + "\n")
	}
	return strings.TrimSuffix(b.String(), g.pick("", "\n"))
}

// repository returns the files of a repository with rules in every possible place.
func (g generator) repository() map[string]string {
	files := map[string]string{
		".gitignore":        g.rules(),
		".git/everywhere":   g.pattern() + "\n",
		".git/info/exclude": g.pattern() + "\n",
	}
	for range 2 + g.IntN(3) {
		files[path.Join(g.dir(1+g.IntN(2)), ".gitignore")] = g.rules()
	}
	for range 60 {
		p := path.Join(g.dir(g.IntN(4)), g.pick("f-", "")+g.name()+g.pick("", "1"))
		if !slices.Contains(dirNames(), path.Base(p)) {
			files[p] = ""
		}
	}
	return files
}
