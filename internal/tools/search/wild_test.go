package search_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path"
	"strings"
	"testing"
	"time"

	"agent/internal/sampling"
	"agent/internal/tools/search"
)

// TestPatternsAgreeWithGit matches random paths against ignore files of one random
// pattern each, and compares with git.
func TestPatternsAgreeWithGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	isolateGit(t)
	count := 60
	if sampling.Whole() {
		count = 300
	}
	for _, fold := range []bool{false, true} {
		r := rand.New(rand.NewPCG(7, 8))
		files := map[string]string{}
		var all []string
		for i := range count {
			dir := fmt.Sprintf("d%d", i)
			files[dir+"/.gitignore"] = randomPattern(r) + "\n"
			for range 30 {
				all = append(all, dir+"/"+randomPath(r))
			}
		}
		repo := t.TempDir()
		runGit(t, repo, nil, "init", "-q")
		runGit(t, repo, nil, "config", "core.ignoreCase", fmt.Sprint(fold))
		writeFiles(t, repo, files)
		ignored := map[string]bool{}
		out := runGit(t, repo, []byte(strings.Join(all, "\x00")), "check-ignore", "--no-index", "-z", "--stdin")
		for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
			ignored[name] = true
		}
		tree, wrong := openTree(t, repo), 0
		for _, name := range all {
			got := tree.Ignored(name, false)
			if got == ignored[name] {
				continue
			}
			dir, rel, _ := strings.Cut(name, "/")
			t.Errorf("pattern %q, path %q, fold %v: got ignored %v, git says %v", files[path.Join(dir, ".gitignore")], rel, fold, got, ignored[name])
			if wrong++; wrong == 20 {
				t.FailNow()
			}
		}
		if len(ignored) < count || len(ignored) > len(all)-count {
			t.Errorf("%d of %d paths are ignored: the patterns decide too little", len(ignored), len(all))
		}
	}
}

// randomPattern returns a pattern of few letters and many wildcards, which often
// nearly matches.
func randomPattern(r *rand.Rand) string {
	parts := []string{"a", "b", "A", "a", "ab", "*", "*", "**", "?", "/", "/", "/**/", "**/", "/**", `\a`, `\*`, `\/`, "[ab]", "[!a]", "[^b-z]", "[[:upper:]]", ".", "*.a"}
	var b strings.Builder
	for range 1 + r.IntN(9) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

func randomPath(r *rand.Rand) string {
	var names []string
	for range 1 + r.IntN(5) {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString([]string{"a", "b", "A", "a.a", "aab", "ab"}[r.IntN(6)])
		}
		names = append(names, b.String())
	}
	return strings.Join(names, "/")
}

// TestSlowPatternsInATree walks a tree with slow patterns in an ignore file.
func TestSlowPatternsInATree(t *testing.T) {
	isolateGit(t)
	var rules strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&rules, "%s%d\n**/%s%d\n", strings.Repeat("a*", 100+i%50), i, strings.Repeat("*a/**/", 20), i)
	}
	files := map[string]string{".gitignore": rules.String() + "gone\n"}
	for i := range 60 {
		files[strings.Repeat("d1/", i%6)+strings.Repeat("a", 200)+fmt.Sprintf("%dx", i)] = "needle\n"
	}
	files["gone"] = "needle\n"
	began := time.Now()
	r := grep(t, tree(t, files), "needle", false, search.Options{Max: 100})
	if r.InFiles != 60 {
		t.Errorf("got %d files, want 60", r.InFiles)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
