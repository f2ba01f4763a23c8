package main

import (
	"strings"
	"testing"
)

// lastBody returns the body of the last request.
func lastBody(t *testing.T, s *server) string {
	t.Helper()
	seen := s.seen()
	if len(seen) == 0 {
		t.Fatal("the server got no request")
	}
	return seen[len(seen)-1].body
}

// TestFetchInASession asks for permission per host, also in auto mode, and reports
// an unreachable host to the model.
func TestFetchInASession(t *testing.T) {
	t.Parallel()
	s := serve(t,
		call("fetch", `{"url":"http://127.0.0.1:1/a"}`),
		call("fetch", `{"url":"http://127.0.0.1:1/b"}`),
		call("fetch", `{"url":"http://127.0.0.1:2/c"}`),
		say("It is out of reach."),
	)
	a := newHome(t, nil, at(s)...).open(t, 100, 30, "--mode", "auto")
	a.wait("? help")
	a.send("look it up" + enter)
	a.asked("? Send a request to 127.0.0.1:1?", "http://127.0.0.1:1/a", "127.0.0.1:1 in this session")
	a.send("2")
	a.asked("? Send a request to 127.0.0.1:2?", "http://127.0.0.1:2/c")
	a.send("3")
	a.wait("It is out of reach.")
	if body := lastBody(t, s); strings.Count(body, "127.0.0.1 is not a public address") != 2 {
		t.Errorf("the model did not get it twice: %s", body)
	}
}

// TestChecksInASession sends the output of a check to the model.
func TestChecksInASession(t *testing.T) {
	t.Parallel()
	s := serve(t,
		call("write", `{"path":"a.txt","content":"wrong\n"}`),
		call("diagnostics", `{"path":"a.txt"}`),
		say("It is wrong indeed."),
	)
	h := newHome(t, nil, at(s)...)
	h.configure(t, `{"checks": [{"files": "*.txt", "command": "grep -n right {file}"}]}`)
	a := h.open(t, 100, 30, "--mode", "auto")
	a.wait("? help")
	a.send("write it" + enter)
	a.wait("It is wrong indeed.", "check failed")
	if body := lastBody(t, s); strings.Count(body, "[check `grep -n right {file}`: exit 1]") != 2 {
		t.Errorf("the model did not get it twice: %s", body)
	}
}
