package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"agent/cmd/agent/sessions"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// conversation yields the records of a session of n messages, half of them tool
// results, of about size bytes each.
func conversation(b *testing.B, messages, size int) iter.Seq2[[]byte, error] {
	line := "\tif err := s.store(ctx, key, value); err != nil { return fmt.Errorf(\"store %q: %w\", key, err) }\n"
	long := strings.Repeat(line, size*8/5/len(line)+1) // four of five are long
	return func(yield func([]byte, error) bool) {
		at := event.Meta{Time: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)}
		add := func(e event.Durable) bool {
			record, err := event.Encode(e)
			if err != nil {
				b.Fatal(err)
			}
			return yield(record, nil)
		}
		if !add(&event.ModelSet{Meta: at, Model: "openai/gpt-5.1"}) {
			return
		}
		for i := 0; i < messages; i += 5 {
			reply, call := fmt.Sprintf("r%d", i), fmt.Sprintf("c%d", i)
			ok := add(&event.UserSaid{Meta: at, Text: fmt.Sprintf("prompt number %d", i)}) &&
				add(&event.MessageDone{Meta: at, Message: llm.Message{Kind: llm.ToolCall, Reply: reply, ID: call, Name: "read", Input: []byte(`{"path":"main.go"}`)}}) &&
				add(&event.ToolStart{Meta: at, ID: call, Title: "read main.go", Effect: "read"}) &&
				add(&event.ToolEnd{Meta: at, Title: "read main.go", Outcome: event.OK, Result: llm.Message{Kind: llm.ToolResult, Reply: reply, ID: call, Text: long + long}}) &&
				add(&event.MessageDone{Meta: at, Message: llm.Message{Kind: llm.Assistant, Reply: reply + "b", Text: long}}) &&
				add(&event.StepEnd{Meta: at, Reply: reply, Model: "offline/guide"}) &&
				add(&event.MessageDone{Meta: at, Message: llm.Message{Kind: llm.Assistant, Reply: reply + "c", Text: fmt.Sprintf("answer number %d", i)}}) &&
				add(&event.TurnEnd{Meta: at, Reason: event.Done})
			if !ok {
				return
			}
		}
	}
}

// written creates a session.
func written(b *testing.B, s *history.Store, h history.Header, messages, size int) {
	b.Helper()
	log, err := s.CreateFrom(h, conversation(b, messages, size))
	if err != nil {
		b.Fatal(err)
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSessions lists 1,000 sessions and searches them, as the commands and
// the picker do.
func BenchmarkSessions(b *testing.B) {
	s := history.Open(b.TempDir())
	for i := range 1000 {
		written(b, s, history.Header{ID: fmt.Sprintf("k%03d", i), Dir: "/d"}, 50, 1000)
	}
	if _, err := sessions.Entries(context.Background(), s, ""); err != nil { // which makes the index
		b.Fatal(err)
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if all, err := sessions.Entries(context.Background(), s, "/d"); err != nil || len(all) != 1000 || all[0].Messages != 30 {
				b.Fatal(len(all), err)
			}
		}
	})
	for name, query := range map[string]string{"search, in none": "zeitgeist", "search, in all": "store key"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := sessions.Find(context.Background(), s, query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
