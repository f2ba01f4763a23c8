package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/settings"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
)

func projectOf(t *testing.T, state, dir string) settings.ProjectFile {
	t.Helper()
	f, err := settings.ProjectOf(state, dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t *testing.T, f settings.ProjectFile) settings.Project {
	t.Helper()
	p, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func grantOf(dir, words string) standing.Grant {
	return standing.Grant{
		Scope: standing.Scope{Kind: "command", Value: words, Dir: dir, Prefix: true},
		Files: []standing.File{{Path: filepath.Join(dir, "package.json"), Sum: "sha256:00"}},
	}
}

// The permissions of a project are stored in one private file, and read again.
func TestProjectRemembersGrants(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	f := projectOf(t, state, dir)
	if d := cmp.Diff(read(t, f), settings.Project{}); d != "" {
		t.Error(d)
	}
	one, two := grantOf(dir, "npm test"), grantOf(dir, "go vet")
	two.Network = true
	sealed := one
	sealed.Seal = "the seal of a session"
	for _, g := range []standing.Grant{grantOf(dir, "npm test"), two, sealed} {
		if err := f.Remember(g); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(read(t, f).Grants, []standing.Grant{two, one}); d != "" {
		t.Error(d)
	}
	if info, err := os.Stat(f.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	if err := f.Forget(two); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(read(t, f).Grants, []standing.Grant{one}); d != "" {
		t.Error(d)
	}
}

// Rules that the user wrote into the file apply, and can be removed one by one.
func TestProjectRules(t *testing.T) {
	f := projectOf(t, t.TempDir(), t.TempDir())
	g := grantOf("/work", "go vet")
	if err := f.Remember(g); err != nil {
		t.Fatal(err)
	}
	text := readText(t, f.Path)
	text = strings.Replace(text, `"permissions": {}`, "\"permissions\": {\"allow\": [\n\"command: go test\", \"command: go run\"], \"deny\": [\n{\"rule\": \"edit: x\", \"match\": [\"x\"]}]}", 1)
	if err := os.WriteFile(f.Path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := read(t, f).Rules
	want := []string{"deny edit: x 5", "allow command: go test 4", "allow command: go run 4"}
	if d := cmp.Diff(texts(rules, f.Path), want); d != "" {
		t.Error(d)
	}
	if err := f.ForgetRule(rules[1]); err != nil {
		t.Fatal(err)
	}
	p := read(t, f)
	if d := cmp.Diff(texts(p.Rules, f.Path), []string{"deny edit: x 8", "allow command: go run 5"}); d != "" {
		t.Error(d, readText(t, f.Path))
	}
	if d := cmp.Diff(p.Grants, []standing.Grant{g}); d != "" {
		t.Error(d)
	}
}

// texts returns rules with the lines of their sources.
func texts(rules []rule.Rule, path string) (out []string) {
	for _, r := range rules {
		out = append(out, r.String()+" "+strings.TrimPrefix(r.Source, path+":"))
	}
	return out
}

// A file that cannot be read, or that is not for this workspace, grants nothing and is
// never replaced.
func TestDamagedProject(t *testing.T) {
	state, dir, other := t.TempDir(), t.TempDir(), t.TempDir()
	f := projectOf(t, state, dir)
	if err := f.Remember(grantOf(dir, "npm test")); err != nil {
		t.Fatal(err)
	}
	whole := readText(t, f.Path)
	foreign := projectOf(t, state, other)
	if err := foreign.Remember(grantOf(other, "npm test")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, err string }{
		"cut":       {whole[:len(whole)/2], "unexpected end of JSON input"},
		"empty":     {"", "unexpected end of JSON input"},
		"zeros":     {strings.Repeat("\x00", 512), "invalid character"},
		"unknown":   {strings.Replace(whole, `"grants"`, `"grant"`, 1), `unknown setting "grant" (did you mean "grants"?)`},
		"copied":    {readText(t, foreign.Path), "is for the workspace"},
		"no path":   {`{"grants": []}`, `missing "path"`},
		"bad rule":  {strings.Replace(whole, `"permissions": {}`, `"permissions": {"allow": ["all"]}`, 1), `:3: permissions.allow[0]: the rule "all"`},
		"long file": {"{}" + strings.Repeat(" ", 1<<20), "is not a regular file of at most 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(f.Path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := f.Read()
			if d := cmp.Diff(p, settings.Project{}); d != "" || err == nil || !strings.Contains(err.Error(), f.Path) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("got error %v, want the path and %q\n%s", err, c.err, d)
			}
			for _, err := range []error{f.Remember(grantOf(dir, "go vet")), f.Forget(grantOf(dir, "npm test"))} {
				if err == nil || !strings.Contains(err.Error(), f.Path) {
					t.Errorf("got error %v", err)
				}
			}
			if readText(t, f.Path) != c.text {
				t.Error("the damaged file was changed")
			}
		})
	}
}

// Another user cannot give permissions by writing into the file.
func TestProjectIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	dir := t.TempDir()
	f := projectOf(t, t.TempDir(), dir)
	if err := f.Remember(grantOf(dir, "npm test")); err != nil {
		t.Fatal(err)
	}
	chmod(t, f.Path, 0o622)
	if p, err := f.Read(); len(p.Grants) > 0 || err == nil || !strings.Contains(err.Error(), "must not be writable by other users") {
		t.Errorf("got %v, %v", p, err)
	}
}

// A workspace is known by its path without links: a copy, a moved workspace and a link
// that points elsewhere get no permissions.
func TestProjectPaths(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	real, link, copied := filepath.Join(root, "shop"), filepath.Join(root, "link"), filepath.Join(root, "copy")
	for _, dir := range []string{real, copied} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("cannot create links: ", err)
	}
	if err := projectOf(t, state, link).Remember(grantOf(real, "npm test")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, projectOf(t, state, real)).Grants; len(got) != 1 {
		t.Errorf("the workspace behind a link has the permissions %v", got)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(copied, link); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(root, "moved")
	if err := os.Rename(real, moved); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{link, copied, moved} {
		if got := read(t, projectOf(t, state, dir)).Grants; len(got) > 0 {
			t.Errorf("%s has the permissions %v", dir, got)
		}
	}
	if _, err := settings.ProjectOf(state, real); err == nil {
		t.Error("a missing workspace has permissions")
	}
}

// Programs that remember permissions at the same time lose none.
func TestProjectConcurrently(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	var all sync.WaitGroup
	for i := range 16 {
		f := projectOf(t, state, dir)
		all.Go(func() {
			if err := f.Remember(grantOf(dir, fmt.Sprintf("npm run %d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := read(t, projectOf(t, state, dir)).Grants; len(got) != 16 {
		t.Errorf("%d of 16 permissions are left", len(got))
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
