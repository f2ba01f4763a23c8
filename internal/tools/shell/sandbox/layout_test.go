//go:build unix

package sandbox

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// The entry nearest to a file decides, and the directories above a protected path
// cannot be renamed.
func TestLayout(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"home/work/.git/hooks", "home/work/sub", "home/.ssh", "home/go/pkg/mod", "home/other", "tmp/a/private", "tmp/w/sub/.git/hooks"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("work", filepath.Join(top, "home/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(top, "home/other"), filepath.Join(top, "tmp/out")); err != nil {
		t.Fatal(err)
	}
	p := plan{paths: map[string]access{}}
	for path, a := range map[string]access{
		"home": hide, "home/link": write, "home/work/sub": write, "home/work/.git/hooks": readOnly, "home/.ssh": hide,
		"home/go": show, "home/go/pkg/mod": write, "home/missing": readOnly, "home/other": readOnly, "tmp": write, "tmp/a/private": hide,
		"tmp/out": write, "tmp/w": write, "tmp/w/sub/.git/hooks": readOnly,
	} {
		p.paths[filepath.Join(top, path)] = a
	}
	var got []string
	for _, e := range p.layout() {
		above := "-"
		if e.above != nil {
			above = strings.TrimPrefix(e.above.path, top)
		}
		got = append(got, string(e.access)+" "+strings.TrimPrefix(e.path, top)+" "+above)
	}
	want := []string{
		"y /home -",
		"s /home/go /home",
		"w /home/go/pkg/mod /home/go",
		"w /home/work /home",
		"p /home/work/.git /home/work",
		"x /home/work/.git/hooks /home/work/.git",
		"w /tmp -",
		"p /tmp/a /tmp",
		"y /tmp/a/private /tmp/a",
		"p /tmp/w /tmp",
		"p /tmp/w/sub /tmp/w",
		"p /tmp/w/sub/.git /tmp/w/sub",
		"x /tmp/w/sub/.git/hooks /tmp/w/sub/.git",
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// Only what a profile shows is below the temporary directory of the command: it is mounted there.
func TestLayoutOfATemporaryDirectory(t *testing.T) {
	mount, err := filepath.EvalSymlinks(TempMounts[0])
	if err != nil {
		t.Skip(err)
	}
	top, err := os.MkdirTemp(mount, "layout-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	for _, dir := range []string{"work/.git/hooks", "work/private", "home/.ssh", "home/go/pkg", "fixed/sub", "other"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := plan{temp: "/session", paths: map[string]access{mount: hide}}
	for path, a := range map[string]access{
		"work": write, "work/.git/hooks": readOnly, "work/private": hide, "home": hide, "home/.ssh": hide, "home/go": show, "home/go/pkg": write,
		"fixed": readOnly, "fixed/sub": readOnly, "other": hide,
	} {
		p.paths[filepath.Join(top, path)] = a
	}
	var got []string
	for _, e := range p.layout() {
		if strings.HasPrefix(e.path, mount) {
			got = append(got, string(e.access)+" "+strings.Replace(e.path, top, "TOP", 1))
		}
	}
	want := []string{
		"t " + mount, "q TOP", "s TOP/fixed", "s TOP/home/go", "w TOP/home/go/pkg", "w TOP/work", "p TOP/work/.git", "x TOP/work/.git/hooks", "y TOP/work/private",
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

func TestSeatbeltText(t *testing.T) {
	paths := map[string]access{
		"/Users/u": hide, "/Users/u/work": write, `/Users/u/work/with "quotes"`: readOnly, "/Users/u/work/.git/hooks": readOnly,
		"/Users/u/go": show, "/private/tmp": write, "/Users/u/.ssh": hide,
	}
	for name, network := range map[string]bool{"seatbelt.sb": false, "seatbelt-network.sb": true} {
		file, got := filepath.Join("testdata", name), seatbelt(paths, network)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, string(want)); d != "" {
			t.Errorf("%s: got (-), want (+):\n%s", name, d)
		}
	}
}
