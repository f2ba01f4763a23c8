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
		"Run this command of the tool lookup_order in /tmp with the network?": {
			Title: `lookup_order {"number":7}`, Effect: event.NetworkEffect,
			Targets: []event.Target{{Kind: event.CommandTarget, Value: "lookup-order\n# standard input: {\"number\":7}", Dir: "/tmp"}},
		},
		"Start job in ~?":                command("start job make (+1 line)", "make\nx", "/home/ada"),
		"Send to job 1?":                 command("send to job 1: y", "job 1 < y", ""),
		"Send a request to example.org?": {Title: "fetch https://example.org/x", Effect: "network", Targets: []event.Target{{Kind: "host", Value: "example.org"}}},
		"Edit server/server.go?":         {Title: "edit server/server.go", Effect: "write", Diffs: []event.Diff{edit}},
		"Create a.go?":                   {Title: "write a.go", Effect: "write", Diffs: []event.Diff{{Path: "a.go", Created: true}}},
		"Delete a.go?":                   {Title: "patch a.go", Effect: "write", Diffs: []event.Diff{{Path: "a.go", Deleted: true}}},
		"Edit b.go?":                     {Title: "write b.go", Effect: "write", Diffs: []event.Diff{{Path: "b.go"}}},
		"Patch a.go, b.go?":              {Title: "patch a.go, b.go", Effect: "write", Diffs: []event.Diff{edit, edit}},
		"50 steps so far. Continue?":     {ID: event.StepsAsk, Title: "50 steps so far. Continue?"},
		"Which one?":                     {Title: "ask Which…", Effect: "read", Question: "Which one?"},
	} {
		if got := QuestionText(ask, short); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The question says exactly what the sandbox permits: a directory stands for its files.
func TestReachOfWrites(t *testing.T) {
	for want, ask := range map[string]event.Ask{
		"If you approve this command, it can change /srv/log.":                                                                                                                                                    {Writes: []string{"/srv/log"}},
		"If you approve this command, it can create, change and delete files in /opt/a.":                                                                                                                          {Writes: []string{"/opt/a/"}},
		"If you approve this command, it can change /l and create, change and delete files in /a, /b.":                                                                                                            {Writes: []string{"/l", "/a/", "/b/"}},
		"If you approve this command, it can change /l and use the network.":                                                                                                                                      {Writes: []string{"/l"}, Reach: event.ReachNetwork},
		"It failed because it has no network in the sandbox. With the network, it can connect to any server. The changes of the first run stay: a, b\\u202e.":                                                     {Rerun: true, Stay: "a, b\u202e"},
		"It failed because it has no network in the sandbox. With the network, it can connect to any server. Before it runs again, the changes of the first run are undone: a, b and 2 more.":                     {Rerun: true, Undoes: "a, b and 2 more"},
		"It failed because it has no network in the sandbox. With the network, it can connect to any server. The changes of the first run stay: a. They cannot be undone: a was also changed by another command.": {Rerun: true, Stay: "a", StayWhy: "a was also changed by another command"},
		"It failed because it has no network in the sandbox: it tried to connect to 192.0.2.7:443. With the network, it can connect to any server.":                                                               {Rerun: true, Reach: event.ReachNetwork, Address: "192.0.2.7:443"},
		"It failed because the sandbox blocks access to /home/ada/.ssh/config.":                                                                                                                                   {Rerun: true, Reach: event.ReachAll, Blocked: "/home/ada/.ssh/config"},
	} {
		if got := ReasonText(ask); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	repeated := event.Ask{Why: "`rm` deletes files", Warnings: []string{"`rm` deletes files; x may hold secrets"}}
	if got := ReasonOf(repeated); got != "" {
		t.Errorf("the reason repeats the warning: %q", got)
	}
}
