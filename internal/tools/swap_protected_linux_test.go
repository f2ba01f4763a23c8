package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"agent/internal/sampling"
	"agent/internal/tools"
	"agent/internal/tools/confine"
)

// Files that were put in the place of protected ones are kept, however many there are.
func TestRemovedFilesAreKept(t *testing.T) {
	c := confineAlways(t)
	c.git("init", "-q")
	for i := range 12 {
		c.sh(fmt.Sprintf("echo evil %d >.envrc; echo notes %d >n; mv n .git/config", i, i), tools.Access{})
	}
	all := ""
	for _, pattern := range []string{".envrc*", ".git/config*"} {
		names, _ := filepath.Glob(filepath.Join(c.dir, pattern))
		for _, name := range names {
			all += c.text(strings.TrimPrefix(name, c.dir+"/"))
		}
	}
	for i := range 12 {
		for _, text := range []string{fmt.Sprintf("evil %d\n", i), fmt.Sprintf("notes %d\n", i)} {
			if !strings.Contains(all, text) {
				t.Errorf("%q is lost", text)
			}
		}
	}
	if c.exists(".envrc") || c.git("config", "core.bare") != "false" {
		t.Error("a change was not undone")
	}
}

// Another program makes links at the names of files that the check after a command could
// write. It writes to none of them.
func TestLinksAreNotWrittenThrough(t *testing.T) {
	c := confineAlways(t)
	c.git("init", "-q")
	c.put("important", "important\n")
	for range 100 {
		guard := c.area.Begin(confine.Extent{})
		c.git("config", "core.fsmonitor", "./evil")
		meanwhile(func() {
			for _, name := range []string{"config.agent-new", "config.agent-removed"} {
				_ = os.Symlink(filepath.Join("..", "important"), filepath.Join(c.dir, ".git", name))
			}
		}, func() { guard.End() })
		if got := c.text("important"); got != "important\n" {
			t.Fatalf("the file holds %q", got)
		}
	}
	if got := c.git("config", "--list"); strings.Contains(got, "evil") {
		t.Error(got)
	}
}

// meanwhile calls again all the time until do returns.
func meanwhile(again, do func()) {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				again()
			}
		}
	}()
	do()
	close(stop)
	<-ended
}

// A directory that is checked after a command is exchanged for a link all the time. The
// check changes nothing behind the link.
func TestLinkSwapsWhileUndoing(t *testing.T) {
	c := confineAlways(t)
	c.git("init", "-q", "--bare", "bare")
	c.put("src/update", "user\n")
	hooks, link := filepath.Join(c.dir, "bare/hooks"), filepath.Join(c.dir, "link")
	if err := os.RemoveAll(hooks); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "src"), link); err != nil {
		t.Fatal(err)
	}
	times := 40
	if sampling.Whole() {
		times = 400
	}
	for range times {
		for _, dir := range []string{hooks, link} {
			if info, err := os.Lstat(dir); err != nil || info.IsDir() {
				_ = os.RemoveAll(dir)
			}
		}
		guard := c.area.Begin(confine.Extent{})
		c.put("made/update", "evil\n")
		if err := os.Rename(filepath.Join(c.dir, "made"), hooks); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(link)
		if err := os.Symlink(filepath.Join("..", "src"), link); err != nil {
			t.Fatal(err)
		}
		meanwhile(func() {
			_ = unix.Renameat2(unix.AT_FDCWD, hooks, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
		}, func() { guard.End() })
		if got := c.text("src/update"); got != "user\n" {
			t.Fatalf("the file behind the link: %q", got)
		}
		for _, dir := range []string{hooks, link} {
			_ = os.Remove(dir) // the link; the directory is removed above
		}
	}
}
