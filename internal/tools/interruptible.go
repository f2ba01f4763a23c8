package tools

import (
	"context"
	"sync"
)

// runContext returns the result of do, or ctx's error as soon as ctx ends. A
// blocked read, as of some files in /proc, cannot be cancelled: do then continues
// in the background and must check ctx when it resumes. A panic in do is raised
// in the caller.
func runContext[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type end struct {
		value    T
		err      error
		panicked any
	}
	done := make(chan end, 1)
	go func() {
		e := end{}
		defer func() {
			e.panicked = recover()
			done <- e
		}()
		e.value, e.err = do()
	}()
	select {
	case e := <-done:
		if e.panicked != nil {
			panic(e.panicked)
		}
		if e.err != nil && ctx.Err() != nil {
			return e.value, ctx.Err()
		}
		return e.value, e.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// guardProgress wraps progress so that it does nothing after ctx has ended or
// stop was called. It silences work that runContext left in the background.
func guardProgress(ctx context.Context, progress func(string)) (guarded func(string), stop func()) {
	if progress == nil {
		return nil, func() {}
	}
	var mu sync.Mutex
	stopped := false
	guarded = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if !stopped && ctx.Err() == nil {
			progress(text)
		}
	}
	return guarded, func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}
