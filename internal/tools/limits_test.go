package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
)

// A git configuration that includes itself many times costs little time.
func TestConfigurationThatIncludesItself(t *testing.T) {
	isolateGit(t)
	ws, _ := newWorkspace(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[include]\n" + strings.Repeat("path = config\n", 10), "a.go": "needle\n",
	})
	var worst time.Duration
	for tool, args := range map[string]obj{
		"list": {}, "glob": {"pattern": "*.go"}, "search": {"pattern": "needle"},
	} {
		began := time.Now()
		if got := textOf(call(t, ws, tool, args)); !strings.Contains(got, "a.go") {
			t.Errorf("%s: got %q", tool, got)
		}
		took := time.Since(began)
		worst = max(worst, took)
		if took > 10*time.Second {
			t.Errorf("%s: it took %v", tool, took)
		}
	}
	t.Attr("promise", fmt.Sprintf("list, glob and search in a repository whose configuration includes itself, in ms at most: %d", worst.Milliseconds()))
}

// The result tells the model and the user that some ignore rules were not applied.
func TestTooManyIgnoreRules(t *testing.T) {
	isolateGit(t)
	var rules strings.Builder
	rules.WriteString("early\n")
	for i := range 210_000 {
		fmt.Fprintf(&rules, "n%d\n", i)
	}
	rules.WriteString("late\n")
	ws, _ := newWorkspace(t, map[string]string{"d/.gitignore": rules.String(), "d/early": "needle\n", "d/late": "needle\n"})
	const note = "Not all ignore rules were applied: too many, or too complex. " +
		"The results may include files that git ignores. Give a narrower path.\n"
	for _, c := range []struct {
		tool          string
		args          obj
		text, summary string
	}{
		{"list", obj{}, "./\n  d/\n    .gitignore\n    late\n(1 entry ignored, not shown)\n" + note, "3 entries, ignore rules incomplete"},
		{"glob", obj{"pattern": "**/*a*"}, "d/late\n" + note, "1 file, ignore rules incomplete"},
		{"search", obj{"pattern": "needle"}, "d/late\n1: needle\n\n1 match in 1 file.\n" + note, "1 match in 1 file, ignore rules incomplete"},
	} {
		r, err := call(t, ws, c.tool, c.args)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{r.Text, r.Summary}, []string{c.text, c.summary}); diff != "" {
			t.Errorf("%s: got (-), want (+):\n%s", c.tool, diff)
		}
	}
}

// Globs that expand to very many patterns are rejected before the search starts.
func TestGlobsOfManyAlternatives(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": "needle\n"})
	for _, glob := range []string{strings.Repeat("{a,a}", 40) + "b", strings.Repeat("{a,", 30) + strings.Repeat("}", 30), strings.Repeat("a", 2000)} {
		for tool, args := range map[string]obj{"glob": {"pattern": glob}, "search": {"pattern": "needle", "glob": glob}} {
			if got := textOf(call(t, ws, tool, args)); !strings.Contains(got, "Use fewer braces") {
				t.Errorf("%s %.20s: got %q, want it rejected", tool, glob, got)
			}
		}
	}
	if got := textOf(call(t, ws, "glob", obj{"pattern": "{a,b}*{a,{b,c}}"})); !strings.HasPrefix(got, "aaaa") {
		t.Errorf("got %q, want the file", got)
	}
}

// An interrupt ends the preparation of an edit that is expensive to locate because
// it may start at every line of the file.
func TestAnInterruptEndsAnEdit(t *testing.T) {
	const lines = 300_000
	ws, _ := newWorkspace(t, map[string]string{"f": strings.Repeat("x\n", lines)})
	for name, args := range map[string]obj{
		"edit":  {"path": "f", "old": strings.Repeat(" x\nx\n", lines/4), "new": "y\n"},
		"patch": {"patch": "*** Begin Patch\n*** Update File: f\n@@\n" + strings.Repeat(" x\n", lines/2) + "-y\n*** End Patch"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		began := time.Now()
		b, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tool(t, ws, name).Prepare(ctx, b)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it ended after %v", name, took)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %.300v, want the error of the context", name, err)
		}
		cancel()
	}
}

// A call that is interrupted reports nothing more.
func TestAnInterruptEndsProgress(t *testing.T) {
	isolateGit(t)
	files := map[string]string{}
	for i := range 500 {
		files[fmt.Sprintf("f%d", i)] = "hit\n"
	}
	ws, _ := newWorkspace(t, files)
	c, err := prepare(t, ws, "search", obj{"pattern": "hit", "max_results": 500})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	reports := 0
	_, err = c.Run(ctx, tools.Approved{Progress: func(string) {
		reports++
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || reports != 1 {
		t.Errorf("got %d reports, %v, want one and the error of the context", reports, err)
	}
}
