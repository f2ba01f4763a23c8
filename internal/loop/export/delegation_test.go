package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/loop/export"
)

// stored returns a golden session without its header.
func stored(t *testing.T, name string) export.Session {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../testdata/sessions", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, text)
	return export.Session{Header: m.Header, Events: m.Events}
}

// An export has the task, the answer, the usage and the session of each delegate, and
// each plan with the decision of the user.
func TestExportDelegatesAndPlans(t *testing.T) {
	for _, c := range []struct {
		name, format string
		want         []string
		not          []string
	}{
		{"delegates", "html", []string{
			"<p class=\"label\">explore 1 · done · 3 steps · 6.0 s · 9k tokens in, 120 out · $0.0040 · anthropic/claude-haiku-4-5 · session 1nkz3m1expl1</p>",
			"<summary>Task</summary>", "<li>It reads the file.</li>", "general 2 · stopped after too many steps: the delegate reached its limit of 20 steps",
		}, []string{"delegate_", "Transcript:", "[explore 1"}},
		{"delegates-background", "html", []string{
			`<code class="title">explore 1</code>`, `<code class="title">review 2</code>`, `<code class="title">general 3</code> <span class="amounts">no end recorded`,
		}, []string{"delegate_"}},
		{"delegates-plan", "html", []string{
			"<summary>Plan rejected: “use the configuration, not a flag”</summary>",
			`<details class="output" open><summary>Plan approved after an edit by the user, permission mode auto</summary>`, "<li>use it in the server</li>",
		}, []string{"Approved by the user", "Rejected by the user", "pending: "}},
		{"delegates-plan", "md", []string{"**Plan approved after an edit by the user, permission mode auto**", "> 2. use it in the server"}, []string{"Approved by the user", "- [ ]"}},
	} {
		got := write(t, c.format, stored(t, c.name))
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s.%s does not have %q:\n%s", c.name, c.format, want, got[strings.Index(got, "<body>")+1:])
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("%s.%s has %q", c.name, c.format, not)
			}
		}
	}
}

// An import of the JSON export of a session with delegates and plans has the same events.
func TestImportDelegatesAndPlans(t *testing.T) {
	for _, name := range []string{"delegates", "delegates-background", "delegates-killed", "delegates-plan"} {
		s := stored(t, name)
		again := load(t, []byte(write(t, "json", s)))
		if d := cmp.Diff(again.Events, s.Events); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		kinds := map[string]int{}
		for _, e := range again.Events {
			kinds[event.NameOf(e)]++
		}
		if kinds["delegate_start"] == 0 {
			t.Errorf("%s: got %v", name, kinds)
		}
		accepted(t, fold(t, again.Events))
	}
}
