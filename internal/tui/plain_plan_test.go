package tui

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// In plain mode a plan is edited in the user's editor. A plan without steps cannot be
// approved, and a rejected one is printed, so that what was typed is not lost.
func TestPlainEditPlan(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor of the test is a shell command")
	}
	t.Setenv("TMPDIR", t.TempDir())
	ask := event.Ask{ID: "1", Title: "Approve this plan?", Effect: "read", Plan: "# Fix it\n\n1. Fix it\n"}
	for _, c := range []struct {
		name, script, lines string
		want                event.Answer
		says                []string
	}{
		{"edited", `echo "2. Test \"$(wc -l < "$0")\" lines" >> "$0"`, "5|1", event.Answer{ID: "1", Decision: event.Allow, Mode: event.ModeAsk, Text: "# Fix it\n\n1. Fix it\n2. Test \"3\" lines"},
			[]string{"note: The plan is open in your editor. Close the editor to continue.\n  # Fix it\n\n  1. Fix it\n  2. Test \"3\" lines\n  1 yes, and ask"}},
		{"unchanged", `true`, "5|2", event.Answer{ID: "1", Decision: event.Allow, Mode: event.ModeAuto}, nil},
		{"twice", `echo "- more" >> "$0"`, "5|5|2", event.Answer{ID: "1", Decision: event.Allow, Mode: event.ModeAuto, Text: "# Fix it\n\n1. Fix it\n- more\n- more"}, nil},
		{"no steps", `echo "Do it." > "$0"`, "5|1|y|3", event.Answer{ID: "1", Decision: event.Refuse},
			[]string{"  Do it.\n  warning: The plan has no steps. Write each step as a list item: 1. Add a test\n  1 yes", "note: the plan has no steps.", "note: not sent, type it again to send it: Do it.\n"}},
		{"failed", `echo "- lost" > "$0"; exit 3`, "5|1", event.Answer{ID: "1", Decision: event.Allow, Mode: event.ModeAsk},
			[]string{"note: The editor failed: exit status 3. The plan is unchanged.\n  # Fix it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []event.Answer
			o := screen.Options{Files: screen.Files{Editor: func(path string) *exec.Cmd { return exec.Command("sh", "-c", c.script, path) }}}
			out := runPlainWith(t, askingAgent(ask, &got), o, append([]string{"go"}, strings.Split(c.lines, "|")...)...)
			if diff := cmp.Diff(got, []event.Answer{c.want}); diff != "" {
				t.Errorf("(-got +want):\n%s\n%s", diff, out)
			}
			for _, says := range c.says {
				if !strings.Contains(out, says) {
					t.Errorf("%q is missing:\n%s", says, out)
				}
			}
		})
	}
}

// A decision on a plan is printed in one line, with the text if the user has not seen
// it yet. /plan prints the approved plan.
func TestPlainPlanSet(t *testing.T) {
	set := func(id string, state event.PlanState, edited bool) *event.PlanSet {
		return &event.PlanSet{ID: id, State: state, Edited: edited, Mode: "edits", Text: "# Fix " + id + "\n\n1. Fix\x1b[2J it", Plan: event.Plan{Title: "Fix " + id}}
	}
	history := []event.Event{userSaid("go"), set("a", event.PlanPresented, false), set("b", event.PlanRejected, false),
		set("c", event.PlanApproved, true), set("d", event.PlanApproved, false), turnEnd(event.Done, 0)}
	out := runPlain(t, screen.Options{Session: screen.Session{History: history}}, "/plan")
	for _, want := range []string{
		"plan: presented: Fix a\n  # Fix a\n\n  1. Fix\u241b[2J it\n", "plan: rejected: Fix b\nplan: approved · auto · edited: Fix c\n  # Fix c\n",
		"plan: approved · auto: Fix d\nplan: approved · auto: Fix d\n  # Fix d\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	if out := runPlain(t, screen.Options{}, "/plan"); !strings.Contains(out, "note: No plan is approved in this session.") {
		t.Errorf("got:\n%s", out)
	}
}
