//go:build unix

package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// reader plays the agent: it adds the readings of each call to its ledger.
type reader struct {
	t     *testing.T
	ws    *workspace.Workspace
	dir   string
	known *workspace.Ledger
	step  int
}

func newReader(t *testing.T, files map[string]string) *reader {
	ws, dir := newWorkspace(t, files)
	return &reader{t: t, ws: ws, dir: dir, known: workspace.NewLedger()}
}

// call runs a tool call with all its changes approved.
func (r *reader) call(name string, args obj) (tools.Result, error) {
	r.t.Helper()
	r.step++
	c, err := r.prepare(name, args)
	if changed, ok := errors.AsType[*workspace.ChangedError](err); ok {
		r.known.Add(r.step, changed.Reads...)
	}
	if err != nil {
		return tools.Result{}, err
	}
	result, err := c.Run(r.t.Context(), tools.Approved{Changes: c.Changes})
	r.known.Add(r.step, result.Reads...)
	return result, err
}

func (r *reader) prepare(name string, args obj) (tools.Call, error) {
	r.t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, tool := range tools.Files(r.ws, r.known) {
		if tool.Spec().Name == name {
			return tool.Prepare(r.t.Context(), b)
		}
	}
	r.t.Fatalf("there is no tool %s", name)
	return tools.Call{}, nil
}

// writeOutside changes a file without the agent.
func (r *reader) writeOutside(name, text string) { writeFile(r.t, filepath.Join(r.dir, name), text) }

func (r *reader) must(name string, args obj) {
	r.t.Helper()
	if _, err := r.call(name, args); err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
}

func TestUnreadFilesAreNotOverwritten(t *testing.T) {
	files := map[string]string{"f": "theirs\n", "g": "theirs\n", "empty": "", "h": "theirs\n"}
	r := newReader(t, files)
	for tool, args := range map[string]obj{
		"write": {"path": "f", "content": "mine\n"},
		"patch": patchOf("*** Add File: f", "+mine"),
	} {
		if _, err := r.call(tool, args); err == nil || !strings.Contains(err.Error(), "was not read in this conversation") {
			t.Errorf("%s: got %v, want it refused", tool, err)
		}
	}
	if _, err := r.call("patch", patchOf("*** Update File: g", "*** Move to: f")); err == nil || !strings.Contains(err.Error(), "f exists (1 line, 7 bytes) and was not read in this conversation") {
		t.Errorf("move: got %v, want it refused", err)
	}
	if diff := cmp.Diff(contents(t, r.dir), files); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	// New, empty and read files may be changed, and parts of others.
	r.must("write", obj{"path": "new", "content": "1\n"})
	r.must("write", obj{"path": "new", "content": "2\n"})
	r.must("write", obj{"path": "empty", "content": "3\n"})
	r.must("read", obj{"path": "f"})
	r.must("write", obj{"path": "f", "content": "4\n"})
	r.must("edit", obj{"path": "g", "old": "theirs", "new": "5"})
	r.must("patch", patchOf("*** Update File: h", "-theirs", "+7"))
	want := map[string]string{"new": "2\n", "empty": "3\n", "f": "4\n", "g": "5\n", "h": "7\n"}
	if diff := cmp.Diff(contents(t, r.dir), want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// A change of some lines is no reading of the others.
func TestPartlyReadFilesAreNotOverwritten(t *testing.T) {
	const text = "1\n2\n3\n4\n"
	read := func(first, n int) func(*reader) {
		return func(r *reader) { r.must("read", obj{"path": "f", "offset": first, "limit": n}) }
	}
	edit := func(old, new string) func(*reader) {
		return func(r *reader) { r.must("edit", obj{"path": "f", "old": old, "new": new}) }
	}
	patch := func(r *reader) { r.must("patch", patchOf("*** Update File: f", "-2", "+two")) }
	move := func(r *reader) {
		r.must("patch", patchOf("*** Update File: f", "*** Move to: g", "-2", "+two"))
		r.must("patch", patchOf("*** Update File: g", "*** Move to: f", "-two", "+2"))
	}
	outside := func(r *reader) {
		r.writeOutside("f", "0\n"+text)
		if _, err := r.call("edit", obj{"path": "f", "old": "5", "new": "five"}); err == nil {
			t.Error("a changed file was edited")
		}
	}
	for name, c := range map[string]struct {
		before []func(*reader)
		err    string // part of the error; empty if the file may be replaced
	}{
		"edited":                       {[]func(*reader){edit("2", "two")}, "f (4 lines, 10 bytes) was not read completely in this conversation. Read it from line 1 "},
		"edited twice":                 {[]func(*reader){edit("2", "two"), edit("3", "three")}, "from line 1 "},
		"patched":                      {[]func(*reader){patch}, "from line 1 "},
		"moved":                        {[]func(*reader){move}, "from line 1 "},
		"the beginning read":           {[]func(*reader){read(1, 2)}, "from line 3 "},
		"the end read":                 {[]func(*reader){read(2, 9)}, "from line 1 "},
		"a gap":                        {[]func(*reader){read(4, 1), read(1, 2)}, "from line 3 "},
		"the beginning read and edit":  {[]func(*reader){read(1, 2), edit("2", "two")}, "from line 1 "},
		"changed by others, part read": {[]func(*reader){read(1, 2), outside}, "from line 1 "},
		"in two pages":                 {[]func(*reader){read(3, 9), read(1, 2)}, ""},
		"read and edited":              {[]func(*reader){read(1, 9), edit("2", "two"), edit("3", "three")}, ""},
		"read and patched":             {[]func(*reader){read(1, 9), patch}, ""},
		"read and moved":               {[]func(*reader){read(1, 9), move}, ""},
		"edited and read":              {[]func(*reader){edit("2", "two"), read(1, 9)}, ""},
		"changed by others, all read":  {[]func(*reader){read(1, 9), outside}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t, map[string]string{"f": text})
			for _, do := range c.before {
				do(r)
			}
			before := contents(t, r.dir)["f"]
			_, err := r.call("write", obj{"path": "f", "content": "mine\n"})
			if got := contents(t, r.dir)["f"]; c.err == "" && (err != nil || got != "mine\n") || c.err != "" && got != before {
				t.Errorf("%v, and the file holds %q", err, got)
			}
			if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("got %v, want %q", err, c.err)
			}
		})
	}
}

