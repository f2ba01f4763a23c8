//go:build unix

package languages_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/languages"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/tools/lsp"
	"agent/internal/tools/shell/supervisor"
)

func TestMain(m *testing.M) {
	supervisor.Run(nil)
	os.Exit(m.Run())
}

// A program of the repository that was changed in a git worktree is not run there.
func TestProgramsInAWorktree(t *testing.T) {
	main, tree := t.TempDir(), t.TempDir()
	write := func(dir, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "fmt.sh"), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(main, "tr a-z A-Z")
	write(tree, "tr a-z A-Z")
	args := settings.Command{Words: []string{"./fmt.sh"}}
	set := settings.Settings{Format: map[string]settings.Command{"*.x": args}, LSP: map[string]settings.LanguageServer{"x": {Command: args, Files: []string{"*.x"}}}}
	var confirmed []settings.Confirmed
	items, err := languages.Source(set)(main)
	if err != nil || len(items) != 2 {
		t.Fatalf("items: %v, %v", items, err)
	}
	for _, i := range items {
		confirmed = append(confirmed, settings.Confirmed{Kind: string(i.Kind), Name: i.Name, Sum: i.Sum()})
	}
	p := languages.Programs{Dir: main, Set: set, Trust: trust.NewReview(main, nil, confirmed), Env: os.Environ}
	try := func(dir string) (string, string) {
		out, _, err := p.Formatters(dir, nil).Format(t.Context(), "a.x", []byte("one\n"))
		if err != nil {
			return err.Error(), ""
		}
		server, err := p.Start(dir, nil)(lsp.Server{Name: "x", Args: []string{"./fmt.sh"}}, dir)
		if err != nil {
			return string(out), err.Error()
		}
		server.Kill()
		return string(out), ""
	}
	for _, dir := range []string{main, tree} {
		if out, why := try(dir); out != "ONE\n" || why != "" {
			t.Errorf("%s: %q, %s", dir, out, why)
		}
	}
	write(tree, "cat; touch ran")
	if out, _ := try(tree); !strings.Contains(out, "./fmt.sh is not used: it is in the repository and not confirmed") {
		t.Errorf("a changed formatter: %q", out)
	}
	if _, err := p.Start(tree, nil)(lsp.Server{Name: "x", Args: []string{"./fmt.sh"}}, tree); err == nil {
		t.Error("a changed server was started")
	}
	write(tree, "tr a-z A-Z")
	write(main, "cat")
	if out, _ := try(tree); !strings.Contains(out, "not confirmed") {
		t.Errorf("a formatter that changed in the workspace: %q", out)
	}
	if _, err := os.Stat(filepath.Join(tree, "ran")); err == nil {
		t.Error("a program that is not confirmed has run")
	}
}

// A server that starts in a directory below the workspace is still the file that the user
// has confirmed.
func TestServerBelowTheWorkspace(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"serve.sh": "exec cat main.txt", "sub/serve.sh": "exec cat other.txt", "sub/main.txt": "confirmed\n", "sub/other.txt": "not confirmed\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	start := func(words ...string) (string, error) {
		t.Helper()
		set := settings.Settings{LSP: map[string]settings.LanguageServer{"x": {Command: settings.Command{Words: words}, Files: []string{"*.x"}}}}
		items, err := languages.Source(set)(dir)
		if err != nil || len(items) != 1 {
			t.Fatalf("items: %v, %v", items, err)
		}
		ok := settings.Confirmed{Kind: string(items[0].Kind), Name: "x", Sum: items[0].Sum()}
		p := languages.Programs{Dir: dir, Set: set, Trust: trust.NewReview(dir, nil, []settings.Confirmed{ok}), Env: os.Environ}
		server, err := p.Start(dir, nil)(lsp.Server{Name: "x", Args: words}, sub)
		if err != nil {
			return "", err
		}
		defer server.Kill()
		out, _ := io.ReadAll(server.Stdout())
		return string(out), nil
	}
	if got, err := start("./serve.sh"); !strings.HasSuffix(got, "\nconfirmed\n") || err != nil {
		t.Errorf("started %q, %v", got, err)
	}
	if got, err := start("sh", "serve.sh"); err == nil || !strings.Contains(err.Error(), "Use absolute paths") {
		t.Errorf("started %q, %v", got, err)
	}
}
