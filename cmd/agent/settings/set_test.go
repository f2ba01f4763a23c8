package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/settings"
)

// TestSet keeps the rest of the file unchanged.
func TestSet(t *testing.T) {
	for name, c := range map[string]struct{ file, want, err string }{
		"no file":     {file: "", want: "{\n  \"theme\": \"dark\"\n}\n"},
		"empty":       {file: "{}", want: "{\n  \"theme\": \"dark\"\n}"},
		"all blank":   {file: "{ \n }\n", want: "{\n  \"theme\": \"dark\"\n}\n"},
		"others":      {file: "{\n\t\"model\": \"a/b\",\n\n\t\"effort\": \"high\"\n}\n", want: "{\n  \"theme\": \"dark\",\n\t\"model\": \"a/b\",\n\n\t\"effort\": \"high\"\n}\n"},
		"one line":    {file: `{"model": "a/b"}`, want: "{\n  \"theme\": \"dark\",\"model\": \"a/b\"}"},
		"in place":    {file: "{\"model\": \"a/b\",  \"theme\" : \"light\" , \"mode\": \"ask\"}", want: "{\"model\": \"a/b\",  \"theme\" : \"dark\" , \"mode\": \"ask\"}"},
		"unset":       {file: `{"theme": null}`, want: `{"theme": "dark"}`},
		"below":       {file: `{"providers": {"x": {"default": "theme"}}}`, want: "{\n  \"theme\": \"dark\",\"providers\": {\"x\": {\"default\": \"theme\"}}}"},
		"broken":      {file: "{\"model\"", err: ":1: invalid JSON"},
		"not for us":  {file: "[]", err: "must be an object"},
		"other slips": {file: `{"modle": "x"}`, err: "did you mean"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "deep", "config.json")
			if c.file != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(c.file), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			err := settings.Set(path, "theme", "dark")
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want one with %q", err, c.err)
				}
				c.want = c.file
			} else if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(got), c.want); d != "" {
				t.Errorf("(-got +want):\n%s", d)
			}
		})
	}
}

func TestSetRefusesWhatMeansNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	if err := settings.Set(path, "theme", "purple"); err == nil || !strings.Contains(err.Error(), "must be one of") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made")
	}
}

func TestSetKeepsALink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "config.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip("there are no links here")
	}
	if _, err := os.Lstat(link); err != nil {
		t.Skipf("a link is made here that cannot be looked at: %v", err)
	}
	if err := settings.Set(link, "theme", "dark"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link became a file (%v)", err)
	}
	if set, err := settings.Read(file); err != nil || set.Theme != "dark" {
		t.Errorf("theme %q, %v", set.Theme, err)
	}
}

// TestChange edits values at paths and keeps the other bytes.
func TestChange(t *testing.T) {
	check := map[string]any{"files": "*.go", "command": "gofmt -l {file}"}
	for name, c := range map[string]struct {
		file, want string
		edits      []settings.Edit
	}{
		"nested in an empty file": {"{}\n", "{\n  \"shell\": {\n    \"keep_env\": [\n      \"A<B\"\n    ]\n  }\n}\n", []settings.Edit{settings.AppendValue("A<B", "shell", "keep_env")}},
		"a list of one line":      {`{"add_dirs": ["/a", "/b" ] , "mode":"ask"}`, "{\"add_dirs\": [\"/a\", \"/b\",\n    \"/c\"\n  ] , \"mode\":\"ask\"}", []settings.Edit{settings.AppendValue("/c", "add_dirs")}},
		"an empty list":           {`{"add_dirs": [ ]}`, "{\"add_dirs\": [\n    \"/c\"\n  ]}", []settings.Edit{settings.AppendValue("/c", "add_dirs")}},
		"a null":                  {`{"shell": null}`, "{\"shell\": {\n    \"max_output_bytes\": 2048\n  }}", []settings.Edit{settings.SetValue(2048, "shell", "max_output_bytes")}},
		"a sibling":               {"{\n  \"sessions\": {\n    \"keep_days\": 3\n  }\n}", "{\n  \"sessions\": {\n    \"keep_days\": 4\n  }\n}", []settings.Edit{settings.SetValue(4, "sessions", "keep_days")}},
		"delete the first":        {"{\n\t\"model\": \"a/b\",\n\t\"mode\": \"ask\"\n}\n", "{\n\t\"mode\": \"ask\"\n}\n", []settings.Edit{settings.DeleteValue("model")}},
		"delete the last":         {"{\n\t\"model\": \"a/b\",\n\t\"mode\": \"ask\"\n}\n", "{\n\t\"model\": \"a/b\"\n}\n", []settings.Edit{settings.DeleteValue("mode")}},
		"delete the only one":     {"{ \"shell\": { \"max_output_bytes\": 2048 } }", "{ \"shell\": {} }", []settings.Edit{settings.DeleteValue("shell", "max_output_bytes")}},
		"delete what is missing":  {"{ \"shell\": {} }", "{ \"shell\": {} }", []settings.Edit{settings.DeleteValue("shell", "keep_env"), settings.DeleteValue("providers", "x")}},
		"an object in a list":     {`{"checks":[{"files":"a","command":"b"}]}`, "{\"checks\":[{\"files\":\"a\",\"command\":\"b\"},\n    {\n      \"command\": \"gofmt -l {file}\",\n      \"files\": \"*.go\"\n    }\n  ]}", []settings.Edit{settings.AppendValue(check, "checks")}},
	} {
		path := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := settings.Change(path, edits(c.edits...)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, _ := os.ReadFile(path)
		if d := cmp.Diff(string(got), c.want); d != "" {
			t.Errorf("%s (-got +want):\n%s", name, d)
		}
	}
}

// An edit that makes the file invalid, or whose path leads through another value, changes
// nothing.
func TestChangeKeepsAFileThatItCannotEdit(t *testing.T) {
	for _, e := range []settings.Edit{
		settings.SetValue("x", "model", "deep"), settings.AppendValue("x", "model"), settings.SetValue(1, "modle"), settings.DeleteValue("checks", "files"),
	} {
		path := filepath.Join(t.TempDir(), "config.json")
		const file = `{"model": "a/b", "checks": []}`
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		err := settings.Change(path, edits(settings.SetValue("dark", "theme"), e))
		if got, _ := os.ReadFile(path); err == nil || string(got) != file {
			t.Errorf("%v: error %v, file %s", e, err, got)
		}
	}
}

// edits decides on edits without a look at the settings.
func edits(all ...settings.Edit) func(settings.Settings) ([]settings.Edit, error) {
	return func(settings.Settings) ([]settings.Edit, error) { return all, nil }
}

// Every change starts from the file that the change before it has written, also through a
// link to the file.
func TestChangesAtOnceAreAllKept(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "config.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		link = file // there are no links here
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			err := settings.Change([]string{file, link}[i%2], func(now settings.Settings) ([]settings.Edit, error) {
				if len(now.AddDirs) > 0 && now.MaxSteps != len(now.AddDirs) {
					t.Errorf("max_steps is %d with %d directories", now.MaxSteps, len(now.AddDirs))
				}
				return []settings.Edit{settings.AppendValue(fmt.Sprint("/", i), "add_dirs"), settings.SetValue(len(now.AddDirs)+1, "max_steps")}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if set, err := settings.Read(file); err != nil || len(set.AddDirs) != 20 {
		t.Errorf("%d directories, %v", len(set.AddDirs), err)
	}
}