func TestChangedFilesAreNotOverwritten(t *testing.T) {
	calls := map[string]obj{
		"write": {"path": "f", "content": "mine\n"},
		"edit":  {"path": "f", "old": "one\ntwo", "new": "2"},
		"patch": patchOf("*** Add File: new", "+x", "*** Delete File: f"),
	}
	for tool, args := range calls {
		t.Run(tool, func(t *testing.T) {
			r := newReader(t, map[string]string{"f": "one\ntwo\n"})
			r.must("read", obj{"path": "f"})
			r.writeOutside("f", "one\nand\ntwo\n")
			_, err := r.call(tool, args)
			changed, ok := errors.AsType[*workspace.ChangedError](err)
			if !ok {
				t.Fatalf("got %v, want a *ChangedError", err)
			}
			if want := "Diff:\n@@ -1,2 +1,3 @@\n one\n+and\n two\n"; !strings.Contains(changed.Error(), want) || changed.Step != 1 {
				t.Errorf("got %q of step %d, want %q in it, step 1", changed, changed.Step, want)
			}
			if diff := cmp.Diff(contents(t, r.dir), map[string]string{"f": "one\nand\ntwo\n"}); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
			// The error showed the change, so the file may be replaced.
			r.must("write", obj{"path": "f", "content": "at last\n"})
		})
	}
}

