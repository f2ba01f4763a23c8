package main

import (
	"net/http"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// A run has no keyboard: its hints name no key.
func TestHintsOfARunNameNoKey(t *testing.T) {
	t.Parallel()
	s := serveFunc(t, func(_ *server, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7200")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	h := newHome(t, nil, at(s)...)
	if out, code := h.agent(t, "run", "hi"); code == exit.Done || strings.Contains(out, "Press") {
		t.Errorf("got exit code %d and %q", code, out)
	}
}
