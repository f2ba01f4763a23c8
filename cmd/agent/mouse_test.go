package main

import (
	"strings"
	"testing"
)

// TestMouseSetting leaves the mouse to the terminal if configured, until a key
// enables it.
func TestMouseSetting(t *testing.T) {
	t.Parallel()
	const taken = "\x1b[?1002h"
	h := newHome(t, nil, at(serve(t))...)
	h.configure(t, `{"mouse": false}`)
	a := h.open(t, 80, 24)
	a.wait("? keys")
	a.mu.Lock()
	early := strings.Contains(string(a.raw), taken)
	a.mu.Unlock()
	if early {
		t.Error("the program took the mouse")
	}
	a.send("\x1bm")
	a.wrote(taken)
	a.send(ctrlD)
	a.exit()
	if err := a.restored(); err != nil {
		t.Error(err)
	}
}
