package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools"
	"agent/internal/tools/caches"
	"agent/internal/tools/shell/sandbox"
)

// confineCaches is confineAlways for a workspace whose commands have caches of their own. It skips
// the test if the system cannot mount them.
func confineCaches(t testing.TB) *confined {
	t.Helper()
	c := confineAlways(t)
	for _, file := range []string{".cache/go-build/00/old", ".npm/old", ".npm/d/inner"} {
		put(t, filepath.Join(c.home, file), "old\n")
	}
	c.newCaches()
	c.in(t, c.dir)
	session := sandbox.NewSession(sandbox.Complete)
	t.Cleanup(session.Close)
	probe := caches.New(filepath.Join(c.home, ".state", "probe"))
	t.Cleanup(probe.Close)
	if all, _ := probe.Overlays(session, c.dir, []string{filepath.Join(c.home, ".npm")}); all == nil {
		t.Skip("overlays do not work here")
	}
	return c
}

// newCaches gives the workspaces that c works in from now on the caches of another session.
func (c *confined) newCaches() {
	c.caches = caches.New(filepath.Join(c.home, ".state"))
	c.t.Cleanup(c.caches.Close)
}

// prints runs a line and compares the words of its output, without the notes.
func (c *confined) prints(line string, access tools.Access, want string) {
	c.t.Helper()
	r := c.sh(line, access)
	var words []string
	for out := range strings.Lines(r.Text) {
		if !strings.HasPrefix(out, "[") {
			words = append(words, strings.Fields(out)...)
		}
	}
	if got := strings.Join(words, " "); got != want || r.IsError {
		c.t.Errorf("%s (%+v): %q, want %q\n%s", line, access, got, want, r.Text)
	}
}

// What a command that nobody approved writes to a cache of the user is only for others of its kind in
// the same workspace.
func TestUnapprovedCommandsChangeOwnCaches(t *testing.T) {
	c := confineCaches(t)
	unapproved, private, approved := tools.Access{HideHome: true}, tools.Access{Private: true}, tools.Access{}
	c.prints("cd ~/.npm && cat old d/inner && echo evil >old && echo new >new && rm -r d && mv new newer && ls", unapproved, "old old newer old")
	c.prints("cd ~/.npm && cat old newer && echo more >more && ls ~/.cache/go-build/00", private, "evil new old")
	c.prints("cat ~/.npm/more; echo x >~/.cache/go-build/00/x", unapproved, "more")
	c.prints("cat ~/.npm/old; ls ~/.npm; ls ~/.cache/go-build/00; echo mine >>~/.npm/old", approved, "old d old old")

	other := filepath.Join(c.home, "src", "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	work := c.dir
	c.in(t, other)
	c.prints("cat ~/.npm/old; ls ~/.npm; ls ~/.cache/go-build/00", unapproved, "old mine d old old")

	c.caches.Close() // a later session finds what the first has written
	c.newCaches()
	c.in(t, work)
	c.prints("cat ~/.npm/old ~/.npm/more; ls ~/.cache/go-build/00; test ! -e ~/.npm/d", unapproved, "evil more old x")

	c.newCaches() // a session at the same time has its own
	c.in(t, work)
	c.prints("cat ~/.npm/old; ls ~/.npm; test ! -e ~/.state", unapproved, "old mine d old")
}

// A job and a command share the caches while both run.
func TestJobsShareCaches(t *testing.T) {
	c := confineCaches(t)
	call, err := c.prepare("jobs", obj{"action": "start", "command": "until test -e ~/.npm/go; do sleep 0.01; done; echo done >~/.npm/done; sleep 300"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call.Run(t.Context(), tools.Approved{Access: tools.Access{HideHome: true}}); err != nil {
		t.Fatal(err)
	}
	c.prints("echo >~/.npm/go; until test -e ~/.npm/done; do sleep 0.01; done; cat ~/.npm/done", tools.Access{HideHome: true}, "done")
}

// A real build fills the cache of the commands, not that of the user.
func TestBuildsUseOwnCaches(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	c := confineCaches(t)
	c.put("go.mod", "module m\n\ngo 1.21\n")
	c.put("main.go", "package m\n")
	c.prints("go build -v ./... 2>&1", tools.Access{HideHome: true}, "m")
	c.prints("go build -v ./... 2>&1", tools.Access{HideHome: true}, "")
	c.prints("go build -v ./... 2>&1", tools.Access{}, "m")
}

// Commands work if the user changes, removes or creates a cache, or something that is read-only in one.
func TestCachesOfTheUserChange(t *testing.T) {
	c := confineCaches(t)
	unapproved := tools.Access{HideHome: true}
	c.prints("echo x >~/.npm/_npx; echo kept >~/.npm/kept", unapproved, "")
	put(t, filepath.Join(c.home, ".npm/_npx/1/program"), "program\n")
	put(t, filepath.Join(c.home, ".cache/pip/new"), "new\n")
	c.prints("cat ~/.npm/_npx ~/.cache/pip/new && echo x >~/.cache/pip/new && cat ~/.cache/pip/new", unapproved, "x new x")
	if err := os.RemoveAll(filepath.Join(c.home, ".npm")); err != nil {
		t.Fatal(err)
	}
	c.prints("test ! -e ~/.npm", unapproved, "")
	put(t, filepath.Join(c.home, ".npm/again"), "again\n")
	c.prints("cat ~/.npm/kept && echo x >~/.npm/more && cat ~/.npm/more", unapproved, "kept x")
	c.prints("ls ~/.npm; cat ~/.cache/pip/new", tools.Access{}, "again new")
}

// A cache that contains the workspace or another directory that commands may change, and one in the
// workspace, is that of the user.
func TestCachesWithTheWorkspace(t *testing.T) {
	c := confineCaches(t)
	t.Setenv("GOCACHE", filepath.Join(c.home, "src"))
	t.Setenv("npm_config_cache", filepath.Join(c.dir, "npm"))
	t.Setenv("PIP_CACHE_DIR", c.home)
	for _, dir := range []string{"npm", "../other"} {
		if err := os.Mkdir(filepath.Join(c.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c.in(t, c.dir)
	c.prints("echo x >file; echo x >npm/file; echo x >../other/file", tools.Access{HideHome: true}, "")
	for _, file := range []string{"file", "npm/file", "../other/file"} {
		if c.text(file) != "x\n" {
			t.Errorf("%s: %q", file, c.text(file))
		}
	}
}

// Without the complete sandbox, commands use the caches of the user.
func TestCachesWithoutNamespaces(t *testing.T) {
	c := confineCaches(t)
	c.form = sandbox.WritesOnly
	c.in(t, c.dir)
	c.prints("echo x >>~/.npm/old && cat ~/.npm/old", tools.Access{HideHome: true}, "old x")
	if b, err := os.ReadFile(filepath.Join(c.home, ".npm/old")); err != nil || string(b) != "old\nx\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// If an overlay cannot be mounted although the system supports it, the cache is read-only: commands
// can cause that, as by filling the disk.
func TestCachesWithoutSpace(t *testing.T) {
	c := confineCaches(t)
	c.caches = caches.New(filepath.Join(c.home, "notes")) // a file
	c.in(t, c.dir)
	c.prints("cat ~/.npm/old && ! (echo x >~/.npm/new) 2>/dev/null", tools.Access{HideHome: true}, "old")
	c.prints("echo x >~/.npm/new", tools.Access{}, "")
}
