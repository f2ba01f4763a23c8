package export_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/loop/export"
	"agent/internal/loop/session"
)

// A command of the user is exported with its output, and stays part of the conversation
// when the session is imported.
func TestExportTypedCommands(t *testing.T) {
	s := newScript()
	s.user("first")
	s.add(&event.ShellStart{Meta: s.meta(), ID: "a", Line: "make <b>test</b>", Join: true})
	s.add(&event.ShellEnd{Meta: s.meta(), ID: "a", Line: "make <b>test</b>", Join: true, Outcome: event.Failed, Summary: "exit 2", Text: "no rule\n[exit 2]\n"})
	s.add(&event.TurnEnd{Meta: s.meta(), Reason: event.Done})
	s.add(&event.ShellOutputSent{Meta: s.meta(), ID: "a"})
	s.user("second")
	doc := export.Session{Events: s.events}
	for name, c := range map[string]struct {
		write func(io.Writer, export.Session) error
		want  []string
		not   []string
	}{
		"md":   {export.Markdown, []string{"You ran: make <b>test</b>", "no rule", "exit 2"}, []string{"shell_"}},
		"html": {export.HTML, []string{"You ran: make &lt;b&gt;test&lt;/b&gt;", "no rule", "exit 2"}, []string{"shell_", "<b>test"}},
	} {
		var b bytes.Buffer
		if err := c.write(&b, doc); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s does not have %q:\n%s", name, want, b.String())
			}
		}
		for _, not := range c.not {
			if strings.Contains(b.String(), not) {
				t.Errorf("%s has %q", name, not)
			}
		}
	}
	var b bytes.Buffer
	if err := export.JSON(&b, doc); err != nil {
		t.Fatal(err)
	}
	state, err := session.ReplayRecords(records(t, load(t, b.Bytes()).Events))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range state.Messages {
		said = append(said, m.Text)
	}
	want := []string{"first", "[The user ran this command:]\n$ make <b>test</b>\nno rule\n[exit 2]", "second"}
	if d := cmp.Diff(said, want); d != "" {
		t.Error(d)
	}
}