// Text that is in a changed file exactly once is replaced, and the change is kept: a
// formatter may have made it. The model reads the change in the result.
func TestTextOfChangedFilesIsReplaced(t *testing.T) {
	const after = "one\nand\ntwo  \n\n\tthree\n"
	for name, c := range map[string]struct {
		tool    string
		args    obj
		want    string // content of the file; empty if the call fails
		ignored bool   // the diff is not shown, because the session was resumed
	}{
		"edit":                 {"edit", obj{"path": "f", "old": "one", "new": "1"}, "1\nand\ntwo  \n\n\tthree\n", false},
		"patch":                {"patch", patchOf("*** Update File: f", "@@", "-one", "+1"), "1\nand\ntwo  \n\n\tthree\n", false},
		"no content":           {"edit", obj{"path": "f", "old": "one", "new": "1"}, "1\nand\ntwo  \n\n\tthree\n", true},
		"not exactly":          {"edit", obj{"path": "f", "old": "    three\n", "new": "3\n"}, "", false},
		"not exactly, patch":   {"patch", patchOf("*** Update File: f", "@@", "-two", "+2"), "", false},
		"several":              {"edit", obj{"path": "f", "old": "n", "new": "N"}, "", false},
		"all":                  {"edit", obj{"path": "f", "old": "one", "new": "1", "replace_all": true}, "", false},
		"only inserted lines":  {"patch", patchOf("*** Update File: f", "@@", "+4"), "", false},
		"replaced afterwards":  {"patch", patchOf("*** Update File: f", "@@", "-one", "+1", "*** Add File: f", "+x"), "", false},
		"a move":               {"patch", patchOf("*** Update File: f", "*** Move to: g", "@@", "-one", "+1"), "", false},
		"two edits, one fails": {"edit", obj{"path": "f", "edits": []obj{{"old": "one", "new": "1"}, {"old": "gone", "new": "2"}}}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t, map[string]string{"f": "one\ntwo\n\n    three\n"})
			r.must("read", obj{"path": "f"})
			if c.ignored {
				known := workspace.NewReading("f", []byte("one\ntwo\n\n    three\n"))
				known.Content = nil
				r.known.Reset()
				r.known.Add(1, known)
			}
			r.writeOutside("f", after)
			result, err := r.call(c.tool, c.args)
			if c.want == "" {
				if _, ok := errors.AsType[*workspace.ChangedError](err); !ok {
					t.Fatalf("got %v, want a *ChangedError", err)
				}
				c.want = after
			} else {
				note := "It had changed since step 1, and the change is kept:\n@@ -1,4 +1,5 @@\n one\n-two\n+and\n"
				if c.ignored {
					note = "It had changed since step 1, and the change is kept. Read it again before you change other lines."
				}
				if err != nil || !strings.Contains(result.Text, note) {
					t.Errorf("got %q, %v, want the note %q", result.Text, err, note)
				}
				_, err := r.call("write", obj{"path": "f", "content": "mine\n"})
				if ok := err == nil; ok == c.ignored {
					t.Errorf("replacing the file: %v", err)
				}
				if !c.ignored {
					return
				}
			}
			if diff := cmp.Diff(contents(t, r.dir), map[string]string{"f": c.want}); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

func TestLargeChangesMustBeReadAgain(t *testing.T) {
	var many, others strings.Builder
	for i := range 100 {
		fmt.Fprintln(&many, i)
		fmt.Fprintln(&others, -i)
	}
	for name, c := range map[string]struct{ before, after string }{
		"much":   {many.String(), others.String()},
		"binary": {"a\n", "a\x00b\n"},
		"wide":   {strings.Repeat("a", 10_000) + "\n", strings.Repeat("b", 10_000) + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t, map[string]string{"f": c.before})
			r.must("edit", obj{"path": "f", "old": c.before, "new": c.before + "x\n"})
			r.writeOutside("f", c.after)
			for range 2 {
				_, err := r.call("write", obj{"path": "f", "content": "mine\n"})
				changed, ok := errors.AsType[*workspace.ChangedError](err)
				if !ok || changed.Reads != nil || !strings.Contains(changed.Error(), "Read it again") {
					t.Fatalf("got %v, want a *ChangedError that says to read", err)
				}
			}
			if diff := cmp.Diff(contents(t, r.dir), map[string]string{"f": c.after}); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

func TestDeletedFileCanBeCreatedAgain(t *testing.T) {
	r := newReader(t, map[string]string{"f": "one\n"})
	r.must("read", obj{"path": "f"})
	r.must("patch", patchOf("*** Delete File: f"))
	r.must("write", obj{"path": "f", "content": "two\n"})
	if diff := cmp.Diff(contents(t, r.dir), map[string]string{"f": "two\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestOnlyRequestedContentIsRecorded(t *testing.T) {
	r := newReader(t, map[string]string{"f": "one\n", "g": "one\n"})
	c, err := r.prepare("edit", obj{"edits": []obj{{"path": "f", "old": "one", "new": "two"}, {"path": "g", "old": "one", "new": "two"}}})
	if err != nil {
		t.Fatal(err)
	}
	c.Changes[0].After = []byte("three\n")
	result, err := c.Run(t.Context(), tools.Approved{Changes: c.Changes})
	if err != nil {
		t.Fatal(err)
	}
	var knows []string
	for _, reading := range result.Reads {
		knows = append(knows, reading.Path+": "+string(reading.Content))
	}
	if diff := cmp.Diff(knows, []string{"g: two\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}
