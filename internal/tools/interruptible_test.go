package tools

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestRunContextReturnsWhenTheContextEnds(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	_, err := runContext(ctx, func() (string, error) {
		<-never
		return "too late", nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestRunContextForwardsPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "a mistake" {
			t.Errorf("got %v, want the value of the panic", got)
		}
	}()
	_, _ = runContext(t.Context(), func() (string, error) { panic("a mistake") })
	t.Error("got no panic")
}
