package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/snapshot"
)

// measureWatch compares commands in the sandbox that keep the files they change with the
// same commands that do not, in a workspace of 50,000 files. The shortest run of each
// counts.
func measureWatch(b *testing.B) string {
	if r := sandbox.Probe(); r.Form != sandbox.Complete || !r.Notify {
		b.Skipf("commands cannot be watched here: %+v", r)
	}
	top, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	layTree(b, filepath.Join(top, "workspace"))
	session := sandbox.NewSession(sandbox.Complete)
	defer session.Close()
	fastest := func(line string, rounds int) (bare, watched time.Duration) {
		for range rounds {
			bare = shorter(bare, timeCommand(b, session, top, line, false))
			watched = shorter(watched, timeCommand(b, session, top, line, true))
		}
		return bare, watched
	}
	bare, watched := fastest("true", 20)
	nothing := watched - bare
	bare, watched = fastest("sed -i s/line/LINE/ files/*", 3)
	rewrite := float64(watched) / float64(bare)
	bare, watched = fastest("cd src && TMPDIR=$PWD/../.. GOFLAGS=-mod=mod GOCACHE=$PWD/../../cache go build -o ../../program ./...", 3)
	return fmt.Sprintf("%s; %.1f; %.2f", millis(nothing), rewrite, float64(watched)/float64(bare))
}

// shorter returns the shorter of two durations. Zero means none.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// timeCommand returns how long a command takes in the workspace of the directory top,
// with new files and without what earlier commands left beside the workspace.
func timeCommand(b *testing.B, session *sandbox.Session, top, line string, keep bool) time.Duration {
	dir := filepath.Join(top, "workspace")
	layFiles(b, dir)
	for _, name := range []string{"session.undo", "cache", "program"} {
		if err := os.RemoveAll(filepath.Join(top, name)); err != nil {
			b.Fatal(err)
		}
	}
	c := shell.Command{Line: line, Dir: dir, Env: os.Environ(), Limits: shell.Limits{Sandbox: &sandbox.Profile{Write: []string{top}, Session: session}}}
	if keep {
		c.Snapshot = &snapshot.Order{Call: "c", Store: filepath.Join(top, "session.undo"), Roots: []string{dir}, MaxFile: 64 << 20}
	}
	began := time.Now()
	r, err := shell.Run(b.Context(), c)
	took := time.Since(began)
	if err != nil || r.Code != 0 || r.Kept.Problem != "" {
		b.Fatalf("%s: %v, %+v", line, err, r)
	}
	return took
}

// layTree creates 49 directories with a thousand small files each.
func layTree(b *testing.B, dir string) {
	for d := range 49 {
		sub := filepath.Join(dir, "tree", strconv.Itoa(d))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		for i := range 1000 {
			if err := os.WriteFile(filepath.Join(sub, strconv.Itoa(i)), []byte("a small file\n"), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// layFiles creates a thousand files of 6 KB and a small Go program.
func layFiles(b *testing.B, dir string) {
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 1000 {
		var text strings.Builder
		for n := range 150 {
			fmt.Fprintf(&text, "%d: a line of the file number %d\n", n, i*n)
		}
		write(fmt.Sprintf("files/%d", i), text.String())
	}
	write("src/go.mod", "module example.org/bench\n")
	write("src/main.go", "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n\nfunc main() { fmt.Println(http.Get(\"http://localhost\")) }\n")
}
