package main

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"agent/internal/loop"
	"agent/internal/loop/event"
)

// Without the sandbox, nothing watches commands, so idle time is used to copy the files
// that git does not have.
func TestFilesAreCopiedInIdleTimeIfCommandsAreNotWatched(t *testing.T) {
	s := serve(t, say("Hello."))
	h := newHome(t, map[string]string{"a.txt": "one\n"})
	h.configure(t, `{"sandbox": false}`)
	h.enter(t)
	t.Setenv("OPENAI_BASE_URL", s.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", testKey)
	a, err := open(opening{dir: h.work}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	commands, events := make(chan event.Command), make(chan event.Event, 64)
	go loop.NewAgent(a.options).Run(t.Context(), commands, events)
	commands <- event.Prompt{Text: "hello"}
	for e := range events {
		if _, end := e.(*event.TurnEnd); end {
			break
		}
	}
	sum := sha256.Sum256([]byte("one\n"))
	waitFor(t, "the copy of a.txt", func() bool { return a.changes.Has(hex.EncodeToString(sum[:])) })
	close(commands)
	for range events {
	}
}
