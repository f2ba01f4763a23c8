package main

import (
	"slices"
	"testing"

	"agent/cmd/agent/permit"
	"agent/internal/loop"
	"agent/internal/loop/event"
)

// TestFilesFollowTheModel completes files that the model created, and ranks those
// it read first.
func TestFilesFollowTheModel(t *testing.T) {
	s := serve(t, call("write", `{"path":"sub/fresh.go","content":"package sub\n"}`, "read", `{"path":"b/same.go"}`), say("Done."))
	h := newHome(t, map[string]string{"a/same.go": "package a\n", "b/same.go": "package b\n", "c/same.go": "package c\n"}, at(s)...)
	h.enter(t)
	t.Setenv("OPENAI_BASE_URL", s.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", testKey)
	a, err := open(opening{flags: flags{noSession: true, permit: permit.Flags{Mode: "all"}}, dir: h.work}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	commands, events := make(chan event.Command), make(chan event.Event, 64)
	o := a.screen(events, commands, nil, nil)
	find := func(query string) []string {
		var out []string
		found, _ := o.Files.Find(t.Context(), query, 8)
		for _, m := range found {
			out = append(out, m.Path)
		}
		return out
	}
	waitFor(t, "the files to be known", func() bool { return slices.Equal(find("same"), []string{"a/same.go", "b/same.go", "c/same.go"}) })

	go loop.NewAgent(a.options).Run(t.Context(), commands, events)
	commands <- event.Prompt{Text: "go"}
	for e := range events {
		if _, end := e.(*event.TurnEnd); end {
			break
		}
	}
	close(commands)
	for range events {
	}
	waitFor(t, "the new file to be found", func() bool { return slices.Equal(find("fresh"), []string{"sub/fresh.go"}) })
	waitFor(t, "the read file to come first", func() bool { return slices.Index(find("same"), "b/same.go") == 0 })
	waitFor(t, "all to be known", func() bool {
		_, final := o.Files.Find(t.Context(), "same", 8)
		return final
	})
}
