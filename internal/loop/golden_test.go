package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

var update = flag.Bool("update", false, "update the golden files")

// goldenSessions are logs of earlier versions. They never change: every later version
// resumes them with the same conversation.
const goldenSessions = "../../testdata/sessions"

// golden compares got with a golden file, or updates the file.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), string(want)); d != "" {
		t.Errorf("%s: got (-), want (+):\n%s", file, d)
	}
}

// eachGolden runs test on every golden log, copied into a store of its own.
func eachGolden(t *testing.T, test func(t *testing.T, name string, store *history.Store, id string)) {
	logs, err := filepath.Glob(filepath.Join(goldenSessions, "*.jsonl"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("got %d logs, %v", len(logs), err)
	}
	for _, log := range logs {
		name := strings.TrimSuffix(filepath.Base(log), ".jsonl")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			var header history.Header
			if err := json.Unmarshal(text[:bytes.IndexByte(text, '\n')], &header); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "sessions", header.ID+".jsonl")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			test(t, name, history.Open(dir), header.ID)
		})
	}
}

// summary is the part of a resumed session that must not change.
type summary struct {
	Messages                   []llm.Message
	Model, Effort, Mode, Title string
	Steps                      int
	Usage                      llm.Usage
	Todo                       []event.TodoItem
	Grants                     any
	Unsent                     []*event.ShellEnd
	Closing                    []json.RawMessage
	Damage                     []history.Problem // without their texts
}

func TestGoldenSessionsResumeTheSame(t *testing.T) {
	eachGolden(t, func(t *testing.T, name string, store *history.Store, id string) {
		log, problems, err := store.Resume(id)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		state, err := session.ReplayRecords(session.Undamaged(t.Context(), recorded(log), nil))
		if err != nil {
			t.Fatal(err)
		}
		got := summary{Messages: state.Messages, Model: state.Model, Effort: state.Effort, Mode: state.Mode, Title: state.Title,
			Steps: state.Steps, Usage: state.Usage, Todo: state.Todo, Grants: state.Standing.Grants, Unsent: state.UnsentOutputs}
		for _, e := range state.Closing {
			record, err := event.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			got.Closing = append(got.Closing, record)
		}
		for _, p := range problems {
			p.Text = ""
			got.Damage = append(got.Damage, p)
		}
		text, err := json.MarshalIndent(got, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join(goldenSessions, name+".state.json"), append(text, '\n'))

		golden(t, filepath.Join(goldenSessions, name+".request.txt"), []byte(resumedRequest(t, log)))
	})
}

// resumedRequest returns the request that an agent which resumes log sends for the next
// prompt.
func resumedRequest(t *testing.T, log *history.Log) string {
	t.Helper()
	p := script.New(script.Say("here"))
	o := options(p, echo("read", tools.Read))
	o.Log, o.Models.Current.Context = log, 0
	play(t, o, []string{"still there?"}, nil)
	requests := p.Requests()
	if len(requests) != 1 {
		t.Fatalf("got %d requests, want 1", len(requests))
	}
	if err := valid(requests[0].Messages); err != nil {
		t.Error(err)
	}
	return conversation(requests[0])
}

func TestGoldenSessionsExportTheSame(t *testing.T) {
	eachGolden(t, func(t *testing.T, name string, store *history.Store, id string) {
		v, err := store.View(id)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		state, err := session.Ending(context.Background(), v, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		s := export.Session{Header: v.Header(), Title: state.Title, Events: state.Events}
		var out bytes.Buffer
		if err := export.Markdown(&out, s); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join(goldenSessions, name+".export.md"), out.Bytes())
	})
}
