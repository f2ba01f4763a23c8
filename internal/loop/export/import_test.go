package export_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
	"agent/internal/loop/export/importer"
	"agent/internal/loop/session"
)

func load(t testing.TB, file []byte) importer.Imported {
	t.Helper()
	got, err := importer.Import(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// summary formats an import as lines.
func summary(t testing.TB, m importer.Imported) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\ntitle %q\ndir %q\nversion %q\ntime %v\n", m.Kind, m.Title, m.Header.Dir, m.Header.Version, m.Header.Time)
	for _, n := range m.Notes {
		fmt.Fprintln(&b, "note", n)
	}
	for _, e := range m.Events {
		line, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", line)
	}
	return b.String()
}

// fold resumes a log with the given events.
func fold(t testing.TB, events []event.Durable) []llm.Message {
	t.Helper()
	state, err := session.ReplayRecords(records(t, events))
	if err != nil {
		t.Fatal(err)
	}
	return state.Messages
}

func records(t testing.TB, events []event.Durable) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		for i, e := range events {
			body, err := event.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(history.Record{Seq: i + 1, Body: body}, nil) {
				return
			}
		}
	}
}

// accepted checks that both dialects accept a conversation: one result for each call,
// right after it, and no other results.
func accepted(t testing.TB, msgs []llm.Message) {
	t.Helper()
	var open, done []string
	for _, m := range msgs {
		switch m.Kind {
		case llm.ToolCall:
			if slices.Contains(open, m.ID) || slices.Contains(done, m.ID) || m.ID == "" {
				t.Errorf("call %q stands twice, or has no ID", m.ID)
			}
			if !strings.HasPrefix(string(m.Input), "{") || !json.Valid(m.Input) {
				t.Errorf("call %s has arguments that are no object: %s", m.ID, m.Input)
			}
			open = append(open, m.ID)
		case llm.ToolResult:
			if !slices.Contains(open, m.ID) {
				t.Errorf("result %s has no call before it, or is its second", m.ID)
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ID })
			done = append(done, m.ID)
		case llm.User:
			if len(open) > 0 {
				t.Errorf("calls %v are open before a message of the user", open)
			}
		case llm.Assistant, llm.Thinking:
		default:
			t.Errorf("a message of the kind %q", m.Kind)
		}
	}
	if len(open) > 0 {
		t.Errorf("%v have no result", open)
	}
	onTheWire(t, msgs)
}

