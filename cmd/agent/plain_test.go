package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"
)

// TestPlainAtATerminal approves, rejects with a comment, steers, interrupts a
// command and quits with ctrl+c in plain mode.
func TestPlainAtATerminal(t *testing.T) {
	t.Parallel()
	nap := fmt.Sprintf("sleep 61.%d", os.Getpid())
	s := serve(t,
		call("edit", `{"path":"main.go","old":"hello","new":"goodbye"}`),
		call("ask", `{"question":"Tea or coffee?","choices":[{"text":"tea","explain":"green"},{"text":"coffee","explain":"black"}]}`),
		say("So tea it is."),
		call("shell", `{"command":"`+nap+`"}`),
		begin("Not yet"),
	)
	h := newHome(t, map[string]string{"main.go": goFile}, append(at(s), "TERM=dumb")...)
	a := h.open(t, 100, 40)
	reads := func() { time.Sleep(time.Second) } // a question accepts an answer only after a pause, which the screen does not show
	a.wait("agent ", "\n>")
	a.send("say goodbye" + enter)
	a.wait("ask: Edit main.go? (+1 −1)", "1 yes  2 yes, and allow all edits in this session  3 no", "4 TEXT no, and tell the model why", "+   println(\"goodbye\")")
	a.send("also fix the tests" + enter) // too early, so it is for the model
	reads()
	a.send("sure" + enter)
	a.wait("note: answer with y, n or a number")
	reads()
	a.send("Y" + enter)
	a.wait("ask: Tea or coffee?", "  2 coffee: black")
	reads()
	a.send("1" + enter)
	a.wait("agent: So tea it is.", "done: 1 file changed, +1 −1")

	a.send("take a nap" + enter)
	a.wait("ask: Run this command in ", "1 yes  2 yes, and allow ")
	reads()
	a.send("1" + enter)
	a.wait("tool: shell " + nap)
	a.send("\x03")
	a.wait("done: interrupted")
	if got := read(t, h, "main.go"); !bytes.Contains([]byte(got), []byte("goodbye")) {
		t.Errorf("got main.go %q after the approved edit", got)
	}

	a.send("\x03")
	a.wait("note: press ctrl+c again to quit")
	a.send("\x03")
	if code := a.exit(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := bytes.IndexByte(a.raw, '\x1b'); i >= 0 {
		t.Errorf("got an escape sequence: %q", a.raw[i:min(i+20, len(a.raw))])
	}
}
