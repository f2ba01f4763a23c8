//go:build unix

package loop_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/hooks"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// TestHooksMatchEveryNameOfAPath calls tools with names that lead to vendor/x in other ways:
// a hook for vendor/** blocks them, and one for the written name runs, too.
func TestHooksMatchEveryNameOfAPath(t *testing.T) {
	call := func(tool, key string, path string) [2]string {
		args := map[string]string{key: path}
		switch tool {
		case "edit":
			args["old"], args["new"] = "one", "two"
		case "write":
			args["content"] = "two\n"
		case "patch":
			args = map[string]string{"patch": "*** Begin Patch\n*** Update File: " + path + "\n@@\n-one\n+two\n*** End Patch"}
		}
		text, _ := json.Marshal(args)
		return [2]string{tool, string(text)}
	}
	block := func(tool, path string) hooks.Hook {
		return hooks.Hook{Tool: tool, Path: path, Command: "echo generated >&2; exit 2"}
	}
	changed := hooks.Hook{Path: "a/x", Command: `echo '{"arguments":{"path":"v/x","old":"one","new":"two"}}'`}
	claude := hooks.Hook{Claude: true, Command: `grep -q '"file_path":"[^"]*/vendor/x"' && { echo generated >&2; exit 2; }; exit 0`}
	type served struct {
		Path string `json:"path"`
	}
	serve := tools.New("serve", "serve a file", func(context.Context, served) (tools.Call, error) {
		run := func(context.Context, tools.Approved) (tools.Result, error) { return tools.Result{Text: "served"}, nil }
		return tools.Call{Title: "serve", Effect: tools.Network, Run: run}, nil
	})
	guard := block("{edit,write,patch}", "vendor/**")
	for _, c := range []struct {
		name  string
		call  [2]string
		hooks []hooks.Hook
	}{
		{"exact", call("edit", "path", "vendor/x"), []hooks.Hook{guard}},
		{"invisible character", call("edit", "path", "vendor\u200b/x"), []hooks.Hook{guard}},
		{"new file", call("write", "path", "vendor\u200b/new"), []hooks.Hook{guard}},
		{"patch", call("patch", "", "vendor\u200b/x"), []hooks.Hook{guard}},
		{"decomposed", call("edit", "path", "cafe\u0301/x"), []hooks.Hook{block("edit", "caf\u00e9/**")}},
		{"link to a directory", call("edit", "path", "v/x"), []hooks.Hook{guard}},
		{"link to a file", call("edit", "path", "a/link"), []hooks.Hook{guard}},
		{"new file in a link", call("write", "path", "v/new"), []hooks.Hook{guard}},
		{"written name", call("edit", "path", "v/x"), []hooks.Hook{block("edit", "v/**")}},
		{"other name of the argument", call("edit", "filePath", "vendor/x"), []hooks.Hook{guard}},
		{"dots", call("edit", "path", "./a/../vendor/x"), []hooks.Hook{guard}},
		{"changed by another hook", call("edit", "path", "a/x"), []hooks.Hook{changed, guard}},
		{"tool of a server", [2]string{"serve", `{"path":"v/x"}`}, []hooks.Hook{block("serve", "vendor/**")}},
		{"format of Claude Code", call("edit", "path", "vendor\u200b/x"), []hooks.Hook{claude}},
	} {
		p := script.New(script.Call("c1", c.call[0], c.call[1]), script.Say("done"))
		h := newHooked(t, p, map[string][]hooks.Hook{hooks.BeforeTool: c.hooks})
		w, err := workspace.Open(h.dir)
		if err != nil {
			t.Fatal(err)
		}
		h.Tools, h.Permissions.Mode = append(tools.Files(w, nil), serve), event.ModeAll
		for _, name := range []string{"vendor/x", "caf\u00e9/x", "a/x"} {
			if err := os.MkdirAll(filepath.Join(h.dir, filepath.Dir(name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(h.dir, name), []byte("one\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink("vendor", filepath.Join(h.dir, "v")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../vendor/x", filepath.Join(h.dir, "a", "link")); err != nil {
			t.Fatal(err)
		}
		end := result(t, play(t, h.Options, []string{"go"}, nil))
		if end.Outcome != event.Failed || !strings.Contains(end.Result.Text, "blocked by a hook of the user: generated") {
			t.Errorf("%s: %s: %s", c.name, end.Outcome, end.Result.Text)
		}
		if h.file("vendor/x")+h.file("caf\u00e9/x")+h.file("a/x") != "one\none\none\n" || h.file("vendor/new") != "" {
			t.Errorf("%s: a file was changed", c.name)
		}
		_ = w.Close()
	}
}

// TestHooksAfterACallMatchEveryName runs a hook after an edit by its written and by its
// resolved name, and gives it the resolved one.
func TestHooksAfterACallMatchEveryName(t *testing.T) {
	for _, pattern := range []string{"v/**", "vendor/**"} {
		p := script.New(script.Call("c1", "edit", `{"path":"v/x","old":"one","new":"two"}`), script.Say("done"))
		h := newHooked(t, p, map[string][]hooks.Hook{hooks.AfterTool: {{Path: pattern, Command: "cat > after"}}})
		w, err := workspace.Open(h.dir)
		if err != nil {
			t.Fatal(err)
		}
		h.Tools, h.Permissions.Mode = tools.Files(w, nil), event.ModeAll
		if err := os.Mkdir(filepath.Join(h.dir, "vendor"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.dir, "vendor/x"), []byte("one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("vendor", filepath.Join(h.dir, "v")); err != nil {
			t.Fatal(err)
		}
		play(t, h.Options, []string{"go"}, nil)
		if got := h.file("after"); !strings.Contains(got, `"paths":["vendor/x"]`) {
			t.Errorf("%s: the hook got %q", pattern, got)
		}
		_ = w.Close()
	}
}
