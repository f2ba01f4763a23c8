package shell_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/snapshot"
)

// start starts a line in the workspace whose input is the returned pipe.
func (w watched) start(line string) (*shell.Running, *os.File) {
	w.t.Helper()
	theirs, ours, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	defer theirs.Close()
	w.t.Cleanup(func() { ours.Close() })
	c := w.command(line)
	c.Input = theirs
	r, err := shell.Start(c)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(r.Kill)
	return r, ours
}

// The files that the processes of a command have open for writing belong to the new turn, without a
// further call that changes them. Those that are closed or only read do not.
func TestWatchKeepsOpenFilesInEachTurn(t *testing.T) {
	for _, strict := range []bool{false, true} {
		w := watch(t, sandbox.Complete)
		w.order.Strict, w.order.MaxFile = strict, snapshot.MaxFile
		for _, name := range []string{"closed", "inherited", "read", "removed", "replaced"} {
			write(t, filepath.Join(w.dir, name), "old\n")
		}
		r, input := w.start(`exec 3>own 4<read 5>>removed 6>>replaced 8>big
(exec 7>inherited; echo one >&7; echo ready; exec sleep 60) & echo two >closed
rm removed; mv read replaced; head -c 3000000 /dev/zero >&8; echo ready; read x; kill $!`)
		for r.Lines() < 2 {
			runtime.Gosched()
		}
		before := w.notes()
		r.NewTurn()
		input.Close()
		<-r.Done()
		got := map[string]string{}
		for _, one := range w.notes()[len(before):] {
			got[filepath.Base(one.Path)] = strings.TrimSpace(fmt.Sprint(one.Before.Size, " ", one.Before.Lost))
		}
		same(t, got, map[string]string{"own": "0", "inherited": "4",
			"big": "3000000 it was open for writing when the turn began, and is larger than 2 MB"})
	}
}

// notes returns what was added to the store. Contents may be missing.
func (w watched) notes() (all []snapshot.Touched) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(string(w.store), "touched"))
	for line := range bytes.Lines(text) {
		var one snapshot.Touched
		err = errors.Join(err, json.Unmarshal(line, &one))
		all = append(all, one)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// A call that a turn finds unanswered belongs to the new turn, too.
func TestWatchKeepsPathsOfUnansweredCallsInEachTurn(t *testing.T) {
	w := watch(t, sandbox.Complete)
	write(t, filepath.Join(w.dir, "a"), "old\n")
	notes := filepath.Join(string(w.store), "touched") // the store waits until the pipe is open for reading
	if err := unix.Mkfifo(notes, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("old\n"))
	content := filepath.Join(string(w.store), hex.EncodeToString(sum[:]))
	r, input := w.start("echo new >a")
	input.Close()
	for os.Remove(content) != nil { // until the call waits
		runtime.Gosched()
	}
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		r.NewTurn()
	}()
	for waits := false; !waits; runtime.Gosched() { // until the turn waits, too
		_, err := os.Stat(content)
		select {
		case <-begun:
			t.Fatal("the path was not kept again")
		default:
			waits = err == nil
		}
	}
	fd, err := unix.Open(notes, unix.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	<-begun
	<-r.Done()
	b := make([]byte, 64<<10)
	n, err := unix.Read(fd, b)
	if got := strings.Count(string(b[:max(n, 0)]), filepath.Join(w.dir, "a")); got != 2 {
		t.Errorf("kept %d times: %s, %v", got, b[:max(n, 0)], err)
	}
}
