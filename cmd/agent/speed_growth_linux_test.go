package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// measureGrowth plays a typical task and reports how many tokens the last request
// has more than the first one.
func measureGrowth(b *testing.B) string {
	const reads = 20
	files := map[string]string{"go.mod": "module shop\n", "requests.log": strings.Repeat("POST /orders "+strings.Repeat("item=tea&", 60)+"\n", 200)}
	s := newPacer(b)
	s.next(play{tool: "list", args: `{"path":"."}`}, play{tool: "search", args: `{"pattern":"func \\(s \\*Store\\)"}`})
	for i := range reads {
		name := fmt.Sprintf("store/part%02d.go", i)
		files[name] = storeFile(i)
		s.next(play{call: name})
	}
	s.next(
		play{tool: "search", args: `{"pattern":"POST","glob":"*.log"}`},
		play{tool: "edit", args: `{"path":"store/part03.go","old":"package store","new":"// Package store keeps orders.\npackage store"}`},
		play{tool: "edit", args: `{"path":"store/part07.go","old":"package store","new":"// Part 7.\npackage store"}`},
		play{tool: "shell", args: `{"command":"for i in $(seq 1000); do echo \"--- PASS: TestOrdersAreStored/case_$i (0.0$((i % 7))s)\"; done"}`},
		play{tokens: []string{"The task is done."}},
	)
	h := newHome(b, files, s.env()...)
	cmd := exec.Command("agent", "run", "--mode", "all", "document the store and run the tests")
	cmd.Dir, cmd.Env = h.work, h.env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "The task is done.") {
		b.Fatalf("%v: %s", err, out)
	}
	if len(s.bodies) != reads+7 {
		b.Fatalf("%d requests, want %d", len(s.bodies), reads+7)
	}
	return fmt.Sprintf("%d", tokensOf(b, s.bodies[len(s.bodies)-1])-tokensOf(b, s.bodies[0]))
}

// tokensOf estimates the tokens of the messages of a request, as the context meter
// does: four bytes of decoded text are one.
func tokensOf(b *testing.B, body []byte) int {
	var request struct {
		Messages []struct {
			Content string
			ID      string `json:"tool_call_id"`
			Calls   []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		b.Fatal(err)
	}
	bytes := 0
	for _, m := range request.Messages {
		bytes += len(m.Content) + len(m.ID)
		for _, c := range m.Calls {
			bytes += len(c.ID) + len(c.Function.Name) + len(c.Function.Arguments)
		}
	}
	return bytes / 4
}

// storeFile returns a typical Go file of 4 KB.
func storeFile(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package store\n\nimport (\n\t\"context\"\n\t\"fmt\"\n)\n")
	for i := range 9 {
		fmt.Fprintf(&b, `
// order%[1]d returns order %[1]d of the shop from table %[2]d. The error is
// ErrMissing if there is none.
func (s *Store) order%[1]d(ctx context.Context, id int) (*Order, error) {
	row := s.db.QueryRow(ctx, "select customer, total from orders where id = ?", id)
	var o Order
	if err := row.Scan(&o.Customer, &o.Total); err != nil {
		return nil, fmt.Errorf("read order %%d: %%w", id, err)
	}
	for _, item := range o.Items {
		if item.Count == 0 {
			return nil, ErrMissing
		}
	}
	return &o, nil
}
`, n*100+i, n)
	}
	return b.String()
}
