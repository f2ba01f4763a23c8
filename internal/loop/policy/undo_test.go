package policy_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools/git"
	"agent/internal/tools/snapshot"
)

// committed returns a project in a git repository with one commit, whose file main.go has
// changed since.
func committed(t *testing.T, files ...string) string {
	t.Helper()
	dir := project(t, append(files, "main.go")...)
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", "main.go")
	gitIn(t, dir, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "First")
	write(t, filepath.Join(dir, "main.go"), "changed")
	return dir
}

// gitIn runs git in a directory.
func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// room returns a Paths.Room.
func room(bytes int64) func() int64 { return func() int64 { return bytes } }

// strictly is outcome, with "kept" for a command that runs only as far as undo can restore
// its changes.
func strictly(v policy.Verdict) string {
	if out := outcome(v); out != "runs" || !v.Access.Strict {
		return out
	}
	return "kept"
}

// The table of modes for commands if undo records their changes, and if it does not.
func TestTableOfModesWithUndo(t *testing.T) {
	dir := committed(t, "build/x", "src/y.go", "a.o", "sub/.git/HEAD", "package.json", ".env")
	outside := project(t, "x")
	at := policy.Paths{Workspace: dir, Home: filepath.Join(outside, "home"), Sandbox: policy.SandboxFull, Git: git.NewReader()}
	// The verdicts are those in mode auto and in mode all.
	for _, c := range []struct{ command, edits, all string }{
		{"ls", "private", "private"},
		{"make test", "kept", "kept"},
		{"go build ./... && go test ./... | tail -3", "kept", "kept"},
		{"python3 gen.py > src/y.go", "kept", "kept"},
		{"for x in *.o; do echo $x >> list; done", "kept", "kept"},
		{"mkdir -p out && cp main.go out/", "kept", "kept"},
		{"cp main.go src/y.go", "kept", "kept"},
		{"mv main.go src/y.go", "kept", "kept"},
		{"mv build old", "kept", "kept"},
		{"rm -rf build", "kept", "kept"},
		{"rm -rf build && make", "kept", "kept"},
		{"cd src && rm y.go; rm ../a.o", "kept", "kept"},
		{"rm *.o", "kept", "kept"},
		{"bash -c 'rm -rf build'", "kept", "kept"},
		{"sed -i s/a/b/ main.go", "kept", "kept"},
		{"truncate -s 0 main.go", "kept", "kept"},
		{"echo x > main.go", "kept", "kept"},
		{"echo $X > main.go", "kept", "kept"},
		{"tee main.go", "kept", "kept"},
		{"chmod -R go-w src", "kept", "kept"},
		{"find . -name '*.o' -delete", "kept", "kept"},
		{"find src build -type f -delete", "kept", "kept"},
		{"git clean -fdx", "kept", "kept"},
		{"git checkout -- .", "kept", "kept"},
		{"git checkout main.go", "kept", "kept"},
		{"git restore .", "kept", "kept"},
		{"git reset --hard", "kept", "kept"},
		{"git reset --hard HEAD && git clean -fd", "kept", "kept"},
		{"git reset", "kept", "kept"},
		{"git reset main.go", "kept", "kept"},
		{"git reset -q -- main.go", "kept", "kept"},
		{"git reset HEAD main.go", "kept", "kept"},
		{"git checkout -f HEAD", "kept", "kept"},
		{"git checkout HEAD -- main.go", "kept", "kept"},
		{"git clean -fd && rm -rf build && ls src", "kept", "kept"},
		// Another program in the line can run git: undo records what it changes.
		{"git reset --hard && python3 gen.py", "kept", "kept"},
		{"make && git checkout -- .", "kept", "kept"},
		{"git restore .; sed -i s/a/b/ main.go", "kept", "kept"},

		{"git commit -qam x", "asks", "kept"},
		{"git reset --hard HEAD~1", "asks", "kept"},
		{"git reset HEAD~2", "asks", "kept"},
		{"git reset -q HEAD^^", "asks", "kept"},
		{"git reset --mixed main --", "asks", "kept"},
		{"git reset ':/Fix*'", "asks", "kept"},
		{"git reset --soft HEAD~2", "asks", "kept"},
		{"git checkout -f HEAD~2", "asks", "kept"},
		{"git checkout -f main --", "asks", "kept"},
		{"git checkout -f --detach", "asks", "kept"},
		{"git checkout -qfb x", "asks", "kept"},
		{"git switch -f main", "asks", "kept"},
		{"git clean -ffdx", "kept", "kept"},
		{"git -C src clean -fd", "kept", "kept"},
		{"git checkout -B main", "asks", "kept"},
		{"git switch -C main", "asks", "kept"},
		{"git stash drop", "kept", "kept"},
		{"git stash clear", "kept", "kept"},
		{"git branch -D x", "asks", "kept"},
		{"git worktree add -fB foo sub/w HEAD~2", "asks", "kept"},
		{"git symbolic-ref refs/heads/foo refs/heads/zzz", "asks", "kept"},
		{"git send-pack --force . a:b", "asks", "kept"},
		{"git fast-import --force", "asks", "kept"},
		{"git notes remove", "asks", "kept"},
		{"git notes add -qf -m x", "asks", "kept"},
		{"git rebase --onto HEAD~3 HEAD~1", "asks", "kept"},
		{"git rebase --root", "asks", "kept"},
		{"git rebase --abort", "asks", "kept"},
		{"git rebase --skip", "asks", "kept"},
		{"git merge --abort", "asks", "kept"},
		{"git am --abort", "asks", "kept"},
		{"git cherry-pick --abort", "asks", "kept"},
		{"git revert --abort", "asks", "kept"},
		{"git mv -f main.go a.o", "kept", "kept"},
		{"git refs delete x", "asks", "kept"},
		{"git maintenance run", "asks", "kept"},
		{"git repack -ad", "asks", "kept"},
		{"git stash export --to-ref refs/heads/x", "kept", "kept"},
		{"git lg", "asks", "kept"},
		{"git add .", "kept", "kept"},
		{"git stash pop", "kept", "kept"},
		{"git switch main", "asks", "kept"},
		{"git checkout -b new", "asks", "kept"},
		{"git rebase main", "asks", "kept"},
		{"git merge main", "asks", "kept"},
		{"git cherry-pick main", "asks", "kept"},
		{"git worktree add -b new sub/w", "asks", "kept"},
		{"git fsck", "kept", "kept"},
		{"git rm -nf --no-dry-run main.go", "kept", "kept"},
		{"git config user.name", "kept", "kept"},
		{"git config --get-regexp user", "kept", "kept"},
		{"git config user.name x", "asks", "kept"},
		{"git config --unset user.name", "asks", "kept"},
		{"git worktree remove sub/w", "asks", "kept"},
		{"git gc --prune=now", "asks", "kept"},
		{"git reflog expire --expire=now --all", "asks", "kept"},
		{"git push --force", "asks+network", "asks+network"},
		{"rm -rf .git", "asks", "asks"},
		{"rm -rf sub", "kept", "kept"},
		{"mv sub other", "kept", "kept"},
		{"rm -rf " + dir, "kept", "kept"},
		{"rm -rf build " + outside, "asks", "asks"},
		{"rm -rf ~/x", "asks", "asks"},
		{"rm -rf build $X", "kept", "kept"},
		{"rm -rf build; cd $X; rm x", "kept", "kept"},
		{"find . -name '*.o' | xargs rm", "kept", "kept"},
		{"find . -exec rm {} +", "kept", "kept"},
		{"find missing -type f -delete", "kept", "kept"},
		{"find . -name x -delete; git add .", "kept", "kept"},
		{"find " + outside + " -delete", "asks", "asks"},
		{"git clean -fd && rm -rf build", "kept", "kept"},
		{"git clean -fd && make", "kept", "kept"},
		{"git clean -fd && git status", "kept", "kept"},
		{"kill 1", "kept", "kept"},
		{"./server & sleep 1; curl localhost:8080; kill $!", "kept", "kept"},
		{"pkill -f server; killall node", "kept", "kept"},
		{"sudo rm -rf build", "kept", "kept"},
		{"chown -R x src", "kept", "kept"},
		{"npm uninstall x", "kept", "kept"},
		{"npm ci", "asks+network", "asks+network"},
		{"rm .envrc", "asks", "asks"},
		{"cat .env | tee copy", "asks", "asks"},
		{"cp " + outside + "/x .", "kept", "kept"},
		{"$X", "kept", "kept"},
	} {
		for _, r := range []struct {
			mode event.Mode
			room int64
			want string
		}{
			{event.ModeAuto, 1 << 20, c.edits}, {event.ModeAll, 1 << 20, c.all}, {event.ModeAuto, 0, strings.Replace(c.all, "kept", "asks", 1)}, {event.ModeAll, 0, strings.Replace(c.all, "kept", "asks", 1)},
		} {
			at.Room = room(r.room)
			v := asks(&policy.Policy{Mode: r.mode}, at, run(dir, c.command))
			if got := strictly(v); got != r.want {
				t.Errorf("%s in %s with room for %d bytes: %s, want %s (%s; %s)", c.command, r.mode, r.room, got, r.want, v.Decider, v.Warning)
			}
		}
		at.Room = room(1 << 20)
		for mode, want := range map[event.Mode]string{event.ModeAsk: "asks", event.ModePlan: "denied"} {
			if c.edits == "private" {
				want = "private"
			}
			if got := outcome(asks(&policy.Policy{Mode: mode}, at, run(dir, c.command))); strings.TrimSuffix(got, "+network") != want {
				t.Errorf("%s in %s: %s, want %s", c.command, mode, got, want)
			}
		}
	}
}

