package tools_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
)

// alikeNames are names of files and others that look the same.
var alikeNames = []struct{ exists, called string }{
	{"cafe\u0301.txt", "caf\u00e9.txt"},
	{"caf\u00e9.txt", "cafe\u0301.txt"},
	{"\u1112\u1161\u11ab.md", "\ud55c.md"},
	{"Shot at 3.00\u202fPM.txt", "Shot at 3.00 PM.txt"},
	{"a\u00a0b.txt", "a b.txt"},
	{"a b.txt", "a\u00a0b.txt"},
	{"don\u2019t.txt", "don't.txt"},
	{"\u201cx\u201d.txt", "\"x\".txt"},
	{"a\u2013b.txt", "a-b.txt"},
	{"\u200ea.txt", "a.txt"},
	{"\u00abq\u00bb.txt", "\"q\".txt"},
	{"wait\u2026.txt", "wait....txt"},
	{"\ufb01le.txt", "file.txt"},
	{"\u2764\ufe0f.txt", "\u2764.txt"},
	{"a\u034fb.txt", "ab.txt"},
	{"caf\xe9.txt", "caf\u00e9.txt"},
	{"re\u0301sume\u0301/don\u2019t/a\u00a0b.txt", "r\u00e9sum\u00e9/don't/a b.txt"},
}

// A name that looks like that of a file stands for it in every tool that needs the file,
// and the result says so.
func TestNamesThatLookTheSame(t *testing.T) {
	for _, n := range alikeNames {
		for _, c := range []struct {
			tool string
			args obj
		}{
			{"read", obj{"path": n.called}},
			{"search", obj{"path": n.called, "pattern": "text"}},
			{"edit", obj{"path": n.called, "old": "old", "new": "new"}},
			{"patch", patchOf("*** Update File: "+n.called, "@@", "-old text", "+new text")},
		} {
			ws, dir := newWorkspace(t, map[string]string{n.exists: "old text\n"})
			call, err := prepare(t, ws, c.tool, c.args)
			if err != nil {
				t.Errorf("%s %+q: %v", c.tool, n.called, err)
				continue
			}
			if got := call.Targets[0]; got.Value != n.exists || !slices.Contains(got.Spelled, n.called) {
				t.Errorf("%s %+q acts on %+q, called %+q", c.tool, n.called, got.Value, got.Spelled)
			}
			r, err := call.Run(t.Context(), tools.Approved{Changes: call.Changes})
			if err != nil || !strings.Contains(r.Text, "which looks the same") {
				t.Errorf("%s %+q: %q, %v", c.tool, n.called, r.Text, err)
			}
			if diff := cmp.Diff([]string{n.exists}, filesBelow(t, dir)); diff != "" {
				t.Errorf("%s %+q: %s", c.tool, n.called, diff)
			}
		}
	}
}

// No tool makes a file that looks like another one.
func TestNoFileThatLooksLikeAnother(t *testing.T) {
	for _, n := range alikeNames {
		for _, c := range []struct {
			tool string
			args obj
		}{
			{"write", obj{"path": n.called, "content": "x\n"}},
			{"edit", obj{"path": n.called, "old": "", "new": "x\n"}},
			{"patch", patchOf("*** Add File: "+n.called, "+x")},
			{"patch", patchOf("*** Update File: z.go", "*** Move to: "+n.called, "@@", "-z", "+y")},
		} {
			ws, dir := newWorkspace(t, map[string]string{n.exists: "old text\n", "z.go": "z\n"})
			r, err := call(t, ws, c.tool, c.args)
			if err == nil || !strings.Contains(err.Error(), "looks the same") {
				t.Errorf("%s %+q: %q, %v", c.tool, n.called, r.Text, err)
			}
			if got := filesBelow(t, dir); len(got) != 2 {
				t.Errorf("%s %+q: %+q", c.tool, n.called, got)
			}
		}
	}
}

