//go:build unix

package command_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"agent/internal/loop/policy/command"
)

// TestShellCases judges the commands of shell.tsv in the directory AGENT_CASES.
func TestShellCases(t *testing.T) {
	cases := os.Getenv("AGENT_CASES")
	if cases == "" {
		t.Skip("AGENT_CASES is not set")
	}
	f, err := os.Open(filepath.Join(cases, "shell.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	env := workspace(t)
	total, auto, asked, automatic, denied, wrong := 0, 0, 0, 0, 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text, rest, ok := strings.Cut(lines.Text(), "\t")
		if !ok || strings.HasPrefix(text, "# command") {
			continue
		}
		verdict, why, _ := strings.Cut(rest, "\t")
		line, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(text, `\"`, `"`), `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		total++
		c := command.Judge(line, env)
		if c.Automatic() {
			automatic++
		}
		if c.Denied() != "" {
			denied++
		}
		if c.Automatic() && (verdict == "ask" || verdict == "deny-ro") || verdict == "deny-ro" && c.Denied() == "" {
			wrong++
		}
		switch verdict {
		case "auto":
			auto++
			if !c.Automatic() {
				asked++
				t.Logf("%s needs approval: %s (%s)", text, c.Reason, why)
			}
		case "ask":
			if c.Automatic() {
				t.Errorf("%s is automatic: %s", text, why)
			}
		case "deny-ro":
			if c.Automatic() || c.Denied() == "" {
				t.Errorf("%s is automatic: %s", text, why)
			}
		case "either":
			if !c.Automatic() {
				t.Logf("%s needs approval: %s", text, c.Reason)
			}
		default:
			t.Errorf("unknown verdict %q", verdict)
		}
	}
	if asked*20 > auto || total == 0 {
		t.Errorf("%d of %d automatic commands need approval", asked, auto)
	}
	t.Attr("promise", fmt.Sprintf("commands of the cases given: automatic %d, need approval %d, denied in plan %d, automatic or allowed in plan against the table: %d", automatic, total-automatic, denied, wrong))
	t.Logf("%d commands; %d of %d automatic", total, auto-asked, auto)
}