// A line that runs git clean, but no other git command, keeps git directories read-only.
func TestGitCleanDoesNotOpenGitDirectories(t *testing.T) {
	dir := committed(t)
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Git: git.NewReader(), Room: room(1 << 20)}
	for command, want := range map[string]bool{
		"git clean -fd": false, "git clean -fd && make": false, "git clean -fd && git reset --hard": true, "ls | xargs git add": true, "timeout 5 git stash": true, "make": false,
	} {
		v := asks(&policy.Policy{Mode: event.ModeAll}, at, run(dir, command))
		if v.Access.Repositories != want || (len(v.Access.ReadOnly) == 0) != want || !v.Access.Strict {
			t.Errorf("%s: %+v", command, v.Access)
		}
	}
}

// Mode auto asks about commands without the complete sandbox, without undo, in a copy of
// the workspace, and if its store is full.
func TestEditsNeedsSandboxAndUndo(t *testing.T) {
	dir := project(t, "x")
	full := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1)}
	for what, change := range map[string]func(p *policy.Paths){
		"a partial sandbox": func(p *policy.Paths) { p.Sandbox = policy.SandboxPartial },
		"no sandbox":        func(p *policy.Paths) { p.Sandbox = policy.SandboxOff },
		"no undo":           func(p *policy.Paths) { p.Room = nil },
		"a full store":      func(p *policy.Paths) { p.Room = room(0) },
		"a copy":            func(p *policy.Paths) { p.Copy = true },
	} {
		at := full
		change(&at)
		if got := outcome(asks(&policy.Policy{Mode: event.ModeAuto}, at, run(dir, "make"))); got != "asks" {
			t.Errorf("%s: %s", what, got)
		}
	}
	if got := strictly(asks(&policy.Policy{Mode: event.ModeAuto}, full, run(dir, "make"))); got != "kept" {
		t.Error(got)
	}
}

