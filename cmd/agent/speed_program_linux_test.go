package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/supervisor"
)

// buildProgram builds the program like make build, and returns its path.
func buildProgram(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "agent")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// useProgram makes the program at a path the first one in PATH. It must be called agent.
func useProgram(b *testing.B, path string) {
	b.Setenv("PATH", filepath.Dir(path)+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// process is a running program, seen from outside.
type process int

// cpu returns the CPU time of p in nanoseconds, because /proc has it only in
// hundredths of a second.
func (p process) cpu(b *testing.B) time.Duration {
	b.Helper()
	const wholeProcess = 2 // CPUCLOCK_SCHED, of all threads
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^int(p))<<3|wholeProcess, &t); err != nil {
		b.Fatalf("read the processor time of the program: %v", err)
	}
	return time.Duration(t.Nano())
}

// memory returns the proportional set size of p in MiB.
func (p process) memory(b *testing.B) float64 { return p.kib(b, "smaps_rollup", "Pss:") / 1024 }

// peak returns the peak resident memory of p in MiB.
func (p process) peak(b *testing.B) float64 { return p.kib(b, "status", "VmHWM:") / 1024 }

// kib returns a value in KiB from a file of /proc about p.
func (p process) kib(b *testing.B, file, name string) float64 {
	b.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/%s", p, file))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), name); ok {
			n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	b.Fatalf("there is no %s in %s", name, file)
	return 0
}

// measureHelper starts the supervisor processes of waiting commands, one after another.
func measureHelper(b *testing.B) string {
	program, err := exec.LookPath("agent")
	if err != nil {
		b.Fatal(err)
	}
	var starts, cpu []time.Duration
	var memory []float64
	for range 20 {
		begun := time.Now()
		k := startSupervisor(b, program, os.DevNull, "sleep 600")
		for r := range k.reports() {
			switch r.Kind {
			case supervisor.Started:
				starts = append(starts, time.Since(begun))
				p := process(k.cmd.Process.Pid)
				cpu, memory = append(cpu, p.cpu(b)), append(memory, p.memory(b))
				k.kill.Close()
			case supervisor.Failed:
				b.Fatalf("the command did not start: error %d", r.Value)
			}
		}
		if err := k.cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	return fmt.Sprintf("%s; %s; %s", millis(median(starts)), seconds(median(cpu)), mebibytes(median(memory)))
}
