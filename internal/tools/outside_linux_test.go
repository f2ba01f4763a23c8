package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"agent/internal/tools"
)

// exchanging keeps exchanging the names of two files, until stop is called. Count
// returns how often it has. It skips the test if the file system cannot exchange names.
func exchanging(t *testing.T, a, b string) (count func() int64, stop func()) {
	t.Helper()
	exchange := func() error { return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) }
	if err := exchange(); err != nil {
		t.Skip("the file system cannot exchange two names: ", err)
	}
	var n atomic.Int64
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-quit:
				return
			default:
			}
			if exchange() == nil {
				n.Add(1)
			}
			runtime.Gosched()
		}
	}()
	return n.Load, func() { close(quit); <-ended }
}

// TestLinkSwapsOutside reads and writes approved files outside the workspace, in a
// directory that is exchanged for a symbolic link all the time. What the link leads to
// is never shown and never changed.
func TestLinkSwapsOutside(t *testing.T) {
	calls, swaps := 60, int64(2000)
	if os.Getenv("STORM") != "" {
		calls, swaps = 10_000, 100_000
	}
	ws, top := newWide(t, map[string]string{"other/d/f": "approved\n", "evil/f": "private\n"})
	d, link := filepath.Join(top, "other/d"), filepath.Join(top, "other/link")
	if err := os.Symlink(filepath.Join(top, "evil"), link); err != nil {
		t.Fatal(err)
	}
	count, stop := exchanging(t, d, link)
	ran, refused := 0, 0
	for i := 0; i < calls || count() < swaps || ran == 0 || refused == 0; i++ { // until there was a race
		for tool, args := range map[string]obj{
			"read": {"path": d + "/f"}, "search": {"path": d, "pattern": "."}, "write": {"path": fmt.Sprintf("%s/new%d", d, i), "content": "planted\n"},
		} {
			c, err := prepare(t, ws, tool, args)
			if err == nil && !strings.HasPrefix(c.Targets[0].Value, d) {
				continue // the dialog would name the target of the link
			}
			var r tools.Result
			if err == nil {
				r, err = c.Run(t.Context(), tools.Approved{Changes: c.Changes})
			}
			if err != nil {
				refused++
				continue
			}
			ran++
			if strings.Contains(r.Text, "private") {
				t.Fatalf("%s shows a file that was not approved: %q", tool, r.Text)
			}
		}
	}
	stop()
	if entries, err := os.ReadDir(filepath.Join(top, "evil")); len(entries) != 1 {
		t.Errorf("got %v, %v, want that nothing was written there", entries, err)
	}
	t.Attr("promise", fmt.Sprintf("files that were not approved and were shown or written, with %d reads, searches and writes outside the workspace during more than %d swaps of a directory and a link: 0", 3*calls, swaps))
	t.Logf("%d calls ran, %d were refused, %d swaps", ran, refused, count())
}
