package main

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// race truncates the file "a", while another thread changes the path in memory to "b" and
// back, until a call is refused.
func race() {
	path := []byte("a\x00")
	go func() {
		for {
			path[0] ^= 'a' ^ 'b'
		}
	}()
	for until := time.Now().Add(hang); time.Now().Before(until); {
		if _, _, errno := unix.Syscall(unix.SYS_TRUNCATE, uintptr(unsafe.Pointer(&path[0])), 0, 0); errors.Is(errno, unix.EPERM) {
			os.Exit(1)
		}
	}
}

// After a command has tried to hide a change from undo, commands need approval.
func TestEvasionEndsUnaskedRunning(t *testing.T) {
	t.Parallel()
	h := repositoryWithIncompleteSandbox(t)
	s := serve(t, call("shell", shellCall("echo 1 >a; cp a b; cp a c"), "shell", shellCall("agent-probe race"), "shell", shellCall("rm c"), "shell", shellCall("make envrc")), say("done"))
	out, code := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "go")
	results := s.seen()[1].results(t)
	if !strings.Contains(results["call_0"], "[exit 0]") || !strings.Contains(results["call_1"], "the program replaced the path while the change was checked") {
		t.Errorf("the attempt was not reported: %q", results)
	}
	for _, id := range []string{"call_2", "call_3"} {
		if !strings.Contains(results[id], "one tried to hide a change from undo") {
			t.Errorf("%s: %s", id, results[id])
		}
	}
	if code != 3 || read(t, h, "c") != "1\n" {
		t.Errorf("exit %d, the file has %q: %s\n%q", code, read(t, h, "c"), out, results)
	}
}