// The dialog says what a command deletes, and names what undo cannot restore.
func TestWarningNamesWhatUndoCannotRestore(t *testing.T) {
	dir := committed(t, "build/a", "build/b/c", "linked/a", "big/data.db", "one.db")
	if err := os.Link(filepath.Join(dir, "linked/a"), filepath.Join(dir, "hard")); err != nil {
		t.Skip("the file system has no hard links")
	}
	for _, name := range []string{"big/data.db", "one.db"} {
		if err := os.Truncate(filepath.Join(dir, name), snapshot.MaxFile+1); err != nil {
			t.Fatal(err)
		}
	}
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 40)}
	for command, want := range map[string]string{
		"rm -rf build":           "`rm` deletes files: build/ (2 files, 38 bytes); can be undone",
		"rm -rf linked":          "`rm` deletes files: linked/ (1 file, 19 bytes); cannot be undone: linked/a (19 bytes): it has several hard links",
		"rm -rf big build":       "`rm` deletes files: big/ (1 file, 67.1 MB) and build/ (2 files, 38 bytes); cannot be undone: big/data.db (67.1 MB): it is larger than 64 MB",
		"rm one.db":              "`rm` deletes files: one.db (67.1 MB); cannot be undone: one.db (67.1 MB): it is larger than 64 MB",
		"git branch -D x":        "`git branch` deletes or moves branches; can be undone",
		"git gc":                 "`git gc` deletes commits; cannot be undone",
		"git checkout -- .":      "`git checkout` discards changes; can be undone",
		"find . -name a -delete": "`find` deletes files; can be undone",
		"rm -rf build $X":        "`rm` deletes files: build/ (2 files, 38 bytes) and $X",
		"make":                   "",
	} {
		if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, command)); v.Warning != want {
			t.Errorf("%s: got the warning\n%s, want\n%s", command, v.Warning, want)
		}
	}
	at.Keeps = func(file fs.FileInfo, bytes int64) bool { return bytes+file.Size() <= snapshot.MaxFile+1 }
	for command, want := range map[string]string{
		"rm one.db":      "`rm` deletes files: one.db (67.1 MB); can be undone",
		"rm -rf big":     "`rm` deletes files: big/ (1 file, 67.1 MB); can be undone",
		"rm -rf big/ *b": "`rm` deletes files: big/ (1 file, 67.1 MB) and one.db (67.1 MB); cannot be undone: one.db (67.1 MB): it is larger than 64 MB",
		">one.db":        "it overwrites `one.db`; cannot be undone: one.db (67.1 MB): it is larger than 64 MB",
	} {
		if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, command)); v.Warning != want {
			t.Errorf("kept without a copy: %s: got the warning\n%s, want\n%s", command, v.Warning, want)
		}
	}
	at.Keeps, at.Room = nil, nil
	if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, "rm -rf build")); v.Warning != "`rm` deletes files: build/ (2 files, 38 bytes)" {
		t.Errorf("without undo: %s", v.Warning)
	}
	at.Room = room(10)
	if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, "rm -rf build")); !strings.HasSuffix(v.Warning, "cannot be undone: 38 bytes of old file contents: undo has room for 10 bytes") {
		t.Errorf("with little room: %+v", v)
	}
}

