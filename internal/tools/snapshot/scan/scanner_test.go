package scan_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"agent/internal/tools/snapshot/scan"
)

func TestTouchedPathsAreLeftOut(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a": "1", "b": "2"})
	c := w.scan.Begin(context.Background())
	w.write("a", "x")
	w.write("b", "x")
	got, err := c.Changes(context.Background(), func(path string) bool { return path == w.in("a") })
	w.must(err)
	w.wants(w.short(got), map[string]string{"b": "file 644 2"})
}

func TestCommandsAtTheSameTime(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a": "1"})
	first := w.scan.Begin(context.Background())
	second := w.scan.Begin(context.Background())
	w.write("a", "2")
	w.must(w.scan.Refresh(context.Background()))
	if got, err := w.scan.Outside(context.Background(), time.Time{}, nil); len(got) > 0 || err != nil {
		t.Errorf("outside: %v, %v", got, err)
	}
	if got, err := second.Changes(context.Background(), nil); len(got) > 0 || !errors.Is(err, scan.ErrBusy) {
		t.Errorf("second: %v, %v", got, err)
	}
	got, err := first.Changes(context.Background(), nil)
	w.must(err)
	w.wants(w.short(got), map[string]string{"a": "file 644 1"})
}

func TestACommandThatDoesNotWaitLosesItsChanges(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a": "1", "b": "2"})
	w.must(w.scan.Refresh(context.Background()))
	ctx, stop := context.WithCancel(context.Background())
	stop()
	c := w.scan.Begin(ctx)
	w.write("a", "x")
	got, err := c.Changes(context.Background(), nil)
	w.must(err)
	w.wants(w.short(got), map[string]string{"a": scan.UnsavedUnknown})
	w.wants(w.change(func() { w.write("b", "x") }), map[string]string{"b": "file 644 2"})
}

func TestACommandStopsCopies(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a": "1", "b": "2"})
	w.open(scan.Options{Eager: always})
	began, proceed := make(chan struct{}), make(chan struct{})
	w.store.before = func() error {
		w.store.before = nil
		close(began)
		<-proceed
		return nil
	}
	refreshed, commands := make(chan error), make(chan *scan.Command)
	go func() { refreshed <- w.scan.Refresh(context.Background()) }()
	<-began
	w.scan.Interrupted(func() { close(proceed) })
	go func() { commands <- w.scan.Begin(context.Background()) }()
	if err := <-refreshed; !errors.Is(err, context.Canceled) {
		t.Errorf("Refresh: %v", err)
	}
	c := <-commands
	w.write("a", "x")
	got, err := c.Changes(context.Background(), nil)
	w.must(err)
	w.wants(w.short(got), map[string]string{"a": "file 644 1"})
}

func TestACommandDoesNotWaitForASlowStore(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a": "1", "b": "2"})
	w.open(scan.Options{Eager: always, Wait: time.Millisecond})
	began, proceed := make(chan struct{}), make(chan struct{})
	w.store.before = func() error {
		w.store.before = nil
		close(began)
		<-proceed
		return nil
	}
	refreshed := make(chan error)
	go func() { refreshed <- w.scan.Refresh(context.Background()) }()
	<-began
	c := w.scan.Begin(context.Background())
	if got, err := c.Changes(context.Background(), nil); len(got) > 0 || !errors.Is(err, scan.ErrBusy) {
		t.Errorf("got %v, %v", got, err)
	}
	close(proceed)
	<-refreshed
}

// A scan can end at the moment when it is stopped.
func TestScansCanBeStoppedAtTheirEnd(t *testing.T) {
	w := newWorkspace(t, map[string]string{"f": "1\n"})
	for range 50 {
		w.open(scan.Options{})
		ctx, stop := context.WithCancel(context.Background())
		go stop()
		if err := w.scan.Refresh(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		stop()
	}
}