// onTheWire checks the order of the messages that Anthropic and OpenAI would get.
func onTheWire(t testing.TB, msgs []llm.Message) {
	t.Helper()
	req := llm.Request{Model: "claude-sonnet-4-5", Messages: msgs}
	body, err := anthropic.NewRequest(req)
	if err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Messages []struct {
			Role    string
			Content []struct {
				Type      string
				ID        string
				ToolUseID string `json:"tool_use_id"`
			}
		}
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	var calls []string
	for i, m := range sent.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			t.Errorf("anthropic: message %d is the %s's, want the %s's", i, m.Role, want)
		}
		var results []string
		for _, c := range m.Content {
			if c.Type == "tool_result" {
				results = append(results, c.ToolUseID)
			}
		}
		if diff := cmp.Diff(results, calls); diff != "" {
			t.Errorf("anthropic: results in message %d (-got +want):\n%s", i, diff)
		}
		calls = nil
		for _, c := range m.Content {
			if c.Type == "tool_use" {
				calls = append(calls, c.ID)
			}
		}
	}
	if len(calls) > 0 {
		t.Errorf("anthropic: %v have no results", calls)
	}
	for _, raw := range openai.WireMessages(req) {
		var m struct {
			Role      string
			CallID    string                `json:"tool_call_id"`
			ToolCalls []struct{ ID string } `json:"tool_calls"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		if m.Role == "tool" {
			if len(calls) == 0 || calls[0] != m.CallID {
				t.Fatalf("openai: the result of %s where %v are open", m.CallID, calls)
			}
			calls = calls[1:]
			continue
		}
		if len(calls) > 0 {
			t.Errorf("openai: %v have no result", calls)
		}
		calls = nil
		for _, c := range m.ToolCalls {
			calls = append(calls, c.ID)
		}
	}
}

func TestExportImportRoundTrip(t *testing.T) {
	first := write(t, "json", weather(t))
	m := load(t, []byte(first))
	if diff := cmp.Diff(m.Notes, []string(nil)); diff != "" {
		t.Errorf("notes (-got +want):\n%s", diff)
	}
	again := write(t, "json", export.Session{Header: m.Header, Title: m.Title, Events: m.Verbatim})
	if again != first {
		t.Errorf("(-again +first):\n%s", cmp.Diff(again, first))
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(first), "", "\t"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(summary(t, load(t, indented.Bytes())), summary(t, m)); diff != "" {
		t.Errorf("an export of the import (-got +want):\n%s", diff)
	}
	accepted(t, fold(t, m.Events))
}

func TestALogCanBeImported(t *testing.T) {
	store := history.Open(t.TempDir())
	header := weather(t).Header
	log := store.Create(header)
	for _, e := range weather(t).Events {
		body, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Append(body, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, file)
	want := load(t, []byte(write(t, "json", weather(t))))
	want.Kind, want.Title = importer.Log, ""
	if diff := cmp.Diff(summary(t, m), summary(t, want)); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

// TestAnImportGrantsNothing checks that a file cannot set the permission mode, standing
// permissions or the model.
func TestAnImportGrantsNothing(t *testing.T) {
	s := newScript()
	s.add(&event.ModeSet{Meta: s.meta(), Mode: "all"})
	s.add(&event.ModelSet{Meta: s.meta(), Model: "evil/model"})
	s.reply = "r"
	s.user("hello")
	s.add(&event.MessageDone{Meta: s.meta(), Message: llm.Message{Kind: llm.ToolCall, Reply: "r", ID: "c", Name: "bash", Input: json.RawMessage(`{}`)}})
	s.add(&event.Decided{Meta: s.meta(), ID: "c", Decision: event.Always, Scope: "everything"})
	m := load(t, []byte(write(t, "json", s.session())))
	for _, e := range m.Events {
		switch e := e.(type) {
		case *event.ModeSet, *event.ModelSet:
			t.Errorf("an import holds %+v", e)
		case *event.Decided:
			if e.Decision != event.Allow || e.Scope != "" {
				t.Errorf("an import holds %+v", e)
			}
		}
	}
	if len(m.Verbatim) != 5 {
		t.Errorf("got %d verbatim events, want 5", len(m.Verbatim))
	}
}

func TestDamagedExports(t *testing.T) {
	call := `{"type":"message","time":"2026-11-01T00:00:00Z","message":{"kind":"tool_call","id":"c","name":"x","input":"no object"}}`
	end := `{"type":"tool_end","time":"2026-11-01T00:00:00Z","result":{"kind":"user","id":"c","text":"out"},"title":"x","outcome":"ok"}`
	user := `{"type":"user","time":"2026-11-01T00:00:00Z","text":"hi"}`
	wrap := func(events ...string) string {
		return `{"format":"agent-session/1","later":{"x":[1]},"header":{"id":"a"},"title":"","events":[` + strings.Join(events, ",") + `]}`
	}
	for name, tc := range map[string]struct {
		file  string
		kinds []llm.Kind
		fault string
	}{
		"twice":         {wrap(user, call, call, end, end), []llm.Kind{llm.User, llm.ToolCall, llm.ToolResult}, ""},
		"no result":     {wrap(user, call, user), []llm.Kind{llm.User, llm.ToolCall, llm.ToolResult, llm.User}, ""},
		"no call":       {wrap(user, end), []llm.Kind{llm.User}, ""},
		"unknown type":  {wrap(user, `{"type":"hologram"}`, `7`), []llm.Kind{llm.User}, ""},
		"unknown kind":  {wrap(user, `{"type":"message","message":{"kind":"user","text":"no"}}`), []llm.Kind{llm.User}, ""},
		"newer":         {`{"format":"agent-session/2","events":[]}`, nil, "newer format"},
		"cut":           {wrap(user)[:90], nil, "read the export"},
		"nothing in it": {wrap(), nil, "has no conversation"},
		"no session":    {`{"hello":"world"}`, nil, "unknown file format"},
		"empty":         {"", nil, "unknown file format"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := importer.Import(strings.NewReader(tc.file))
			if tc.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fault) {
					t.Fatalf("got the error %v, want one that says %q", err, tc.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			msgs := fold(t, m.Events)
			accepted(t, msgs)
			var kinds []llm.Kind
			for _, m := range msgs {
				kinds = append(kinds, m.Kind)
			}
			if diff := cmp.Diff(kinds, tc.kinds); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	log := `{"type":"user","time":"2026-11-01T00:00:00Z","text":"` + strings.Repeat("a", 2<<20) + `"}`
	for name, tc := range map[string]struct {
		file string
		want importer.Kind
	}{
		"export":             {write(t, "json", weather(t)), importer.Native},
		"a long first line":  {log, importer.Log},
		"a mark of bytes":    {"\ufeff" + log, importer.Log},
		"damage comes first": {"{{{\n\n7\n" + log, importer.Log},
		"another program":    {`{"parentUuid":null,"sessionId":"s","type":"user","timestamp":"2026-11-01T00:00:00Z","message":{"content":"hi"}}`, ""},
		"text":               {"# Hello\n\nworld\n", ""},
		"an image":           {"\x89PNG\r\n\x1a\n\x00\x00", ""},
		"nothing":            {"", ""},
	} {
		got, err := importer.Import(strings.NewReader(tc.file))
		if got.Kind != tc.want || errors.Is(err, importer.ErrUnknown) != (tc.want == "") {
			t.Errorf("%s: got %q, %v, want %q", name, got.Kind, err, tc.want)
		}
	}
}

// TestEveryPrefixIsAConversation checks that every truncated log can be imported.
func TestEveryPrefixIsAConversation(t *testing.T) {
	var log []byte
	for _, e := range weather(t).Events {
		body, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		log = append(append(log, body...), '\n')
	}
	for n := 0; n <= len(log); n += 97 {
		m, err := importer.Import(bytes.NewReader(log[:n]))
		if err != nil {
			continue
		}
		accepted(t, fold(t, m.Events))
		if t.Failed() {
			t.Fatalf("up to byte %d", n)
		}
	}
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(write(f, "json", weather(f))))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := importer.Import(bytes.NewReader(file))
		if err != nil {
			return
		}
		accepted(t, fold(t, m.Events))
		s := export.Session{Header: m.Header, Title: m.Title, Events: m.Events}
		for format := range formats {
			write(t, format, s)
		}
	})
}
