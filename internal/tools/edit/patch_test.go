package edit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/edit"
)

func TestParsePatch(t *testing.T) {
	update := []edit.FileAction{{Kind: edit.Update, Path: "a.go", Hunks: []edit.Hunk{{
		Number: 3, Lines: []edit.Line{{Op: edit.Drop, Text: "a"}, {Op: edit.Insert, Text: "b"}},
	}}}}
	later := func(n int) []edit.FileAction {
		a := update[0]
		a.Hunks = []edit.Hunk{a.Hunks[0]}
		a.Hunks[0].Number += n
		return []edit.FileAction{a}
	}
	for name, c := range map[string]struct {
		patch string
		want  []edit.FileAction
	}{
		"all actions": {"*** Begin Patch\n*** Add File: new.txt\n+one\n+\n+two\n*** Delete File: old.txt\n*** Update File: a.go\n*** Move to: b/c.go\n" +
			"@@ class A\n@@   def f():\n keep\n-drop\n+insert\n\n*** End of File\n\n@@\n-x\n*** Update File: d.go\n*** Move to: e.go\n*** Add File: empty\n*** End Patch\n",
			[]edit.FileAction{
				{Kind: edit.Add, Path: "new.txt", Content: []byte("one\n\ntwo\n")},
				{Kind: edit.Delete, Path: "old.txt"},
				{Kind: edit.Update, Path: "a.go", MoveTo: "b/c.go", Hunks: []edit.Hunk{
					{Number: 9, Inside: []string{"class A", "def f():"}, AtEnd: true, Lines: []edit.Line{
						{Op: edit.Keep, Text: "keep"}, {Op: edit.Drop, Text: "drop"}, {Op: edit.Insert, Text: "insert"}, {Op: edit.Keep},
					}},
					{Number: 17, Lines: []edit.Line{{Op: edit.Drop, Text: "x"}}},
				}},
				{Kind: edit.Update, Path: "d.go", MoveTo: "e.go"},
				{Kind: edit.Add, Path: "empty", Content: []byte{}},
			}},
		"here-document":                {"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n@@\n-a\n+b\n*** End Patch\nEOF\n", later(1)},
		"only a here-document":         {"<<EOF\n*** Begin Patch\n*** Update File: a.go\n@@\n-a\n+b\n*** End Patch\nEOF", later(1)},
		"no @@":                        {"*** Begin Patch\n*** Update File: a.go\n-a\n+b\n*** End Patch", update},
		"CRLF":                         {"*** Begin Patch\r\n*** Update File: a.go\r\n@@\r\n-a\r\n+b\r\n*** End Patch\r\n", update},
		"numbers of lines":             {"*** Begin Patch\n*** Update File: a.go\n@@ -1,2 +3,4 @@ func f() {\n-a\n+b\n\\ No newline at end of file\n*** End Patch", update},
		"padded, and with empty lines": {"\n *** Begin Patch\n  *** Update File: a.go  \n@@\n-a\n+b\n *** End Patch \n\n", later(1)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit.ParsePatch(c.patch)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

func TestInvalidPatches(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"an unknown header":       {"*** Frobnicate File: a\n", "line 2 of the patch: \"*** Frobnicate File: a\" is not a file header"},
		"no path":                 {"*** Add File: \n+a\n", "line 2 of the patch: \"*** Add File:\" is not a file header"},
		"nowhere to move":         {"*** Update File: a\n*** Move to:  \n", "line 3 of the patch: the update of a changes nothing"},
		"an update of nothing":    {"*** Update File: a\n*** Delete File: b\n", "line 3 of the patch: the update of a changes nothing"},
		"a hunk of context":       {"*** Update File: a\n@@\n a\n b\n", "line 3 of the patch: the hunk changes nothing"},
		"an empty hunk":           {"*** Update File: a\n@@\n", "line 3 of the patch: the hunk changes nothing"},
		"a line without its sign": {"*** Update File: a\n@@\n-a\nb\n", `line 5 of the patch: "b" is not a line of a hunk`},
		"an added line without +": {"*** Add File: a\n+a\nb\n", "begin every line of an added file with +"},
		"nothing":                 {"", "the patch is empty"},
	} {
		_, err := edit.ParsePatch("*** Begin Patch\n" + c.body + "*** End Patch\n")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"":                                     "the first line of a patch must be",
		"--- a\n+++ b\n":                       "the first line of a patch must be",
		"*** Begin Patch\n*** Add File: a\n+a": "the last line of a patch must be \"*** End Patch\", not \"+a\"; if the patch was truncated",
		"*** Begin Patch":                      "the last line of a patch must be",
		"<<EOF":                                "the first line of a patch must be",
	} {
		if _, err := edit.ParsePatch(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestApplyHunks(t *testing.T) {
	const classes = "class A:\n    def f():\n        pass\n    def g():\n        pass\nclass B:\n    def f():\n        pass\n"
	for name, c := range map[string]struct {
		before, hunks, want string
		fit                 edit.Fit
	}{
		"inside of one":                    {classes, "@@ def g():\n-        pass\n+        return 1\n", strings.Replace(classes, "g():\n        pass", "g():\n        return 1", 1), edit.Exact},
		"inside of one in another":         {classes, "@@ class B:\n@@ def f():\n-        pass\n+        return 1\n", classes[:len(classes)-5] + "return 1\n", edit.Exact},
		"the header is part of the hunk":   {classes, "@@ class B:\n class B:\n-    def f():\n+    def h():\n", strings.Replace(classes, "B:\n    def f", "B:\n    def h", 1), edit.Exact},
		"the beginning of a line":          {classes, "@@ class B\n@@ def f\n-        pass\n+        return 1\n", classes[:len(classes)-5] + "return 1\n", edit.Exact},
		"after the hunk before it":         {"x\ny\na\nx\n", "@@\n-a\n+A\n@@\n-x\n+X\n", "x\ny\nA\nX\n", edit.Exact},
		"in any order, if they are unique": {"a\nb\nc\n", "@@\n-c\n+C\n@@\n-a\n+A\n", "A\nb\nC\n", edit.Exact},
		"the last of several":              {"x\na\nx\n", "@@\n-x\n+y\n*** End of File\n", "x\na\ny\n", edit.Exact},
		"an empty line for the eye":        {"a\nb\n", "@@\n-a\n+A\n b\n\n", "A\nb\n", edit.Exact},
		"new lines after a line":           {"f {\n}\ng {\n}\n", "@@ g {\n+\tx\n", "f {\n}\ng {\n\tx\n}\n", edit.Exact},
		"new lines at the end":             {"a\nb", "@@\n+c\n", "a\nb\nc", edit.Exact},
		"new lines at the end, with CRLF":  {"a\r\nb\r\n", "@@\n+c\n", "a\r\nb\r\nc\r\n", edit.Exact},
		"new lines in an empty file":       {"", "@@\n+a\n+b\n", "a\nb\n", edit.Exact},
		"no last newline":                  {"a\nb", "@@\n-b\n+c\n", "a\nc", edit.Exact},
		"byte order mark":                  {"\ufeffa\nb\n", "@@\n-a\n+A\n", "\ufeffA\nb\n", edit.Exact},
		"blanks at the end of what stays":  {"a  \nb\n", "@@\n a\n-b\n+c\n", "a  \nc\n", edit.TrailingBlanks},
		"quotes in what stays":             {"it’s\nb\n", "@@\n it's\n-b\n+c\n", "it’s\nc\n", edit.Typography},
		"invalid UTF-8 around it":          {"\xff\r\na\r\n\xfe", "@@\n-a\n+b\n", "\xff\r\nb\r\n\xfe", edit.Exact},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit.ApplyHunks(t.Context(), []byte(c.before), hunks(t, c.hunks))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(got.After), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
			if got.Fit != c.fit {
				t.Errorf("got fit %d, want %d", got.Fit, c.fit)
			}
		})
	}
}

func TestHunksThatDoNotApply(t *testing.T) {
	for name, c := range map[string]struct{ before, hunks, want string }{
		"several places":              {"x\na\nx\n", "@@\n-x\n+y\n", "it matches 2 places, on lines 1, 3"},
		"several after a header":      {"f\nx\nf\nx\n", "@@ f\n-x\n+y\n", "it matches 2 places"},
		"several places for blanks":   {"x \na\nx  \n", "@@\n-x\n+y\n", "it matches 2 places"},
		"several for new lines":       {"f\nf\n", "@@ f\n+x\n", "it matches 2 places"},
		"a header that is not there":  {"x\n", "@@ class A\n-x\n+y\n", `"class A" is not in the file`},
		"headers in the wrong order":  {"b\na\nx\n", "@@ a\n@@ b\n-x\n+y\n", `"b" is not in the file`},
		"before its header":           {"x\nclass A\n", "@@ class A\n-x\n+y\n", "were not found"},
		"a part of a word":            {"classes\nx\n", "@@ class\n-x\n+y\n", `"class" is not in the file`},
		"nothing like it":             {"a\n", "@@\n-zzz\n+y\n", "nothing in the file is similar"},
		"another indentation":         {"\ta\n", "@@\n-  a\n+  b\n", "only the indentation differs, line 1"},
		"a part of a line":            {"a b\n", "@@\n-a\n+c\n", "were not found"},
		"one after another, the same": {"a\nb\nc\n", "@@\n a\n-b\n@@\n-b\n+x\n c\n", "two hunks change the same lines (line 2 of the file)"},
		"empty lines but for blanks":  {"a\n \t\nb\n", "@@\n-\n+x\n", "were not found"},
	} {
		_, err := edit.ApplyHunks(t.Context(), []byte(c.before), hunks(t, c.hunks))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "replace_all") {
			t.Errorf("%s: got %v, which is advice for another tool", name, err)
		}
	}
}

// FuzzPatch checks that nothing panics, and that a file changes only where its
// hunks say so.
func FuzzPatch(f *testing.F) {
	f.Add("a\r\nb\nc", "@@ a\n b\n-c\n+d\n")
	f.Add("a\n\n", "+x\n*** End of File\n\n@@\n-a\n\n")
	f.Fuzz(func(t *testing.T, before, body string) {
		actions, err := edit.ParsePatch("*** Begin Patch\n*** Update File: f\n" + body + "\n*** End Patch")
		if err != nil {
			return
		}
		for _, a := range actions {
			got, err := edit.ApplyHunks(t.Context(), []byte(before), a.Hunks)
			if err != nil {
				continue
			}
			grown := 0
			for _, h := range a.Hunks {
				for _, l := range h.Lines {
					grown += len(l.Text) + len("\r\n")
				}
			}
			if len(got.After) > len(before)+grown+len("\r\n") {
				t.Errorf("%q became %q", before, got.After)
			}
		}
	})
}

// hunks parses the hunks of one file.
func hunks(t *testing.T, text string) []edit.Hunk {
	t.Helper()
	actions, err := edit.ParsePatch("*** Begin Patch\n*** Update File: f\n" + text + "*** End Patch")
	if err != nil {
		t.Fatal(err)
	}
	return actions[0].Hunks
}
