//go:build unix

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/shell/supervisor"
)

// A helper begins and ends before the packages are initialized that take long: no
// other package of the program has an init function, and none is initialized.
func TestHelpersStartBeforeInit(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Base(filepath.Dir(path)) == "dispatch" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k := startSupervisor(t, self, filepath.Join(t.TempDir(), "out"), "true", "GODEBUG=inittrace=1")
	for range k.reports() {
	}
	if err := k.cmd.Wait(); err != nil {
		t.Error(err)
	}
	trace := k.cmd.Stderr.(*bytes.Buffer).String()
	if !strings.Contains(trace, "init os ") {
		t.Errorf("there is no trace of initializations:\n%s", trace)
	}
	for line := range strings.Lines(trace) {
		name := strings.Fields(line)[1]
		if strings.HasPrefix(name, "agent/") || strings.Contains(name, "/chroma/") || strings.Contains(name, "/bluemonday") {
			t.Errorf("a helper initializes %s", name)
		}
	}
}

// A program started with the supervisor's arguments runs the command and nothing else.
// Here main has to recognize the arguments.
func TestMainRunsSupervisor(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	k := startSupervisor(t, self, out, "echo \"$GREETING\"; exit 3")
	var got []string
	for r := range k.reports() {
		got = append(got, fmt.Sprintf("%c", r.Kind))
		if r.Kind == supervisor.Exited && r.Value>>8 != 3 {
			t.Errorf("got wait status %#x, want exit code 3", r.Value)
		}
	}
	if d := cmp.Diff(got, []string{"s", "x", "d"}); d != "" {
		t.Error(d)
	}
	if err := k.cmd.Wait(); err != nil {
		t.Errorf("the supervisor ended with %v", err)
	}
	if b, err := os.ReadFile(out); string(b) != "hello\n" {
		t.Errorf("the command wrote %q, %v", b, err)
	}
}

// startedSupervisor is a supervisor without a program.
type startedSupervisor struct {
	cmd  *exec.Cmd
	in   *os.File // of the reports
	kill *os.File // closing it kills the command
}

// startSupervisor starts the program as the supervisor of a command, whose output goes
// to a file.
func startSupervisor(tb testing.TB, program, output, line string, env ...string) startedSupervisor {
	tb.Helper()
	orders, kill := pipe(tb)
	in, reports := pipe(tb)
	null, err := os.Open(os.DevNull)
	if err != nil {
		tb.Fatal(err)
	}
	defer null.Close()
	out, err := os.Create(output)
	if err != nil {
		tb.Fatal(err)
	}
	defer out.Close()
	k := startedSupervisor{
		cmd: &exec.Cmd{Path: program, Args: []string{supervisor.Name}, Env: env, Stderr: new(bytes.Buffer), ExtraFiles: []*os.File{orders, reports, null, out, out}},
		in:  in, kill: kill,
	}
	if err := k.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	orders.Close()
	reports.Close()
	order, err := supervisor.Order{Args: []string{"/bin/sh", "-c", line}, Env: []string{"GREETING=hello"}}.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := kill.Write(order); err != nil {
		tb.Fatal(err)
	}
	return k
}

// reports yields what the supervisor reports until it ends.
func (k startedSupervisor) reports() func(yield func(supervisor.Report) bool) {
	return func(yield func(supervisor.Report) bool) {
		for b := make([]byte, supervisor.Size); ; {
			if _, err := io.ReadFull(k.in, b); err != nil || !yield(supervisor.Decode(b)) {
				return
			}
		}
	}
}

func pipe(tb testing.TB) (r, w *os.File) {
	tb.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}