// The exact name wins, a new file goes to the directory that looks the same, and names
// that look like several others are errors that list them.
func TestNamesThatLookLikeSeveral(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{
		"a\u00a0b": "narrow\n", "a\u202fb": "thin\n", "cafe\u0301": "two\n", "caf\u00e9": "one\n", "re\u0301sume\u0301/a": "a\n",
	})
	if r, err := call(t, ws, "read", obj{"path": "caf\u00e9"}); err != nil || !strings.Contains(r.Text, "one") || strings.Contains(r.Text, "looks") {
		t.Errorf("exact name: %q, %v", r.Text, err)
	}
	for tool, args := range map[string]obj{"read": {"path": "a b"}, "write": {"path": "a b", "content": "x"}} {
		if _, err := call(t, ws, tool, args); err == nil || !strings.Contains(err.Error(), `a\u00a0b`) || !strings.Contains(err.Error(), `a\u202fb`) {
			t.Errorf("%s: %v", tool, err)
		}
	}
	r, err := call(t, ws, "write", obj{"path": "r\u00e9sum\u00e9/b", "content": "x\n"})
	if err != nil || !strings.Contains(r.Text, "which looks the same") {
		t.Errorf("new file: %q, %v", r.Text, err)
	}
	for tool, args := range map[string]obj{"list": {"path": "r\u00e9sum\u00e9"}, "glob": {"path": "r\u00e9sum\u00e9", "pattern": "*"}} {
		if r, err := call(t, ws, tool, args); err != nil || !strings.Contains(r.Text, "which looks the same") {
			t.Errorf("%s: %q, %v", tool, r.Text, err)
		}
	}
	two := patchOf("*** Add File: n\u00e9w", "+x", "*** Add File: ne\u0301w", "+x")
	if _, err := call(t, ws, "patch", two); err == nil || !strings.Contains(err.Error(), "look the same") {
		t.Errorf("two new files: %v", err)
	}
	if got := filesBelow(t, dir); len(got) != 6 {
		t.Errorf("files: %+q", got)
	}
}

// filesBelow returns the files of a directory.
func filesBelow(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, p)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A name that only looks like that of a file deletes and moves nothing.
func TestNamesThatLookTheSameDeleteNothing(t *testing.T) {
	for _, n := range alikeNames {
		for _, args := range []obj{
			patchOf("*** Delete File: " + n.called),
			patchOf("*** Update File: "+n.called, "*** Move to: moved.txt", "@@", "-old text", "+new text"),
		} {
			ws, dir := newWorkspace(t, map[string]string{n.exists: "old text\n"})
			_, err := prepare(t, ws, "patch", args)
			if err == nil || !strings.Contains(err.Error(), "looks the same") || !strings.Contains(err.Error(), "give its exact name") {
				t.Errorf("patch %+q: %v", n.called, err)
			}
			if diff := cmp.Diff([]string{n.exists}, filesBelow(t, dir)); diff != "" {
				t.Errorf("patch %+q: %s", n.called, diff)
			}
		}
	}
	ws, dir := newWorkspace(t, map[string]string{"cafe\u0301.txt": "old text\n"})
	call, err := prepare(t, ws, "patch", patchOf("*** Delete File: cafe\u0301.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call.Run(t.Context(), tools.Approved{Changes: call.Changes}); err != nil || len(filesBelow(t, dir)) > 0 {
		t.Errorf("the exact name: %v, left %q", err, filesBelow(t, dir))
	}
}

// Globs match names that look the same, and the results have the exact names. Case, wide
// letters and letters of other scripts differ.
func TestGlobsOfNamesThatLookTheSame(t *testing.T) {
	files := map[string]string{"cafe\u0301/a.txt": "text\n", "don\u2019t.md": "text\n", "\uff41.log": "text\n", "\u0430.log": "text\n", "README": "text\n"}
	for _, c := range []struct{ glob, want string }{
		{"caf\u00e9/*", "cafe\u0301/a.txt"},
		{"**/caf\u00e9/*.txt", "cafe\u0301/a.txt"},
		{"cafe\u0301/*", "cafe\u0301/a.txt"},
		{"don't.*", "don\u2019t.md"},
		{"a.log", ""},
		{"readme", ""},
	} {
		ws, _ := newWorkspace(t, files)
		for tool, args := range map[string]obj{"glob": {"pattern": c.glob}, "search": {"pattern": "text", "glob": c.glob}} {
			r, err := call(t, ws, tool, args)
			found := 0
			for name := range files {
				if strings.Contains(r.Text, name) {
					found++
				}
			}
			if err != nil || c.want == "" && found > 0 || c.want != "" && (found != 1 || !strings.Contains(r.Text, c.want)) {
				t.Errorf("%s %+q: %+q, %v", tool, c.glob, r.Text, err)
			}
		}
	}
}
