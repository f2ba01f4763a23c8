package export_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// An import of a log has no rewound events and no grants, but keeps the title.
func TestImportSkipsRewoundEvents(t *testing.T) {
	s := newScript()
	s.reply = "r1"
	s.add(&event.ModelSet{Meta: s.meta(), Model: "a/b"})
	s.user("first")
	s.say(llm.Assistant, "one")
	s.add(&event.TurnEnd{Meta: s.meta(), Reason: event.Done})
	s.user("second")
	s.add(&event.Renamed{Meta: s.meta(), Title: "the title"})
	s.add(&event.Partial{Meta: s.meta(), Reply: "r2", Kind: llm.Assistant, Text: "two"})
	s.add(&event.Rewound{Meta: s.meta(), Keep: 4})
	s.user("third")
	s.call("c1", "shell", `{"command":"make"}`, event.ToolEnd{Title: "shell make", Outcome: event.OK})
	s.add(&event.Decided{Meta: s.meta(), ID: "c1", Decision: event.Always, Scope: "all", Grant: &event.Grant{}})

	var log bytes.Buffer
	for _, e := range s.events {
		line, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		log.Write(append(line, '\n'))
	}
	m := load(t, log.Bytes())
	var said []string
	for _, e := range m.Events {
		switch e := e.(type) {
		case *event.UserSaid:
			said = append(said, e.Text)
		case *event.Decided:
			if e.Decision == event.Always || e.Grant != nil {
				t.Errorf("an import grants %+v", e)
			}
		}
	}
	if d := cmp.Diff(said, []string{"first", "third"}); d != "" {
		t.Error(d)
	}
	state, err := session.ReplayRecords(records(t, m.Events))
	if err != nil || state.Title != "the title" {
		t.Errorf("got the title %q, %v", state.Title, err)
	}
}
