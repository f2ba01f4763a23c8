package export_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
)

// script generates the events of a session, a few seconds apart.
type script struct {
	now    time.Time
	events []event.Durable
	reply  string
}

func newScript() *script {
	return &script{now: time.Date(2026, 11, 3, 9, 14, 0, 0, time.UTC)}
}

func (s *script) meta() event.Meta {
	s.now = s.now.Add(3 * time.Second)
	return event.Meta{Time: s.now}
}

func (s *script) add(e event.Durable) { s.events = append(s.events, e) }

func (s *script) user(text string, images ...llm.Image) {
	s.add(&event.UserSaid{Meta: s.meta(), Text: text, Images: images})
}

func (s *script) say(kind llm.Kind, text string) {
	s.add(&event.MessageDone{Meta: s.meta(), Message: llm.Message{Kind: kind, Reply: s.reply, Text: text}})
}

// call adds a call with its result.
func (s *script) call(id, name, input string, end event.ToolEnd) {
	s.add(&event.MessageDone{Meta: s.meta(), Message: llm.Message{
		Kind: llm.ToolCall, Reply: s.reply, ID: id, Name: name, Input: json.RawMessage(input)}})
	s.add(&event.ToolStart{Meta: s.meta(), ID: id, Title: end.Title, Effect: "read"})
	end.Meta = s.meta()
	end.Result.Kind, end.Result.ID, end.Result.Reply = llm.ToolResult, id, s.reply
	end.Result.IsError = end.Outcome != event.OK
	s.add(&end)
}

func (s *script) end(reason event.Reason, fault, hint string, cost float64) {
	usage := llm.Usage{Input: 18240, Cached: 12000, Output: 812}
	s.add(&event.StepEnd{Meta: s.meta(), Reply: s.reply, Model: "anthropic/claude-sonnet-5", Finish: llm.Stop, Usage: usage})
	s.add(&event.TurnEnd{Meta: s.meta(), Reason: reason, Error: fault, Hint: hint, Steps: 3, Usage: usage, Cost: &cost, Duration: 41 * time.Second})
}

func (s *script) session() export.Session {
	return export.Session{
		Header: history.Header{Format: 1, ID: "1e9xq2mzk4pd", Dir: "/home/ada/src/weather", Version: "0.4.0", Time: time.Date(2026, 11, 3, 9, 14, 0, 0, time.UTC)},
		Title:  "Why the forecast is a day late",
		Events: s.events,
	}
}

