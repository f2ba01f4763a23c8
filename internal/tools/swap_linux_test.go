package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"agent/internal/tools"
)

// TestLinkSwapsWhileWriting writes to a directory that another process keeps exchanging
// for a symbolic link to a directory outside the workspace. Nothing is written
// there, not even for a moment.
func TestLinkSwapsWhileWriting(t *testing.T) {
	writes, swaps := 200, 2000
	if testing.Short() {
		writes, swaps = 40, 2000
	}
	if os.Getenv("STORM") != "" {
		writes, swaps = 10_000, 100_000
	}
	ws, dir := newWorkspace(t, map[string]string{"d/keep": "inside\n"})
	outside := filepath.Join(t.TempDir(), "outside")
	writeFile(t, filepath.Join(outside, "keep"), "outside\n")
	d, link := filepath.Join(dir, "d"), filepath.Join(dir, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	exchange := func() error { return unix.Renameat2(unix.AT_FDCWD, d, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE) }
	if err := exchange(); err != nil {
		t.Skip("the file system cannot exchange two names: ", err)
	}
	before, err := os.Stat(outside)
	if err != nil {
		t.Fatal(err)
	}

	var swapped, tried atomic.Int64
	ended, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if exchange() == nil && swapped.Add(1)%1998 == 999 { // d is the directory: some writes must succeed
				for until := tried.Load() + 2; tried.Load() < until; runtime.Gosched() {
					select {
					case <-stop:
						return
					default:
					}
				}
			}
			runtime.Gosched()
		}
	}()
	written, refused := 0, 0
	for i := 0; i < writes || swapped.Load() < int64(swaps); i++ {
		c, err := prepare(t, ws, "write", obj{"path": fmt.Sprintf("d/f%d", i%100), "content": "planted\n"})
		if err == nil {
			_, err = c.Run(t.Context(), tools.Approved{Changes: c.Changes})
		}
		tried.Add(1)
		if err != nil {
			refused++
			continue
		}
		written++
		for _, inside := range []string{d, link} { // one of the two is the directory
			_ = os.Remove(filepath.Join(inside, fmt.Sprintf("f%d", i%100)))
		}
	}
	close(stop)
	<-ended

	entries, err := os.ReadDir(outside)
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(outside)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("something was written outside: %v, changed at %v", entries, after.ModTime())
	}
	if written == 0 || refused == 0 {
		t.Errorf("%d writes, %d refused: there was no race", written, refused)
	}
	t.Attr("promise", fmt.Sprintf("files written outside the workspace, by %d writes during more than %d swaps of a directory and a link: %d", writes, swaps, len(entries)-1))
	t.Logf("%d written, %d refused, %d swaps", written, refused, swapped.Load())
}
