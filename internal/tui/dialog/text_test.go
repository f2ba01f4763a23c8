package dialog

import (
	"strings"
	"testing"

	"agent/internal/loop/event"
)

func TestQuestionTexts(t *testing.T) {
	short := func(dir string) string { return strings.Replace(dir, "/home/ada", "~", 1) }
	command := func(title, value, dir string) event.Ask {
		return event.Ask{Title: title, Effect: "execute", Targets: []event.Target{{Kind: "command", Value: value, Dir: dir}}}
	}
	edit := event.Diff{Path: "server/server.go"}
	for want, ask := range map[string]event.Ask{
		"Run this command in ~/src/shop?": command("shell make", "make", "/home/ada/src/shop"),
		"Run this command in /tmp?":       command("shell "+strings.Repeat("x ", 40)+"…", strings.Repeat("x ", 100), "/tmp"),
		"Run this command?":               command("shell make", "make", ""),
		"Start job in ~?":                 command("start job make (+1 line)", "make\nx", "/home/ada"),
		"Send to job 1?":                  command("send to job 1: y", "job 1 < y", ""),
		"Send a request to example.org?":  {Title: "fetch https://example.org/x", Effect: "network", Targets: []event.Target{{Kind: "host", Value: "example.org"}}},
		"Edit server/server.go?":          {Title: "edit server/server.go", Effect: "write", Diffs: []event.Diff{edit}},
		"Create a.go?":                    {Title: "write a.go", Effect: "write", Diffs: []event.Diff{{Path: "a.go", Created: true}}},
		"Delete a.go?":                    {Title: "patch a.go", Effect: "write", Diffs: []event.Diff{{Path: "a.go", Deleted: true}}},
		"Edit b.go?":                      {Title: "write b.go", Effect: "write", Diffs: []event.Diff{{Path: "b.go"}}},
		"Patch a.go, b.go?":               {Title: "patch a.go, b.go", Effect: "write", Diffs: []event.Diff{edit, edit}},
		"50 steps so far. Continue?":      {ID: event.StepsAsk, Title: "50 steps so far. Continue?"},
		"Which one?":                      {Title: "ask Which…", Effect: "read", Question: "Which one?"},
	} {
		if got := QuestionText(ask, short); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
