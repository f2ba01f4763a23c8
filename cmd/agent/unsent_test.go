//go:build unix

package main

import (
	"encoding/base64"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestUnsentMessagesSurviveAKill restores queued messages with their images, and a
// half-typed answer, after a kill.
func TestUnsentMessagesSurviveAKill(t *testing.T) {
	t.Parallel()
	s := serve(t, call("shell", `{"command":"rm -r old"}`), say("Kept."), say("Seen."))
	shot := square(t, 8)
	h := newHome(t, map[string]string{"shot.png": string(shot), "old/a": "a"}, at(s)...)
	a := h.open(t, 120, 30)
	a.wait("? help")
	a.send("tidy up" + enter + "then look at shot.png " + altEnter)
	a.asked("rm -r old")
	a.send("no, because ")
	waitFor(t, "the draft", func() bool {
		store, ids := h.store(), h.ids(t)
		v, err := os.ReadFile(strings.TrimSuffix(store.Outputs(ids[0]), ".out") + ".draft")
		return err == nil && strings.Contains(string(v), "no, because ") && strings.Contains(string(v), "then look")
	})
	a.signal(syscall.SIGKILL)
	a.exit()
	if err := os.Remove(h.work + "/shot.png"); err != nil {
		t.Fatal(err)
	}

	b := h.open(t, 120, 30, "--continue")
	b.wait("› no, because", "held    1  “then look at [image 1: shot.png 8x8 PNG]”")
	b.send(enter)
	b.wait("Kept.", "1.2k tokens", "? help")
	b.send(enter)
	b.wait("Seen.")
	if got := lastUser(t, s, 1); got != "no, because" {
		t.Errorf("the model got %q", got)
	}
	if body := s.seen()[2].body; !strings.Contains(body, base64.StdEncoding.EncodeToString(shot)) {
		t.Errorf("the image is not in the request: %s", body)
	}
}
