package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"agent/internal/tools/shell/sandbox"
)

// measureUndo undoes a command that rewrote 1,000 files of a workspace of 50,000.
func measureUndo(b *testing.B) string {
	if r := sandbox.Probe(); r.Form != sandbox.Complete || !r.Notify {
		b.Skipf("commands cannot be watched here: %+v", r)
	}
	s := newPacer(b)
	s.next(play{tool: "shell", args: `{"command":"sed -i s/line/LINE/ files/*"}`}, play{tokens: []string{"Done."}})
	h := newHome(b, nil, s.env()...)
	layTree(b, h.work)
	layFiles(b, h.work)
	agentSays(b, h, "Done.", "run", "--mode", "all", "shout")
	began := time.Now()
	agentSays(b, h, "1000 paths restored", "undo", "--yes")
	return millis(time.Since(began))
}

// measureStore returns how much the store of old contents grows in 100 turns, each of
// which edits a file of 4 KB.
func measureStore(b *testing.B) string {
	const turns = 100
	s := newPacer(b)
	for i := range turns {
		s.next(play{tool: "read", args: `{"path":"store.go"}`},
			play{tool: "edit", args: fmt.Sprintf(`{"path":"store.go","old":"order %d of","new":"order %d of"}`, 1000+i, 1001+i)}, play{tokens: []string{"Done."}})
	}
	h := newHome(b, map[string]string{"store.go": strings.Replace(storeFile(0), "order 0 of", "order 1000 of", 1)}, s.env()...)
	for i := range turns {
		args := []string{"run", "--mode", "auto", "raise the number"}
		if i > 0 {
			args = append(args, "--continue")
		}
		agentSays(b, h, "Done.", args...)
	}
	if text, err := os.ReadFile(h.work + "/store.go"); err != nil || !strings.Contains(string(text), "order 1100 of") {
		b.Fatalf("%v: %s", err, text)
	}
	info, err := os.Stat(h.store().UndoPath(h.ids(b)[0]))
	if err != nil {
		b.Fatal(err)
	}
	return fmt.Sprintf("%d KiB", info.Size()>>10)
}

// agentSays runs the program, which must succeed and print a text.
func agentSays(b *testing.B, h home, text string, args ...string) {
	b.Helper()
	cmd := exec.Command("agent", args...)
	cmd.Dir, cmd.Env = h.work, h.env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), text) {
		b.Fatalf("agent %q: %v: %s", args, err, out)
	}
}
