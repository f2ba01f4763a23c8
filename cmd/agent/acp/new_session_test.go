package acp

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"agent/internal/loop/event"
)

// noisy is an agent that sends more notices than its channel holds.
type noisy struct{ sent chan struct{} }

func (n noisy) Run(ctx context.Context, commands <-chan event.Command, events chan<- event.Event) {
	defer close(events)
	for range 2 * cap(events) {
		events <- event.Notice{Text: "a server failed"}
	}
	close(n.sent)
	for {
		select {
		case <-commands:
		case <-ctx.Done():
			return
		}
	}
}

func (noisy) Page(int, int) ([]event.Event, error) { return nil, nil }

// Until the answer to session/new, an editor does not know the session, and would ignore its
// updates.
func TestUpdatesFollowTheAnswer(t *testing.T) {
	agent := noisy{make(chan struct{})}
	o := Options{Log: io.Discard, Open: func(Opening) (*Opened, error) {
		return &Opened{
			Agent: agent, ID: "new", Mode: event.ModeAsk, Saved: func() bool { return true }, Close: func() {},
			Models: func(context.Context) []Model { <-agent.sent; return nil },
		}, nil
	}}
	toAgent, in := io.Pipe()
	fromAgent, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), toAgent, out, o) }()
	go func() {
		_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`+"\n")
	}()
	lines := bufio.NewScanner(fromAgent)
	for i := 0; i < 20 && lines.Scan(); i++ {
		if want := map[bool]string{true: `"sessionId":"new"}`, false: "a server failed"}[i == 0]; !strings.Contains(lines.Text(), want) {
			t.Errorf("line %d is %s, want %s", i, lines.Text(), want)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, fromAgent) }()
	in.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
