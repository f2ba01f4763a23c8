package tui

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/plain"
	"agent/internal/tui/screen"
)

// runPlain runs plain mode with the given lines of input and the echo agent. It returns
// the output.
func runPlain(t *testing.T, o screen.Options, lines ...string) string {
	t.Helper()
	return runPlainWith(t, echo, o, lines...)
}

// runPlainWith is runPlain with another agent.
func runPlainWith(t *testing.T, agent func(context.Context, chan<- event.Event, <-chan event.Command), o screen.Options, lines ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	events, commands, typed := make(chan event.Event), make(chan event.Command), make(chan string, len(lines))
	for _, l := range lines {
		typed <- l
	}
	close(typed)
	go agent(ctx, events, commands)
	var out bytes.Buffer
	o.Events, o.Commands, o.Output, o.Version = events, commands, &out, "0.1"
	if _, err := plain.Show(ctx, o, plain.Lines{C: typed}); err != nil || ctx.Err() != nil {
		t.Fatalf("got %v (%v) after:\n%s", err, ctx.Err(), out.String())
	}
	return out.String()
}

// echo is an agent that repeats each prompt and confirms changes of settings.
func echo(ctx context.Context, events chan<- event.Event, commands <-chan event.Command) {
	for {
		var reply []event.Event
		select {
		case c := <-commands:
			switch c := c.(type) {
			case event.Prompt:
				reply = []event.Event{userSaid(c.Text), done(llm.Assistant, "r", "You said "+c.Text+"."), turnEnd(event.Done, 0)}
			case event.SetModel:
				reply = []event.Event{&event.ModelSet{Model: c.Model}}
			case event.ListPermissions:
				reply = []event.Event{event.PermissionsNow{Ref: c.Ref, Mode: event.ModeAsk, Permissions: []event.Permission{{ID: "a", Text: "always allow `make` in ~/shop", Source: "this session", Granted: true, Removable: true}}}}
			case event.SetMode:
				reply = []event.Event{&event.ModeSet{Mode: string(c.Mode)}}
			}
		case <-ctx.Done():
			return
		}
		for _, ev := range reply {
			select {
			case events <- ev:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Commands that need the screen report that they are not available, and consume no
// further input.
func TestPlainRejectsScreenCommands(t *testing.T) {
	for _, command := range []string{"/view", "/find", "/find one", "/keys", "/keys scroll", "/edit"} {
		name, _, _ := strings.Cut(command, " ")
		got := runPlain(t, screen.Options{}, "one", command, "two")
		for _, want := range []string{"note: " + name + " is not available in plain mode.\n", "agent: You said two.\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("after %s, %q is missing:\n%s", command, want, got)
			}
		}
	}
	if got := runPlain(t, screen.Options{}, "/help"); strings.Contains(got, "/view") || !strings.Contains(got, "!!COMMAND") {
		t.Errorf("the help does not match the commands of plain mode:\n%s", got)
	}
}

// A list is printed once it is complete. A line that is not a number closes it and is
// handled as a prompt or command.
func TestPlainList(t *testing.T) {
	models := func(_ context.Context, complete bool) ([]screen.Model, error) {
		all := []screen.Model{{Name: "here/one"}, {Name: "here/two"}}
		if !complete {
			return all[:1], nil
		}
		return all, nil
	}
	got := runPlain(t, screen.Options{Models: screen.Models{List: models}}, "/model", "hello", "/model", "7", "/theme", "1", "bye")
	for _, want := range []string{"  1 here/one\n  2 here/two\n", "You said hello.", "note: there is no row 7\n", "You said bye."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}

// Messages that were not sent before the program ended are printed, so that the user
// can type them again.
func TestPlainPrintsUnsentMessages(t *testing.T) {
	got := runPlain(t, screen.Options{Session: screen.Session{Draft: draft("half a", "one", "!make")}})
	if want := "note: not sent, type these again to send them:\n  one\n  !make\n"; !strings.Contains(got, want) {
		t.Errorf("%q is missing:\n%s", want, got)
	}
}

// Changes of the model and the permission mode are printed once.
func TestPlainPrintsChanges(t *testing.T) {
	got := runPlain(t, screen.Options{Models: screen.Models{Name: "acme/small"}, Session: screen.Session{Mode: "ask"}}, "/model acme/large", "one", "/mode edits", "/mode edits", "two")
	for _, want := range []string{"note: model: acme/large\n", "note: permission mode: auto\n"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is printed %d times, want once:\n%s", want, strings.Count(got, want), got)
		}
	}
}

// If the session cannot be read, piped input is processed anyway.
func TestPlainWithUnreadableSession(t *testing.T) {
	o := screen.Options{Session: screen.Session{History: []event.Event{userSaid("before")}, Page: func(int, int) ([]event.Event, error) { return nil, nil }}}
	got := runPlainWith(t, func(ctx context.Context, events chan<- event.Event, commands <-chan event.Command) {
		events <- event.Unreadable{Why: "decode record 3"}
		echo(ctx, events, commands)
	}, o, "/rewind", "hello")
	for _, want := range []string{"error: cannot read the session: decode record 3\n", "cannot be rewound or forked", "You said hello."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}

// With the ASCII option, all output of the program is ASCII.
func TestPlainASCII(t *testing.T) {
	got := runPlain(t, screen.Options{Models: screen.Models{Name: "acme/small"}, Files: screen.Files{Dir: "~/shop", Branch: "main"}, Appearance: screen.Appearance{ASCII: true}}, "hello", "/status", "/model")
	if strings.ContainsFunc(got, func(r rune) bool { return r > 127 }) || !strings.Contains(got, "~/shop | main") {
		t.Errorf("got %q", got)
	}
}

// Resuming with another model and mode prints no change.
func TestPlainResumedWithOtherSettings(t *testing.T) {
	past := append(long(1), &event.ModelSet{Model: "acme/large"}, &event.ModeSet{Mode: "all"})
	got := runPlain(t, screen.Options{Models: screen.Models{Name: "acme/small"}, Session: screen.Session{Mode: "ask", History: past}}, "hello")
	if strings.Contains(got, "note: model:") || strings.Contains(got, "note: permission mode:") {
		t.Errorf("got %q", got)
	}
}

// TestPlainStatus prints the number of permissions below the rest of /status, and
// /permissions lists them.
func TestPlainStatus(t *testing.T) {
	got := runPlain(t, screen.Options{Models: screen.Models{Name: "acme/small", Effort: "high"}}, "/status", "/permissions", "hello")
	if !strings.Contains(got, "  effort: high\n") || strings.Count(got, "  permissions: 0 rules, 1 standing permission (/permissions)\n") != 1 || strings.Count(got, "  1: always allow `make` in ~/shop (this session)\n") != 1 {
		t.Errorf("got %q", got)
	}
}

// The host of the model is printed at the start, and its base URL in /status.
func TestPlainPrintsTheHost(t *testing.T) {
	got := runPlain(t, screen.Options{Models: screen.Models{Name: "acme/small", Host: "gpu.lan:8000", BaseURL: "http://gpu.lan:8000/v1"}}, "hello", "/status")
	for _, want := range []string{"Model: acme/small at gpu.lan:8000.", "http://gpu.lan:8000/v1"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}

// An address in an answer is printed with the host that it leads to, if it can be
// misread.
func TestPlainShowsTheHostsOfAddresses(t *testing.T) {
	got := runPlain(t, screen.Options{}, "[docs](https://github.com@evil.example/x) and https://go.dev/doc")
	if want := "[docs](https://github.com@evil.example/x [host: evil.example]) and https://go.dev/doc.\n"; !strings.Contains(got, want) {
		t.Errorf("%q is missing:\n%s", want, got)
	}
}
