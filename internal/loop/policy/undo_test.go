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
	// The verdicts are those in mode auto, in mode all, and in mode all without undo.
	for _, c := range []struct{ command, edits, all, without string }{
		{"ls", "private", "private", "private"},
		{"make test", "kept", "kept", "runs"},
		{"go build ./... && go test ./... | tail -3", "kept", "kept", "runs"},
		{"python3 gen.py > src/y.go", "kept", "kept", "asks"},
		{"for x in *.o; do echo $x >> list; done", "kept", "kept", "runs"},
		{"mkdir -p out && cp main.go out/", "kept", "kept", "runs"},
		{"cp main.go src/y.go", "kept", "kept", "asks"},
		{"mv main.go src/y.go", "kept", "kept", "asks"},
		{"mv build old", "kept", "kept", "runs"},
		{"rm -rf build", "kept", "kept", "asks"},
		{"rm -rf build && make", "kept", "kept", "asks"},
		{"cd src && rm y.go; rm ../a.o", "kept", "kept", "asks"},
		{"rm *.o", "kept", "kept", "asks"},
		{"bash -c 'rm -rf build'", "kept", "kept", "asks"},
		{"sed -i s/a/b/ main.go", "kept", "kept", "asks"},
		{"truncate -s 0 main.go", "kept", "kept", "asks"},
		{"echo x > main.go", "kept", "kept", "asks"},
		{"echo $X > main.go", "kept", "kept", "asks"},
		{"tee main.go", "kept", "kept", "asks"},
		{"chmod -R go-w src", "kept", "kept", "asks"},
		{"find . -name '*.o' -delete", "kept", "kept", "asks"},
		{"find src build -type f -delete", "kept", "kept", "asks"},
		{"git clean -fdx", "kept", "kept", "asks"},
		{"git checkout -- .", "kept", "kept", "asks"},
		{"git checkout main.go", "kept", "kept", "asks"},
		{"git restore .", "kept", "kept", "asks"},
		{"git reset --hard", "kept", "kept", "asks"},
		{"git reset --hard HEAD && git clean -fd", "kept", "kept", "asks"},
		{"git reset", "kept", "kept", "asks"},
		{"git reset main.go", "kept", "kept", "asks"},
		{"git reset -q -- main.go", "kept", "kept", "asks"},
		{"git reset HEAD main.go", "kept", "kept", "asks"},
		{"git checkout -f HEAD", "kept", "kept", "asks"},
		{"git checkout HEAD -- main.go", "kept", "kept", "asks"},
		{"git clean -fd && rm -rf build && ls src", "kept", "kept", "asks"},
		// Another program in the line can run git: undo records what it changes.
		{"git reset --hard && python3 gen.py", "kept", "kept", "asks"},
		{"make && git checkout -- .", "kept", "kept", "asks"},
		{"git restore .; sed -i s/a/b/ main.go", "kept", "kept", "asks"},

		{"git commit -qam x", "asks", "kept", "runs"},
		{"git reset --hard HEAD~1", "asks", "kept", "asks"},
		{"git reset HEAD~2", "asks", "kept", "asks"},
		{"git reset -q HEAD^^", "asks", "kept", "asks"},
		{"git reset --mixed main --", "asks", "kept", "asks"},
		{"git reset ':/Fix*'", "asks", "kept", "asks"},
		{"git reset --soft HEAD~2", "asks", "kept", "asks"},
		{"git checkout -f HEAD~2", "asks", "kept", "asks"},
		{"git checkout -f main --", "asks", "kept", "asks"},
		{"git checkout -f --detach", "asks", "kept", "asks"},
		{"git checkout -qfb x", "asks", "kept", "asks"},
		{"git switch -f main", "asks", "kept", "asks"},
		{"git clean -ffdx", "asks", "asks", "asks"},
		{"git -C src clean -fd", "kept", "kept", "asks"},
		{"git checkout -B main", "asks", "kept", "asks"},
		{"git switch -C main", "asks", "kept", "asks"},
		{"git stash drop", "kept", "kept", "asks"},
		{"git stash clear", "kept", "kept", "asks"},
		{"git branch -D x", "asks", "kept", "asks"},
		{"git worktree add -fB foo sub/w HEAD~2", "asks", "kept", "asks"},
		{"git symbolic-ref refs/heads/foo refs/heads/zzz", "asks", "kept", "asks"},
		{"git send-pack --force . a:b", "asks", "kept", "asks"},
		{"git fast-import --force", "asks", "kept", "asks"},
		{"git notes remove", "asks", "kept", "asks"},
		{"git notes add -qf -m x", "asks", "kept", "asks"},
		{"git rebase --onto HEAD~3 HEAD~1", "asks", "kept", "asks"},
		{"git rebase --root", "asks", "kept", "asks"},
		{"git rebase --abort", "asks", "kept", "asks"},
		{"git rebase --skip", "asks", "kept", "asks"},
		{"git merge --abort", "asks", "kept", "asks"},
		{"git am --abort", "asks", "kept", "asks"},
		{"git cherry-pick --abort", "asks", "kept", "asks"},
		{"git revert --abort", "asks", "kept", "asks"},
		{"git mv -f main.go a.o", "kept", "kept", "asks"},
		{"git refs delete x", "asks", "kept", "asks"},
		{"git maintenance run", "asks", "kept", "asks"},
		{"git repack -ad", "asks", "kept", "asks"},
		{"git stash export --to-ref refs/heads/x", "kept", "kept", "asks"},
		{"git lg", "asks", "kept", "asks"},
		{"git add .", "kept", "kept", "runs"},
		{"git stash pop", "kept", "kept", "runs"},
		{"git switch main", "asks", "kept", "runs"},
		{"git checkout -b new", "asks", "kept", "runs"},
		{"git rebase main", "asks", "kept", "runs"},
		{"git merge main", "asks", "kept", "runs"},
		{"git cherry-pick main", "asks", "kept", "runs"},
		{"git worktree add -b new sub/w", "asks", "kept", "runs"},
		{"git fsck", "kept", "kept", "runs"},
		{"git rm -nf --no-dry-run main.go", "kept", "kept", "asks"},
		{"git config user.name", "kept", "kept", "runs"},
		{"git config --get-regexp user", "kept", "kept", "runs"},
		{"git config user.name x", "asks", "kept", "runs"},
		{"git config --unset user.name", "asks", "kept", "runs"},
		{"git worktree remove sub/w", "asks", "kept", "asks"},
		{"git gc --prune=now", "asks", "asks", "asks"},
		{"git reflog expire --expire=now --all", "asks", "asks", "asks"},
		{"git push --force", "asks+network", "asks+network", "asks+network"},
		{"rm -rf .git", "asks", "asks", "asks"},
		{"rm -rf sub", "asks", "asks", "asks"},
		{"mv sub other", "kept", "kept", "runs"},
		{"rm -rf " + dir, "asks", "asks", "asks"},
		{"rm -rf build " + outside, "asks", "asks", "asks"},
		{"rm -rf ~/x", "asks", "asks", "asks"},
		{"rm -rf build $X", "kept", "kept", "asks"},
		{"rm -rf build; cd $X; rm x", "kept", "kept", "asks"},
		{"find . -name '*.o' | xargs rm", "kept", "kept", "asks"},
		{"find . -exec rm {} +", "kept", "kept", "asks"},
		{"find missing -type f -delete", "kept", "kept", "asks"},
		{"find . -name x -delete; git add .", "asks", "asks", "asks"},
		{"find " + outside + " -delete", "asks", "asks", "asks"},
		{"git clean -fd && rm -rf build", "kept", "kept", "asks"},
		{"git clean -fd && make", "kept", "kept", "asks"},
		{"git clean -fd && git status", "kept", "kept", "asks"},
		{"kill 1", "kept", "kept", "asks"},
		{"./server & sleep 1; curl localhost:8080; kill $!", "kept", "kept", "asks"},
		{"pkill -f server; killall node", "kept", "kept", "asks"},
		{"sudo rm -rf build", "asks", "asks", "asks"},
		{"chown -R x src", "asks", "asks", "asks"},
		{"npm uninstall x", "asks", "asks", "asks"},
		{"npm ci", "asks+network", "asks+network", "asks+network"},
		{"rm .envrc", "asks", "asks", "asks"},
		{"cat .env | tee copy", "asks", "asks", "asks"},
		{"cp " + outside + "/x .", "kept", "kept", "runs"},
		{"$X", "kept", "kept", "asks"},
	} {
		for _, r := range []struct {
			mode event.Mode
			room int64
			want string
		}{
			{event.ModeAuto, 1 << 20, c.edits}, {event.ModeAll, 1 << 20, c.all}, {event.ModeAll, 0, c.without},
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

// A line that runs git clean keeps git directories read-only, because its other programs
// could change them.
func TestGitCleanDoesNotOpenGitDirectories(t *testing.T) {
	dir := committed(t)
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Git: git.NewReader(), Room: room(1 << 20)}
	for command, want := range map[string]bool{"git clean -fd": true, "git clean -fd && make": false, "git clean -fd && git reset --hard": true} {
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

// A command that destroys files cannot change git directories, unless it is git.
func TestDestructiveCommandsCannotChangeGitDirectories(t *testing.T) {
	dir := committed(t, "sub/.git", "build/x")
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Git: git.NewReader(), Room: room(1 << 20)}
	for command, want := range map[string]string{
		"rm -rf build": ".git", "find . -name x -delete": ".git sub/.git", "find build -delete": ".git", "git clean -fd": "", "git status && rm main.go": ".git", "git add . && rm main.go": "",
	} {
		v := asks(&policy.Policy{Mode: event.ModeAll}, at, run(dir, command))
		var got []string
		for _, path := range v.Access.ReadOnly {
			got = append(got, strings.TrimPrefix(path, dir+"/"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	for mode, want := range map[event.Mode]int{event.ModeAuto: 1, event.ModeAll: 1} {
		if v := asks(&policy.Policy{Mode: mode}, at, run(dir, "make")); len(v.Access.ReadOnly) != want {
			t.Errorf("make in %s: %q", mode, v.Access.ReadOnly)
		}
	}
	at.Sandbox = policy.SandboxPartial
	if got := outcome(asks(&policy.Policy{Mode: event.ModeAll}, at, run(dir, "find . -name x -delete"))); got != "asks" {
		t.Errorf("without a complete sandbox: %s", got)
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
		"rm -rf build $X":        "`rm` deletes files: build/ (2 files, 38 bytes) and $X; cannot be undone: `rm` deletes files, and its text does not show which",
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
	if v := asks(&policy.Policy{Mode: event.ModeAll}, at, run(dir, "rm -rf build")); !v.Ask || !strings.HasSuffix(v.Warning, "cannot be undone: 38 bytes of old file contents: undo has room for 10 bytes") {
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

// Discarding what is staged needs approval if undo does not restore the index.
func TestStagedChangesNeedApproval(t *testing.T) {
	dir := committed(t)
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxPartial, Room: room(1 << 20)}
	check := func(command, want string) {
		t.Helper()
		if v := asks(&policy.Policy{Mode: event.ModeAll}, at, run(dir, command)); strictly(v) != want {
			t.Errorf("%s: %s, want %s (%s)", command, strictly(v), want, v.Warning)
		}
	}
	check("git reset --hard", "asks") // nothing can tell what is staged
	at.Git = git.NewReader()
	check("git reset --hard", "kept")
	gitIn(t, dir, "add", "main.go")
	check("git reset --hard", "asks")
	check("git checkout -f", "asks")
	check("git checkout HEAD -- main.go", "asks")
	check("git checkout -- main.go", "kept")
	check("git clean -fd", "kept")
	at.Sandbox = policy.SandboxFull
	check("git reset --hard", "kept")
	check("git checkout -f", "kept")
	if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(filepath.Dir(dir), "elsewhere")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".git"), "gitdir: ../elsewhere\n") // which does not know the workspace
	check("git stash clear", "asks")
}
