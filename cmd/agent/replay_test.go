package main

import (
	"runtime"
	"testing"
)

// A stored session is played on the screen and stays as it is.
func TestReplayOnTheScreen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the terminal of tests needs a Unix system")
	}
	server := serve(t, call("read", `{"path":"main.go"}`), say("It is empty."))
	h := newHome(t, map[string]string{"main.go": "package main\n"}, "OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_API_KEY="+testKey)
	if out, code := h.agent(t, "run", "read main.go"); code != 0 {
		t.Fatal(out)
	}
	id := h.ids(t)[0]
	s := h.open(t, 100, 30, "replay", id[:8], "--speed", "100")
	s.wait("Replay of session "+id, "› read main.go", "read  main.go", "It is empty.", "End of the session.")
	s.send("hello" + enter)
	s.wait("This is a replay: nothing is sent, run or changed.")
	s.send("\x15\x04") // delete the line, quit
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if n := len(server.seen()); n != 2 || len(h.ids(t)) != 1 {
		t.Errorf("%d requests and %d sessions, want 2 and 1", n, len(h.ids(t)))
	}
}
