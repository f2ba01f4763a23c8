//go:build unix

package format_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/format"
	"agent/internal/tools/shell/supervisor"
	"agent/internal/tools/workspace"
)

func TestMain(m *testing.M) {
	supervisor.Run(nil)
	os.Exit(m.Run())
}

func sh(files, line string) format.Formatter {
	return format.Formatter{Files: files, Args: []string{"sh", "-c", line, "sh", "{file}"}}
}

func open(t *testing.T, o format.Options) *format.Formatters {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.Env = os.Environ
	return format.New(o)
}

// A formatter gets the text without a byte order mark and with LF, and the file keeps both.
func TestFormat(t *testing.T) {
	f := open(t, format.Options{All: []format.Formatter{
		sh("*.x", "tr a-z A-Z"), sh("deep/*.x", "cat; echo $1"), sh("-*.x", "cat; echo $1"), sh("*.r", `od -An -c | tr -d ' \n'; echo`),
	}})
	for _, c := range []struct{ path, text, want, by string }{
		{"a.x", "one\n", "ONE\n", "sh"},
		{"deep/a.x", "one\n", "one\ndeep/a.x\n", "sh"},
		{"-a.x", "one\n", "one\n./-a.x\n", "sh"},
		{"other/a.x", "\ufeffone\r\ntwo\r\n", "\ufeffONE\r\nTWO\r\n", "sh"},
		{"a.r", "\ufeffa\r\nb\r\n", "\ufeffa\\nb\\n\r\n", "sh"},
		{"a.r", "a\r\nb\n", "a\\r\\nb\\n\n", "sh"}, // mixed line endings stay as they are
		{"a.y", "one\n", "one\n", ""},
		{"a.x", "\n", "\n", ""},
		{"a.x", "\xff\n", "\xff\n", ""},
	} {
		got, by, err := f.Format(t.Context(), c.path, []byte(c.text))
		if string(got) != c.want || by != c.by || err != nil {
			t.Errorf("%s %q: %q %q %v", c.path, c.text, got, by, err)
		}
	}
}

// A formatter that fails leaves the text as it is and says why.
func TestFormatterFails(t *testing.T) {
	for line, want := range map[string]string{
		"echo a.x:1: bad >&2; exit 2": "sh did not format a.x: exit 2: a.x:1: bad",
		"cat >/dev/null":              "it printed nothing",
		`printf 'error: here\n\n --> 1:2\n |\n | code\n' >&2; exit 1`: "sh did not format a.x: exit 1: error: here --> 1:2$",
		`cat >/dev/null; printf '\377'`:                               "its output is not UTF-8 text",
		"exec yes":                                                    "it printed more than 8 MiB",
		"exit 0":                                                      "it printed nothing",
	} {
		text := []byte(strings.Repeat("one\n", 1<<18))
		got, _, err := open(t, format.Options{All: []format.Formatter{sh("*.x", line)}}).Format(t.Context(), "a.x", text)
		if err == nil || !strings.Contains(err.Error()+"$", want) || string(got) != string(text) {
			t.Errorf("%s: %v", line, err)
		}
	}
	slow := open(t, format.Options{All: []format.Formatter{sh("*.x", "sleep 1000")}, Limit: 50 * time.Millisecond})
	if _, _, err := slow.Format(t.Context(), "a.x", []byte("one\n")); err == nil || !strings.Contains(err.Error(), "it ran longer than 50ms, its time limit") {
		t.Errorf("slow: %v", err)
	}
	missing := open(t, format.Options{All: []format.Formatter{{Files: "*.x", Args: []string{"no-such-formatter"}}}})
	if _, _, err := missing.Format(t.Context(), "a.x", []byte("one\n")); err == nil || !strings.Contains(err.Error(), "no-such-formatter") {
		t.Errorf("missing: %v", err)
	}
	ran := filepath.Join(t.TempDir(), "ran")
	denied := open(t, format.Options{All: []format.Formatter{sh("*.x", "touch "+ran)}, Check: func(format.Formatter) error { return errors.New("not confirmed") }})
	if _, _, err := denied.Format(t.Context(), "a.x", []byte("one\n")); err == nil || err.Error() != "not confirmed" {
		t.Errorf("denied: %v", err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a formatter that must not be used was run")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := slow.Format(ctx, "a.x", []byte("one\n")); err == nil {
		t.Error("an interrupted formatter did not fail")
	}
}

// The changes to approve have the formatted text, the result says what was formatted, and
// the next edit can use it.
func TestFormattedEdits(t *testing.T) {
	dir := t.TempDir()
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	f := open(t, format.Options{Dir: dir, All: []format.Formatter{sh("*.x", `sed 's/ *$//; /fail/{s/.*/fail/;q2}'`)}})
	known := workspace.NewLedger()
	call := func(name, args string) (tools.Call, string) {
		t.Helper()
		for _, tool := range tools.FormattedFiles(tools.Commands{Workspace: ws}, known, f) {
			if tool.Spec().Name != name {
				continue
			}
			c, err := tool.Prepare(t.Context(), json.RawMessage(args))
			if err != nil {
				return c, err.Error()
			}
			r, err := c.Run(t.Context(), tools.Approved{Changes: c.Changes})
			if err != nil {
				t.Fatal(err)
			}
			known.Add(1, r.Reads...)
			return c, r.Text
		}
		t.Fatalf("there is no tool %s", name)
		return tools.Call{}, ""
	}
	c, text := call("write", `{"path":"a.x","content":"one  \ntwo\n"}`)
	if diff := cmp.Diff([]tools.Change{{Path: "a.x", After: []byte("one\ntwo\n")}}, c.Changes); diff != "" {
		t.Error(diff)
	}
	if want := "created a.x: it now has 2 lines, 8 bytes. sh then formatted it:\n@@ -1,2 +1,2 @@\n-one  \n+one\n two"; text != want {
		t.Errorf("result of write: %q", text)
	}
	if _, text = call("edit", `{"path":"a.x","old":"one\ntwo","new":"one \n2"}`); !strings.Contains(text, "Replaced 1 occurrence, on line 1. sh then formatted it:\n") {
		t.Errorf("result of edit: %q", text)
	}
	if _, text = call("patch", `{"patch":"*** Begin Patch\n*** Update File: a.x\n@@\n-one\n+1 \n 2\n*** End Patch"}`); !strings.Contains(text, "+1\n") {
		t.Errorf("result of patch: %q", text)
	}
	if _, text = call("edit", `{"path":"a.x","old":"1","new":"1 "}`); text != "after formatting, the change leaves every file as it is: nothing to do" {
		t.Errorf("an edit of which the formatter leaves nothing: %q", text)
	}
	c, text = call("edit", `{"path":"a.x","old":"1","new":"fail  "}`)
	const why = "sh did not format a.x: exit 2"
	if string(c.Changes[0].After) != "fail  \n2\n" || len(c.Remarks) != 1 || c.Remarks[0] != why || !strings.Contains(text, "It is not formatted: "+why+".") {
		t.Errorf("a formatter that fails: %q %q %q", c.Changes[0].After, c.Remarks, text)
	}
}
