package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
)

// BenchmarkWatch compares commands in the sandbox that keep the files they change with
// those that do not. The goals: nothing is at most 1 ms slower, rewriting takes at most
// three times as long, and building at most 3 % longer.
func BenchmarkWatch(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"nothing", "grep -rlq nothing . || true"},
		{"rewrite-1000-files", "sed -i s/line/LINE/ files/*"},
		{"remove-1000-files", "rm -r files"},
		{"go-build", "cd src && GOFLAGS=-mod=mod GOCACHE=$PWD/../cache go build -o /dev/null ./..."},
	} {
		for _, keep := range []bool{false, true} {
			name := c.name + "/bare"
			if keep {
				name = c.name + "/watched"
			}
			b.Run(name, func(b *testing.B) {
				var cpu time.Duration
				for b.Loop() {
					b.StopTimer()
					w := watch(b, sandbox.Complete)
					layBench(b, w.dir)
					command := w.command(c.line)
					if !keep {
						command.Snapshot = nil
					}
					began := childTime(b)
					b.StartTimer()
					if r, err := shell.Run(b.Context(), command); err != nil || r.Code != 0 || keep && r.Kept.Problem != "" {
						b.Fatal(err, r)
					}
					cpu += childTime(b) - began
				}
				b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// childTime returns the CPU time of the keepers and commands that have ended.
func childTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// layBench creates a thousand files of 6 KB and a small Go program.
func layBench(b *testing.B, dir string) {
	for _, d := range []string{"files", "src"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 1000 {
		var text strings.Builder
		for n := range 150 {
			fmt.Fprintf(&text, "%d: a line of the file number %d\n", n, i*n)
		}
		write(b, filepath.Join(dir, "files", fmt.Sprint(i)), text.String())
	}
	write(b, filepath.Join(dir, "src/go.mod"), "module example.org/bench\n")
	write(b, filepath.Join(dir, "src/main.go"), "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n\nfunc main() { fmt.Println(http.Get(\"http://localhost\")) }\n")
}
