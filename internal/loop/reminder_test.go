package loop_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/evidence"
	"agent/internal/tools"
)

// TestReminder plays turns that change files, and counts the reminders to test them.
func TestReminder(t *testing.T) {
	change := script.Call("c1", "change", args("a"))
	run := script.Call("c2", "run", args("make test"))
	again := script.Call("c3", "change", args("b"))
	checked := tools.New("checked", "changes and checks", func(_ context.Context, a textArgs) (tools.Call, error) {
		c, err := echo("change", tools.Write).Prepare(context.Background(), []byte(args(a.Text)))
		inner := c.Run
		c.Run = func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
			r, err := inner(ctx, ok)
			r.Checked = []tools.Checked{{Command: "make check"}}
			return r, err
		}
		return c, err
	})
	for name, c := range map[string]struct {
		replies  []script.Reply
		how      string
		mode     event.Mode
		unknown  bool // no way to test is known
		alone    bool
		reminded bool
	}{
		"changed, nothing run":             {replies: []script.Reply{change}, reminded: true},
		"changed, then run":                {replies: []script.Reply{change, run}},
		"run, then changed":                {replies: []script.Reply{run, change}, reminded: true},
		"run between two changes":          {replies: []script.Reply{change, run, again}, reminded: true},
		"changed and checked":              {replies: []script.Reply{script.Call("c1", "checked", args("a"))}},
		"nothing changed":                  {replies: []script.Reply{script.Call("c1", "look", args("a"))}},
		"no test known":                    {replies: []script.Reply{change}, unknown: true},
		"nobody can approve a command":     {replies: []script.Reply{change}, alone: true, mode: event.ModeEdits},
		"nobody, but commands are allowed": {replies: []script.Reply{change}, alone: true, mode: event.ModeAll, reminded: true},
	} {
		t.Run(name, func(t *testing.T) {
			replies := append(c.replies, script.Say("done"), script.Say("it is not checked"), script.Say("next"), script.Say("never"))
			o := options(script.New(replies...), echo("look", tools.Read), echo("change", tools.Write), echo("run", tools.Execute), checked)
			o.Attended, o.Mode = !c.alone, event.ModeAll
			if c.mode != "" {
				o.Mode = c.mode
			}
			seen := evidence.New("/w", tools.NewJobs(), time.Now)
			o.Evidence, o.Interceptors = seen, tools.Intercept(seen)
			o.HowToTest = func(commands bool) string {
				if c.unknown || !commands {
					return ""
				}
				return "run `make test`"
			}
			got := trace(play(t, o, []string{"go", "and now?"}, nil))
			const note = "auto \"You changed files and have run nothing since. Check the changes: run `make test`. If you cannot, end your answer with what is not checked.\"\n"
			want := 0
			if c.reminded {
				want = 1
			}
			if n := strings.Count(got, note); n != want {
				t.Errorf("%d reminders, want %d:\n%s", n, want, got)
			}
		})
	}
}
