package tools_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/tools"
)

// A command that has the network by a permission does not run beside one that nobody approved.
func TestPermittedNetworkWaitsForUnapprovedCommands(t *testing.T) {
	gate := new(tools.Gate)
	ws, dir := newWorkspace(t, nil)
	shell := tools.Commands{Workspace: ws, Gate: gate}.Tools(nil)[0]
	run := func(ctx context.Context, line string, access tools.Access) error {
		c, err := shell.Prepare(t.Context(), []byte(`{"command":"`+line+`"}`))
		if err != nil {
			return err
		}
		_, err = c.Run(ctx, tools.Approved{Access: access})
		return err
	}
	ended := make(chan error)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		ended <- run(ctx, "touch begun; while [ ! -e go ]; do sleep 0.01; done; touch done", tools.Access{Strict: true})
	}()
	for {
		if _, err := os.Stat(filepath.Join(dir, "begun")); err == nil {
			break
		}
	}
	permitted := tools.Access{Network: true, Permitted: true}
	short, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	if err := run(short, "touch early", permitted); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it did not wait: %v", err)
	}
	if err := run(t.Context(), "touch go", tools.Access{}); err != nil { // approved by the user
		t.Fatal(err)
	}
	if err := run(t.Context(), "test -e done && touch late", permitted); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	_, early := os.Stat(filepath.Join(dir, "early"))
	if _, late := os.Stat(filepath.Join(dir, "late")); early == nil || late != nil {
		t.Errorf("early: %v, late: %v", early, late)
	}
}
