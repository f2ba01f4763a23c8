package undo

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agent/internal/loop/diffs"
	"agent/internal/tools"
)

// edited returns lines with some of them removed, replaced, or followed by new ones.
func edited(r *rand.Rand, lines []string, side string) []string {
	var out []string
	for i, l := range lines {
		switch r.IntN(12) {
		case 0:
		case 1:
			out = append(out, side+" changes "+strconv.Itoa(i)+"\n")
		case 2:
			out = append(out, l, "both add "+strconv.Itoa(i)+"\n")
		case 3:
			out = append(out, side+" adds "+strconv.Itoa(i)+"\n", l)
		default:
			out = append(out, l)
		}
	}
	return out
}

func TestMergeAgreesWithGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	clean := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		var base []string
		for i := range 1 + r.IntN(20) {
			base = append(base, "line "+strconv.Itoa(i)+"\n")
		}
		texts := [3]string{strings.Join(edited(r, base, "a"), ""), strings.Join(base, ""), strings.Join(edited(r, base, "b"), "")}
		if r.IntN(4) == 0 {
			texts[r.IntN(3)] += "no newline"
		}
		var names []string
		for i, text := range texts {
			name := filepath.Join(dir, strconv.Itoa(i))
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		want, err := exec.Command("git", append([]string{"merge-file", "-p", "--quiet"}, names...)...).Output()
		got, ok := merge(texts[1], texts[0], texts[2])
		back, okBack := merge(texts[1], texts[2], texts[0])
		if ok != okBack || got != back {
			t.Errorf("seed %d: the sides are not treated alike", seed)
		}
		if !ok {
			continue
		}
		if clean++; err != nil || got != string(want) {
			t.Errorf("seed %d: merged to\n%s\ngit: %v\n%s\nbase:\n%s\na:\n%s\nb:\n%s", seed, got, err, want, texts[1], texts[0], texts[2])
		}
	}
	if clean < 30 {
		t.Errorf("only %d merges were clean", clean)
	}
}

func TestRevertedHunks(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		var base []string
		for i := range r.IntN(80) {
			base = append(base, "line "+strconv.Itoa(i)+"\n")
		}
		before, after := strings.Join(base, ""), strings.Join(edited(r, base, "a"), "")
		if r.IntN(3) == 0 {
			after += "@@ -1 +1 @@"
		}
		n := strings.Count("\n"+diffs.Of([]tools.Change{{Before: []byte(before), After: []byte(after)}})[0].Unified, "\n@@ -")
		var picked, rest []int
		for i := range n {
			if r.IntN(2) == 0 {
				picked = append(picked, i)
			} else {
				rest = append(rest, i)
			}
		}
		part, err := revertHunks(before, after, picked)
		if err != nil {
			t.Fatal(err)
		}
		all, err := revertHunks(before, after, append(picked, rest...))
		if err != nil {
			t.Fatal(err)
		}
		none, err := revertHunks(before, after, nil)
		if err != nil {
			t.Fatal(err)
		}
		if all != before || none != after {
			t.Errorf("seed %d: all or no hunks are wrong", seed)
		}
		// Applying the other hunks to the original leads to the same text.
		want, err := patched(before, after, rest)
		if err != nil {
			t.Fatal(err)
		}
		if part != want {
			t.Errorf("seed %d: without hunks %v:\n%s\nwant:\n%s", seed, picked, part, want)
		}
	}
	if _, err := revertHunks("a\n", "b\n", []int{1}); err == nil {
		t.Error("a hunk that does not exist was reverted")
	}
}

// patched returns before with some hunks of the diff to after, by applying them as a
// patch.
func patched(before, after string, hunks []int) (string, error) {
	u := diffs.Of([]tools.Change{{Before: []byte(before), After: []byte(after)}})[0].Unified
	parts := strings.Split("\n"+u, "\n@@ -")[1:]
	in, out, at := strings.SplitAfter(before, "\n"), []string(nil), 0
	for i, part := range parts {
		header, body, _ := strings.Cut(part, "\n")
		number, _, _ := strings.Cut(strings.Fields(header)[0], ",")
		start, err := strconv.Atoi(number)
		if err != nil {
			return "", err
		}
		start = max(start-1, 0)
		out, at = append(out, in[at:start]...), start
		keep := false
		for line := range strings.Lines(strings.TrimSuffix(body, "\n") + "\n") {
			if line[0] == '\\' { // no newline at the end
				if keep {
					out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "\n")
				}
				continue
			}
			keep = line[0] == ' ' || line[0] == '+'
			if !slices.Contains(hunks, i) {
				keep = line[0] != '+'
			}
			if line[0] != '+' {
				at++
			}
			if keep {
				out = append(out, line[1:])
			}
		}
	}
	return strings.Join(append(out, in[at:]...), ""), nil
}
