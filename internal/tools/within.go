package tools

import (
	"context"
	"sync"
)

// within returns what do returns, or ctx's error as soon as ctx ends. A read of
// a file that never answers, as some in /proc, cannot be stopped: it is left
// behind then, and do must look at ctx when it gets on. A panic in do is one of
// the caller's.
func within[T any](ctx context.Context, do func() (T, error)) (T, error) {
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

// until returns progress such that it does nothing once ctx has ended or stop
// was called. Work that within left behind must not report any more.
func until(ctx context.Context, progress func(string)) (until func(string), stop func()) {
	if progress == nil {
		return nil, func() {}
	}
	var mu sync.Mutex
	stopped := false
	until = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if !stopped && ctx.Err() == nil {
			progress(text)
		}
	}
	return until, func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}