// weather returns a session with events of every type.
func weather(t testing.TB) export.Session {
	s := newScript()
	s.add(&event.ModelSet{Meta: s.meta(), Model: "anthropic/claude-sonnet-5", Why: "it is the default of the configuration"})
	s.reply = "r_1"
	s.user("The forecast page shows tomorrow's weather as today's, but only after 22:00.\n\nFind out why. Don't change anything yet.", picture(t))
	s.say(llm.Thinking, "Only after 22:00, so it is **probably** a time zone: a date is cut from a UTC time.\n\n1. find where the day is computed\n2. look for `Truncate`")
	s.say(llm.Assistant, "That smells of a time zone. I look at where the day is computed.")
	s.call("c1", "grep", `{"pattern":"Truncate\\(24"}`, event.ToolEnd{Title: "grep Truncate\\(24", Outcome: event.OK, Summary: "2 matches", Duration: 42 * time.Millisecond,
		Result: llm.Message{Text: "internal/forecast/day.go:18:\treturn t.Truncate(24 * time.Hour)\ninternal/forecast/day_test.go:31:\twant := now.Truncate(24 * time.Hour)"}})
	s.call("c2", "read", `{"path":"internal/forecast/day.go"}`, event.ToolEnd{Title: "read internal/forecast/day.go", Outcome: event.OK, Summary: "34 lines", Duration: 3 * time.Millisecond,
		Result: llm.Message{Text: "1\tpackage forecast\n2\t\n3\timport \"time\"\n4\t\n5\t// Day is a day of the forecast.\n6\ttype Day struct {\n7\t\tDate time.Time\n8\t\tHigh, Low float64\n9\t}\n10\t\n11\t// dayOf returns the day that t belongs to.\n12\tfunc dayOf(t time.Time) time.Time {\n13\t\treturn t.Truncate(24 * time.Hour)\n14\t}\n"}})
	s.reply = "r_2"
	s.say(llm.Assistant, `## The cause

`+"`Truncate`"+` works on the *absolute* time since year 1, so it cuts at **midnight UTC**, whatever the zone of `+"`t`"+`:

`+"```go"+`
// dayOf returns the day that t belongs to.
func dayOf(t time.Time) time.Time {
	return t.Truncate(24 * time.Hour) // midnight UTC, not local
}
`+"```"+`

| Local time | UTC | `+"`dayOf`"+` | Right |
|---|---|---|---|
| 21:59 | 19:59 | 3 Nov | 3 Nov |
| 22:30 | 20:30 | 3 Nov | 3 Nov |
| 00:10 | 22:10 | **3 Nov** | 4 Nov |

What to do:

- [ ] build the day with `+"`time.Date`"+` in the station's own zone
- [ ] a test *with* a zone, since the one there runs in UTC

> The documentation says so: “Truncate operates on the time as an absolute duration since the zero time.”

See [package time](https://pkg.go.dev/time#Time.Truncate).`)
	s.end(event.Done, "", "", 0.0712)

	s.reply = "r_3"
	s.user("fix it")
	s.add(&event.MessageDone{Meta: s.meta(), Message: llm.Message{Kind: llm.ToolCall, Reply: "r_3", ID: "c0", Name: "todo", Input: json.RawMessage(`{"items":[]}`)}})
	s.add(&event.TodoSet{Meta: s.meta(), ID: "c0", Items: []event.TodoItem{
		{Text: "find the cause", State: event.TodoDone}, {Text: "build the day in the station's zone", State: event.TodoActive}, {Text: "a test with a zone", State: event.TodoPending}}})
	s.add(&event.ToolEnd{Meta: s.meta(), Title: "plan of 3 items", Outcome: event.OK, Summary: "1 done", Result: llm.Message{Kind: llm.ToolResult, ID: "c0", Reply: "r_3", Text: "kept"}})
	s.call("c3", "edit", `{"path":"internal/forecast/day.go"}`, event.ToolEnd{Title: "edit internal/forecast/day.go", Effect: "write", Outcome: event.OK, Duration: 8 * time.Millisecond,
		Result: llm.Message{Text: "edited internal/forecast/day.go"},
		Diffs:  []event.Diff{{Path: "internal/forecast/day.go", Added: 3, Removed: 2, Unified: "@@ -8,7 +8,8 @@\n \tHigh, Low float64\n }\n \n-// dayOf returns the day that t belongs to.\n+// dayOf returns the day that t belongs to in its own zone.\n func dayOf(t time.Time) time.Time {\n-\treturn t.Truncate(24 * time.Hour)\n+\ty, m, d := t.Date()\n+\treturn time.Date(y, m, d, 0, 0, 0, 0, t.Location())\n }\n"}}})
	s.add(&event.UserSaid{Meta: s.meta(), Text: "and keep the old test", Steered: true})
	s.add(&event.MessageDone{Meta: s.meta(), Message: llm.Message{Kind: llm.ToolCall, Reply: "r_3", ID: "c4", Name: "bash", Input: json.RawMessage(`{"command":"go test ./..."}`)}})
	s.add(&event.Decided{Meta: s.meta(), ID: "c4", Decision: event.Always, Scope: "commands that begin with go test"})
	s.add(&event.ToolStart{Meta: s.meta(), ID: "c4", Title: "go test ./...", Effect: "execute"})
	s.add(&event.Decided{Meta: s.meta(), ID: "c4", Decision: event.Refuse, Note: "the tests need no network", Rerun: event.ReachNetwork})
	s.add(&event.ToolEnd{Meta: s.meta(), Title: "go test ./...", Effect: "execute", Outcome: event.Failed, Summary: "exit 1", Duration: 4100 * time.Millisecond,
		Result: llm.Message{Kind: llm.ToolResult, ID: "c4", Reply: "r_3", IsError: true, Text: "\x1b[31m--- FAIL: TestDayOf (0.00s)\x1b[0m\n    day_test.go:31: got 2026-11-03 00:00:00 +0100 CET, want 2026-11-03 01:00:00 +0100 CET\nFAIL\nFAIL\texample.org/weather/internal/forecast\t0.004s\n"}})
	s.add(&event.MessageDone{Meta: s.meta(), Message: llm.Message{Kind: llm.ToolCall, Reply: "r_3", ID: "c5", Name: "bash", Input: json.RawMessage(`{"command":"git push --force"}`)}})
	s.add(&event.Decided{Meta: s.meta(), ID: "c5", Decision: event.Refuse, Note: "never push from here"})
	s.add(&event.ToolEnd{Meta: s.meta(), Title: "git push --force", Effect: "execute", Outcome: event.Refused,
		Result: llm.Message{Kind: llm.ToolResult, ID: "c5", Reply: "r_3", IsError: true, Text: "rejected by the user: never push from here"}})
	s.call("c6", "write", `{"path":"CHANGELOG.md"}`, event.ToolEnd{Title: "write CHANGELOG.md", Effect: "write", Outcome: event.OK, Duration: 2 * time.Millisecond,
		Diffs: []event.Diff{{Path: "CHANGELOG.md", Created: true, Added: 2, Unified: "@@ -0,0 +1,2 @@\n+# Changes\n+- the forecast changes at local midnight\n"}}})
	s.say(llm.Assistant, "Fixed. The old test expects UTC and fails now; `TestDayOf` should build its")
	s.end(event.UserInterrupt, "", "", 0.0321)
	failed := 1
	s.events[len(s.events)-1].(*event.TurnEnd).Evidence = &event.Evidence{Edited: 1, Files: []string{"internal/forecast/day.go"}, Checks: []event.CheckRun{
		{Kind: event.CheckTest, Command: "go test ./internal/forecast", Outcome: event.CheckFailed, Code: &failed, Report: "FAIL <b>agent</b>", Began: s.now, EditedSince: 1}}}

	s.reply = "r_4"
	s.user("next: make the old test use a fixed zone, run everything again and tell me in one paragraph what changed for people who only read the page, because I have to write them a note")
	s.add(&event.Partial{Meta: s.meta(), Reply: "r_4", Kind: llm.Assistant, Text: "For people who only read the page: "})
	s.add(&event.Partial{Meta: s.meta(), Reply: "r_4", Kind: llm.Assistant, Text: "the day now changes at *their* midnight"})
	s.add(&event.MessageDone{Meta: s.meta(), Message: llm.Message{Kind: llm.ToolCall, Reply: "r_4", ID: "c7", Name: "bash", Input: json.RawMessage(`{"command":"go test ./... -run Day"}`)}})
	s.add(&event.TurnEnd{Meta: s.meta(), Reason: event.ProviderError, Error: "anthropic: the quota is used up", Hint: "it can be tried again at 11:00", Steps: 1, Duration: 75 * time.Second})
	return s.session()
}

// picture is a small encoded image.
func picture(t testing.TB) llm.Image {
	data, err := base64.StdEncoding.DecodeString("" +
		"iVBORw0KGgoAAAANSUhEUgAAAPAAAAA8CAIAAADXHaAKAAAAw0lEQVR4nOzSAQnAMBAEwS+86EqMrBAbywzHKdid/3wzZo3tO6gQ" +
		"NCmCJkXQpAiaFEGTImhSBE2KoEkRNCmCJkXQpAiaFEGTImhSBE2KoEkRNCmCJkXQpAiaFEGTImhSBE2KoEkRNCmCJkXQpAiaFEGT" +
		"ImhSBE2KoEkRNCmCJkXQpAiaFEGTImhSBE2KoEkRNCmCJkXQpAiaFEGTImhSBE2KoEkRNCmCJkXQpAiaFEGTImhSBE2KoEkRNCmC" +
		"JuUGAAD//28JA1s2LSZcAAAAAElFTkSuQmCC")
	if err != nil {
		t.Fatal(err)
	}
	return llm.Image{MediaType: "image/png", Data: data}
}