// Undo can restore files whose contents fill its room. The size of a file is shown from 1 MB,
// and of what undo cannot restore, three things are named.
func TestLimitsOfWarnings(t *testing.T) {
	dir := committed(t, "one.db", "two.db", "linked/a", "linked/b", "linked/c", "linked/d", "many/0")
	for name, size := range map[string]int64{"one.db": 1_000_000, "two.db": 999_999} {
		if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		if err := os.Link(filepath.Join(dir, "linked", name), filepath.Join(dir, name+".hard")); err != nil {
			t.Skip("the file system has no hard links")
		}
	}
	for i := range 1204 {
		write(t, filepath.Join(dir, "many", strconv.Itoa(i)), "")
	}
	links := func(names ...string) string {
		for i, name := range names {
			names[i] = "linked/" + name + " (" + strconv.Itoa(len("linked/"+name)+11) + " bytes): it has several hard links"
		}
		return strings.Join(names, ", ")
	}
	for _, c := range []struct {
		command string
		room    int64
		want    string
	}{
		{"rm one.db", 1_000_000, "one.db (1.0 MB); can be undone"},
		{"rm one.db", 999_999, "one.db (1.0 MB); cannot be undone: 1.0 MB of old file contents: undo has room for 1000.0 KB"},
		{"rm two.db", 999_999, "two.db; can be undone"},
		{"rm one.db two.db", 1_999_999, "one.db (1.0 MB) and two.db; can be undone"},
		{"rm one.db two.db", 1_999_998, "one.db (1.0 MB) and two.db; cannot be undone: 2.0 MB of old file contents: undo has room for 2.0 MB"},
		{"rm -r many", 1, "many/ (1,204 files, 0 bytes); can be undone"},
		{"rm linked/a linked/b linked/c", 1 << 20, "linked/a, linked/b and linked/c; cannot be undone: " + links("a", "b", "c")},
		{"rm linked/*", 1 << 20, "linked/a, linked/b, linked/c and 1 more; cannot be undone: " + links("a", "b", "c") + " and 1 more"},
	} {
		at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(c.room)}
		if v := asks(&policy.Policy{Mode: event.ModeAsk}, at, run(dir, c.command)); v.Warning != "`rm` deletes files: "+c.want {
			t.Errorf("%s with room for %d bytes: got the warning\n%s, want\n`rm` deletes files: %s", c.command, c.room, v.Warning, c.want)
		}
	}
}

// Commands that run git need approval if undo does not restore what they change in a git directory.
func TestGitDirectoriesThatAreNotRecorded(t *testing.T) {
	dir := committed(t)
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20), Git: git.NewReader()}
	check := func(command, want string) {
		t.Helper()
		if v := asks(&policy.Policy{Mode: event.ModeAll}, at, run(dir, command)); strictly(v) != want {
			t.Errorf("%s: %s, want %s (%s)", command, strictly(v), want, v.Decider)
		}
	}
	check("git stash clear", "kept")
	if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(filepath.Dir(dir), "elsewhere")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".git"), "gitdir: ../elsewhere\n") // which does not know the workspace
	check("git stash clear", "asks")
	check("make", "kept")
}
