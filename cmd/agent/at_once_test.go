package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/settings"
)

// atOnce runs n processes of the program in h at the same time, and returns their exit
// codes, sorted.
func (h home) atOnce(t *testing.T, n int, args func(i int) []string) (codes []int) {
	t.Helper()
	codes = make([]int, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			cmd := h.command(args(i)...)
			if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState == nil {
				t.Errorf("%v: %s", err, out)
				return
			}
			codes[i] = cmd.ProcessState.ExitCode()
		})
	}
	all.Wait()
	slices.Sort(codes)
	return codes
}

// TestServersAddedAtOnce adds and removes MCP servers with many processes. None of them
// loses the change of another one, and only one adds a name.
func TestServersAddedAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	h.configure(t, `{"theme": "dark"}`)
	names := func() []string {
		set, err := settings.Read(h.config())
		if err != nil || set.Theme != "dark" {
			t.Fatalf("theme %q, %v", set.Theme, err)
		}
		return slices.Sorted(maps.Keys(set.MCP.Servers))
	}
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprintf("s%02d", i))
	}
	codes := h.atOnce(t, 20, func(i int) []string { return []string{"mcp", "add", want[i], "program"} })
	if diff := cmp.Diff(names(), want); diff != "" || codes[19] != 0 {
		t.Errorf("exit codes %v, servers (-got +want):\n%s", codes, diff)
	}
	codes = h.atOnce(t, 10, func(i int) []string { return []string{"mcp", "remove", want[i]} })
	if diff := cmp.Diff(names(), want[10:]); diff != "" || codes[9] != 0 {
		t.Errorf("exit codes %v, servers (-got +want):\n%s", codes, diff)
	}
	codes = h.atOnce(t, 6, func(i int) []string { return []string{"mcp", "add", "one", fmt.Sprint("program-", i)} })
	if diff := cmp.Diff(codes, []int{0, 1, 1, 1, 1, 1}); diff != "" {
		t.Errorf("exit codes of adding one name (-got +want):\n%s", diff)
	}
}

// TestHooksImportedAtOnce imports the same hooks with several processes: each is added once.
func TestHooksImportedAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"hooks.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}]}}`})
	h.atOnce(t, 5, func(int) []string { return []string{"hooks", "import", "hooks.json", "--yes"} })
	set, err := settings.Read(h.config())
	if err != nil || len(set.Hooks.At("turn_end")) != 2 {
		t.Errorf("%d hooks, %v", len(set.Hooks.At("turn_end")), err)
	}
}

// TestTrustConfirmedAtOnce confirms and revokes items of a repository with several processes.
func TestTrustConfirmedAtOnce(t *testing.T) {
	t.Parallel()
	var servers []string
	for i := range 6 {
		servers = append(servers, fmt.Sprintf(`"s%d": {"command": "program"}`, i))
	}
	h := newHome(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".mcp.json": `{"mcpServers": {` + strings.Join(servers, ",") + `}}`})
	out, _ := h.agent(t, "trust", "show", "mcp", "s0")
	_, sum, _ := strings.Cut(out, "sha256 ")
	sum, _, _ = strings.Cut(sum, "\n")
	h.atOnce(t, 6, func(i int) []string { return []string{"trust", "confirm", "mcp", fmt.Sprint("s", i), "--sha256", sum} })
	if out, _ := h.agent(t, "trust"); strings.Count(out, " confirmed") != 6 || strings.Contains(out, "not confirmed") {
		t.Errorf("not all are confirmed:\n%s", out)
	}
}

// TestScreenStateUpdatedAtOnce keeps what other processes remember.
func TestScreenStateUpdatedAtOnce(t *testing.T) {
	t.Parallel()
	file := stateFile(filepath.Join(t.TempDir(), "agent", "screen.json"))
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			file.update(func(s *screenState) { s.Recent = append(s.Recent, fmt.Sprint(i)) })
		})
	}
	all.Wait()
	if got := file.read().Recent; len(got) != 20 {
		t.Errorf("remembered are %q", got)
	}
	stateFile("").update(func(*screenState) {})
	if _, err := os.Stat(".lock"); err == nil {
		t.Error("a lock was made without a state directory")
	}
}
