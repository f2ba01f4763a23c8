package loop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
)

// The first prompt of a resumed session does not read the log again: the session was
// loaded when it was opened, or while the user typed.
func TestFirstPromptDoesNotReadTheLogAgain(t *testing.T) {
	for name, c := range map[string]struct {
		size  int // of each answer, in bytes
		typed bool
	}{
		"read when it was opened":                  {size: 100},
		"too large to keep, read while user typed": {size: 3 << 20, typed: true},
	} {
		t.Run(name, func(t *testing.T) {
			store := history.Open(t.TempDir())
			path := longAnswers(t, store, 4, c.size)
			log, _, err := store.Resume("x")
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			p := script.New(script.Say("here"))
			o := options(p)
			o.Log, o.Models.Current.Context = log, 0
			commands, events := make(chan event.Command, 2), make(chan event.Event)
			go loop.NewAgent(fill(o)).Run(t.Context(), commands, events)
			prompt := func() {
				damage(t, path)
				commands <- event.Prompt{Text: "continue"}
			}
			for e := range events {
				switch e := e.(type) {
				case event.Opened:
					if !c.typed {
						prompt()
						continue
					}
					commands <- event.SaveDraft{Draft: event.Draft{Text: "go"}}
					commands <- event.ListJobs{}
				case event.JobsNow:
					prompt()
				case *event.TurnEnd:
					if e.Reason != event.Done {
						t.Errorf("got %+v, want a turn that is done", e)
					}
					close(commands)
				}
			}
			if rs := p.Requests(); len(rs) != 1 || len(rs[0].Messages) != 9 || len(rs[0].Messages[7].Text) != c.size {
				t.Errorf("got %d requests, want one with the whole conversation", len(rs))
			}
		})
	}
}

// A conversation that is too large to replay on opening is read with the first prompt.
func TestLargeSessionIsReadWithTheFirstPrompt(t *testing.T) {
	store := history.Open(t.TempDir())
	longAnswers(t, store, 4, 3<<20)
	log, _, err := store.Resume("x")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p := script.New(script.Say("here"))
	o := options(p)
	o.Log, o.Models.Current.Context = log, 0
	play(t, o, []string{"continue"}, nil)
	if rs := p.Requests(); len(rs) != 1 || len(rs[0].Messages) != 9 {
		t.Errorf("got %d requests, want one with the whole conversation", len(rs))
	}
}

// longAnswers writes the session x with n prompts and answers of the given size. It
// returns the path of its log.
func longAnswers(t *testing.T, store *history.Store, turns, size int) (path string) {
	t.Helper()
	log := store.Create(history.Header{ID: "x", Dir: "/w"})
	defer log.Close()
	for i := range turns {
		id := fmt.Sprint("r", i)
		for _, e := range []event.Durable{
			&event.UserSaid{Text: id},
			&event.MessageDone{Message: llm.Message{Kind: llm.Assistant, Reply: id, Text: strings.Repeat("x", size)}},
			&event.StepEnd{Reply: id},
			&event.TurnEnd{Reason: event.Done},
		} {
			record, err := event.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if err := log.Append(record, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	return log.Path()
}

// damage overwrites the records of a log, so that reading them fails.
func damage(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := strings.IndexByte(string(text), '\n') + 1
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(strings.Repeat("#", len(text)-header-1)), int64(header)); err != nil {
		t.Fatal(err)
	}
}

// A stored session without events is reported as opened, too.
func TestResumeASessionWithoutEvents(t *testing.T) {
	dir := t.TempDir()
	header := `{"seq":0,"type":"header","format":1,"id":"1nek8mg9jhrj","dir":"/w","version":"0.2.0","time":"2026-11-03T09:00:00Z"}` + "\n"
	if err := os.Mkdir(filepath.Join(dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sessions", "1nek8mg9jhrj.jsonl"), []byte(header), 0o600); err != nil {
		t.Fatal(err)
	}
	log, _, err := history.Open(dir).Resume("1nek8mg9jhrj")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	o := options(script.New())
	o.Log = log
	c := openDialogue(t, o)
	defer c.end()
	if e, ok := (<-c.events).(event.Opened); !ok || e.Events != 0 {
		t.Errorf("got %+v", e)
	}
}
