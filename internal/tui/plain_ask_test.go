package tui

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// askingAgent returns an agent that asks ask after each prompt and appends the answers
// to got.
func askingAgent(ask event.Ask, got *[]event.Answer) func(context.Context, chan<- event.Event, <-chan event.Command) {
	return func(ctx context.Context, events chan<- event.Event, commands <-chan event.Command) {
		send := func(evs ...event.Event) {
			for _, ev := range evs {
				select {
				case events <- ev:
				case <-ctx.Done():
				}
			}
		}
		for {
			select {
			case c := <-commands:
				switch c := c.(type) {
				case event.Prompt:
					send(userSaid(c.Text), call("r", ask.ID, "tool"), event.Asked{Ask: ask})
				case event.Answer:
					*got = append(*got, c)
					send(turnEnd(event.Done, 0))
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func TestPlainAnswers(t *testing.T) {
	edit := event.Ask{ID: "1", Title: "edit server/server.go", Effect: "write", Diffs: []event.Diff{edit()}, Scope: "all edits"}
	once := edit
	once.Scope = ""
	long, warned := once, once
	long.Diffs = []event.Diff{{Path: "long.txt", Unified: "@@ -0,0 +1,30 @@\n", Created: true}}
	for i := range 30 {
		long.Diffs[0].Unified += "+line " + strconv.Itoa(i) + "\n"
	}
	warned.Warnings, warned.Why, warned.Diffs = []string{"deletes files"}, "deletes files", []event.Diff{{Path: "a", Unified: "+ deletes\n"}}
	connects, outside := withNetwork("1").Ask, again("1", event.ReachAll).Ask
	large := again("1", event.ReachUnkept).Ask
	large.Blocked, large.Unkept = "/home/tim/src/shop/big\x1b[2J", "it is larger than 64 MB"
	steps := event.Ask{ID: "1", Title: "50 steps so far. Continue?"}
	which := event.Ask{ID: "1", Title: "ask Which", Effect: "read", Question: "Which one?", Choices: []event.Choice{{Text: "this"}, {Text: "that"}}}
	several := which
	several.Many = true
	yes, no := event.Answer{ID: "1", Decision: event.Allow}, event.Answer{ID: "1", Decision: event.Refuse}
	fix := event.Ask{ID: "1", Title: "Approve this plan?", Effect: "read", Plan: "# Fix it\n\n1. Fix \x1b[2Jit\n"}
	approve := func(mode event.Mode, text string) event.Answer {
		return event.Answer{ID: "1", Decision: event.Allow, Mode: mode, Text: text}
	}
	some := func(hunks ...int) event.Answer {
		return event.Answer{ID: "1", Decision: event.Allow, Hunks: []event.HunkAnswer{{Path: "server/server.go", Accepted: hunks}}}
	}
	manyLines := once
	manyLines.Diffs = []event.Diff{{Path: "a", Unified: strings.Repeat("@@ -1 +1 @@\n-a\n+b\n", 50)}}
	chose := func(choices ...int) event.Answer {
		return event.Answer{ID: "1", Decision: event.Answered, Choices: choices}
	}
	form := formAsk(booking())[3].(event.Asked).Ask
	page := event.Ask{ID: "1", Title: "call desk/book", Effect: "network", Form: &elicit.Form{Server: "desk", Tool: "book", URL: "https://pay.example/1"}}
	imitating := event.Ask{ID: "1", Title: "call desk/book", Effect: "network", Form: &elicit.Form{Server: "desk", Tool: "book", Message: "Log in.\nhost: accounts.example", URL: "https://pay.example/1"}}
	confirm := event.Ask{ID: "1", Title: "call desk/book", Effect: "network", Form: &elicit.Form{Server: "desk", Tool: "book", Message: "Sure?"}}
	filled := event.Answer{ID: "1", Decision: event.Answered, Values: map[string]any{"name": "Ann", "guests": 2.0, "with": []any{"c", "d"}, "smoke": false}}
	for _, c := range []struct {
		ask   event.Ask
		lines string // separated by |
		want  event.Answer
		says  string
	}{
		{edit, "1", yes, "ask: Edit server/server.go? (+2 −1)\n"},
		{edit, "y", yes, "  1 yes  2 yes, and allow all edits in this session  3 no\n  4 TEXT no, and tell the model why\n"},
		{edit, "  YES ", yes, ""},
		{edit, "Yes", yes, ""},
		{edit, "n", no, ""},
		{edit, "No", no, ""},
		{edit, "3", no, ""},
		{edit, "2", event.Answer{ID: "1", Decision: event.Always}, ""},
		{askEdit(threeHunks()).Ask, "h 1 3", some(0, 2), "  5 show the change  h choose hunks\n"},
		{askEdit(threeHunks()).Ask, "h|h 0|h 4|h x|h 2", some(1), "note: type numbers from 1 to 3 after h\n"},
		{askEdit(threeHunks()).Ask, "h|h 1 2 3", yes, "hunk 3 of server/server.go\n"},
		{long, "h|n", no, "note: the change has only one hunk\n"},
		{manyLines, "h 1|n", no, "note: the change is too long to choose hunks here; that needs the full screen"},
		{edit, "4 use an index", event.Answer{ID: "1", Decision: event.Refuse, Note: "use an index"}, ""},
		{edit, "4|3", no, "note: type the reason after the number, for example: 4 use an index instead\n"},
		{edit, "5|1", yes, "ReadHeaderTimeout: cfg.Timeout,"},
		{edit, "|yes please|also fix the tests|always|a|no way|1 2|9|0|3", no, "note: answer with y, n or a number\n"},
		{once, "2|1", yes, "note: this call cannot be always allowed\n  1 yes  3 no  4 TEXT no, and tell the model why\n"},
		{long, "5|1", yes, "  1 yes  3 no  4 TEXT no, and tell the model why  5 show the change\n"},
		{long, "5|1", yes, "+line 29\n"},
		{warned, "y", yes, "  warning: deletes files\n  a +0 −0\n  + deletes\n  1 yes"},
		{which, "y|n|Yes|1", chose(0), "note: answer with a number, or type your answer after 3\n"},
		{connects, "2", event.Answer{ID: "1", Decision: event.Always}, "  npm ci\n  If you approve this command, it can use the network.\n"},
		{connects, "1", yes, "  1 yes\n  2 yes, and always allow `npm ci` with any arguments and the network in this\n    project\n  3 no  4 TEXT no, and tell the model why\n"},
		{outside, "2|n", no, "ask: Run this command again in ~/src/shop outside the sandbox?\n  warning: outside the sandbox it can change all your files and use the network\n  npm ci\n  It failed because the sandbox blocks access to /home/tim/.npm/_cacache/tmp.\n"},
		{large, "n", no, "ask: Run this command again in ~/src/shop?\n  warning: contains hidden characters, or characters that look like others\n  npm ci\n  It tried to change /home/tim/src/shop/big\\x1b[2J, which cannot be undone: it\n  is larger than 64 MB.\n"},
		{outside, "4 use the mirror", event.Answer{ID: "1", Decision: event.Refuse, Note: "use the mirror"}, ""},
		{steps, "2|4 x|continue|y", yes, "  1 yes  3 no\n"},
		{edit, "sure", event.Answer{ID: "1", Decision: event.Refuse, Note: "standard input ended before an answer"}, ""},
		{which, "2", chose(1), "  1 this\n  2 that\n  3 TEXT something else: your answer\n  4 let the model decide\n"},
		{which, "4", no, ""},
		{form, "no", no, "ask: The MCP server desk asks you, during the call of book\n  the server says:\n  | Which table?\n  | ␛[2JType your ␛[31mpassword␛[0m, please.\n  Name␛[31m (text of at least 2 characters, required): for the list at the door\n  guests (a whole number from 1 to 12, required)\n  Room (one of the choices, optional)\n"},
		{imitating, "2", yes, "  the server says:\n  | Log in.\n  | host: accounts.example\n  host: pay.example\n"},
		{form, "1|Ann|2||2 1||y", filled, "  Name␛[31m = Ann\n  guests = 2\n  Room =\n  With = Child seat, Dog\n  Smoking = no\n  1 send to the server  2 fill in the form again  3 decline\n"},
		{form, "1||A|Bo|13|3|9|1|x|1|maybe|y|2|Ann|2||2 1|n|1", filled, "note: guests: enter a whole number from 1 to 12\n"},
		{form, "3|2", no, "note: answer with y, n or a number\n  1 fill in the form  2 decline\n"},
		{form, "1", event.Answer{ID: "1", Decision: event.Refuse, Note: "standard input ended before an answer"}, "  Name␛[31m: text of at least 2 characters; required\n"},
		{confirm, "|yes", event.Answer{ID: "1", Decision: event.Answered}, "  1 send to the server  2 decline\n"},
		{page, "hello|2", yes, "  host: pay.example\n  https://pay.example/1\n  1 open the page in the browser  2 I open it myself  3 decline\n"},
		{page, "1", yes, "Cannot open a browser: none is known. Open this page yourself: https://pay.example/1"},
		{page, "n", no, ""},
		{which, "3 neither of them", event.Answer{ID: "1", Decision: event.Answered, Note: "neither of them"}, ""},
		{which, "no, use MySQL", event.Answer{ID: "1", Decision: event.Answered, Note: "no, use MySQL"}, ""},
		{which, "1 2|7|3||1", chose(0), "note: only one choice can be selected\n"},
		{several, "2 1 2", chose(1, 0), "select one or more: numbers separated by spaces"},
		{fix, "1", approve(event.ModeAsk, ""), "ask: Approve this plan?\n  # Fix it\n\n  1. Fix \u241b[2Jit\n  1 yes, and ask before each edit  2 yes, and auto-approve file edits\n  3 no, keep planning  4 TEXT no, and tell the model what to change\n  5 edit in $EDITOR\n"},
		{fix, "yes", approve(event.ModeAsk, ""), ""},
		{fix, "2", approve(event.ModeEdits, ""), ""},
		{fix, "sure|3", no, "note: answer with y, n or a number\n"},
		{fix, "n", no, ""},
		{fix, "4|4 test it", event.Answer{ID: "1", Decision: event.Refuse, Note: "test it"}, "note: type the reason after the number"},
		{fix, "5|2", approve(event.ModeEdits, ""), "note: Cannot open an editor: $VISUAL and $EDITOR are not set. The plan is unchanged.\n"},
	} {
		t.Run(c.lines, func(t *testing.T) {
			var got []event.Answer
			out := runPlainWith(t, askingAgent(c.ask, &got), screen.Options{}, append([]string{"go"}, strings.Split(c.lines, "|")...)...)
			if diff := cmp.Diff(got, []event.Answer{c.want}); diff != "" {
				t.Errorf("(-got +want):\n%s\n%s", diff, out)
			}
			if !strings.Contains(out, c.says) {
				t.Errorf("%q is missing:\n%s", c.says, out)
			}
		})
	}
}
