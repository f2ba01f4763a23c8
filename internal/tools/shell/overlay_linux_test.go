package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools/shell/sandbox"
)

// overlay gives the commands of c a copy of a directory beside the workspace, below a hidden one.
func (c *confined) overlay() (lower, dir string) {
	c.t.Helper()
	home := filepath.Join(c.outside, "home")
	lower, dir = filepath.Join(home, "a,b:c\\d", "cache"), filepath.Join(c.outside, "state", "x")
	write(c.t, filepath.Join(lower, "old"), "old\n")
	write(c.t, filepath.Join(lower, "d/inner"), "inner\n")
	for _, part := range []string{sandbox.UpperPart, sandbox.WorkPart, sandbox.ViewPart} {
		if err := os.MkdirAll(filepath.Join(dir, part), 0o700); err != nil {
			c.t.Fatal(err)
		}
	}
	o := sandbox.Overlay{Lower: lower, Dir: dir}
	if err := c.profile.Session.Mount([]sandbox.Overlay{o})[0]; err != nil {
		c.t.Skip("overlays do not work here: ", err)
	}
	c.profile.Write, c.profile.Overlays = append(c.profile.Write, lower), []sandbox.Overlay{o}
	c.profile.Hide = append(c.profile.Hide, filepath.Join(c.outside, "state"))
	c.profile.Home, c.profile.NoHome = home, true
	return lower, dir
}

// changesOfCopy are lines that change a copy of a directory, and what they print.
var changesOfCopy = []struct{ line, want string }{
	{"echo new >new && cat new old d/inner", "new\nold\ninner\n"},
	{"cat new && echo more >>old && cat old", "new\nold\nmore\n"},
	{"rm new d/inner && ls d && mv old moved && ls", "d\nmoved\n"},
	{"mv d e && ls && mkdir -p d/new && mv d/new d/newer && ls d", "e\nmoved\nnewer\n"},
	{"ln moved link && ln -s link symbolic && cat symbolic && chmod 600 link && stat -c %a moved", "old\nmore\n600\n"},
	{"echo x >d/t && truncate -s 5 d/t && stat -c %s d/t && rm -r d e && ls", "5\nlink\nmoved\nsymbolic\n"},
	{"exec 3>moved && echo open >&3 && cat moved && mkfifo pipe && rm pipe", "open\n"},
}

// A command changes a copy, which later commands of the session see. The directory itself stays as it
// is, also if the program makes the changes of the command itself.
func TestCommandsChangeACopy(t *testing.T) {
	for name, c := range map[string]confined{"alone": confine(t), "watched": watching(t, false), "strict": watching(t, true)} {
		t.Run(name, func(t *testing.T) {
			c.t = t
			lower, dir := c.overlay()
			for _, try := range changesOfCopy {
				if r := c.run("cd '" + lower + "' && " + try.line); r.Output != try.want || r.Code != 0 {
					t.Errorf("%s: %+v, want %q", try.line, r, try.want)
				}
			}
			old, err := os.ReadFile(filepath.Join(lower, "old"))
			inner, e := os.ReadFile(filepath.Join(lower, "d/inner"))
			entries, _ := os.ReadDir(lower)
			if err != nil || e != nil || string(old) != "old\n" || string(inner) != "inner\n" || len(entries) != 2 {
				t.Errorf("the directory has changed: %v", entries)
			}
			if b, err := os.ReadFile(filepath.Join(dir, sandbox.UpperPart, "moved")); err != nil || string(b) != "open\n" {
				t.Errorf("the copy has %q, %v", b, err)
			}
			if r := c.run("ls '" + filepath.Dir(dir) + "'"); r.Output != "" {
				t.Errorf("the command sees the parts of the copy: %+v", r)
			}
			plain := c
			plain.profile.Overlays = nil
			plain.profile.NoHome = false
			if r := plain.run("ls '" + lower + "'"); strings.TrimSpace(r.Output) != "d\nold" {
				t.Errorf("a command with the directory itself sees %+v", r)
			}
		})
	}
}

// watching returns a workspace whose commands are watched. If strict is set, the program makes their
// file changes itself.
func watching(t *testing.T, strict bool) confined {
	w := watch(t, sandbox.Complete)
	w.order.Strict, w.order.Git = strict, strict
	w.snapshot = &w.order
	return w.confined
}
