package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// measure is a row of the table: a measured quantity and its target.
type measure struct {
	name string // of the benchmark: -bench Speed/NAME runs only this one
	what string
	goal string
	run  func(*testing.B) string
}

var measures = []measure{
	{"start", "start → first typed character shown; CPU", "25 ms; 0.04 s", measureStart},
	{"servers", "five MCP servers configured: how much later the first typed character is shown", "5 ms", measureServers},
	{"helper", "helper process: start → its command runs; CPU; memory (PSS)", "10 ms; 0.01 s; 12 MiB", measureHelper},
	{"watch", "command that keeps the files it changes, against one that does not, among 50,000 files: nothing changed; 1,000 files rewritten by `sed -i`; `go build` without a cache", "1 ms; 3 times; 1.03 times", measureWatch},
	{"undo", "`agent undo` of a command that rewrote 1,000 of 50,000 files", "2 s", measureUndo},
	{"store", "100 turns that edit a file of 4 KB: size of the store for undo", "1 MiB", measureStore},
	{"idle", "idle: memory (PSS); CPU and bytes written in 10 s", "25 MiB; 0; 0", measureIdle},
	{"key", "key → screen, p95, idle", "8 ms", measureKey},
	{"key-streaming", "key → screen, p95, while 200 tokens/s stream", "8 ms", measureKeyStreaming},
	{"key-long", "key → screen, p95, with 10,000 messages: idle; while streaming", "8 ms; 8 ms", measureKeyLong},
	{"delta", "first delta → on screen", "8 ms", measureDelta},
	{"stream", "2,000 tokens at 200/s: sent → on screen, median; CPU; bytes to the terminal", "20 ms; 0.5 s; 60 KiB", measureStream},
	{"burst", "20,000 tokens at once: last one on screen; CPU; peak memory", "0.4 s; 0.4 s; 50 MiB", measureBurst},
	{"cancel", "interrupt → connection closed; → typing shown", "3 ms; 10 ms", measureCancel},
	{"rounds", "20 rounds of a read tool: time per round without the server's; CPU", "2 ms; 0.06 s", measureRounds},
	{"delegates", "8 delegates at once, with one request each: time of each; memory of each (PSS)", "5 ms; 2 MiB", measureDelegates},
	{"key-delegates", "key → screen, p95, while 8 delegates stream 200 tokens/s each", "8 ms", measureKeyDelegates},
	{"steps", "1,000 steps that read a small file: CPU of a step at the end, against one at the beginning; memory (PSS) at step 10; at the end", "1.5 times; 25 MiB; 40 MiB", measureSteps},
	{"growth", "a task of 27 requests (20 files of 4 KB read, 2 searches, one of long lines, 2 edits, a long output): growth of the request, in tokens", "35,000", measureGrowth},
	{"many", "200 `agent run` at once in one workspace, each edits a file and runs a command: failures; valid sessions; memory of each (PSS)", "0; 200; 20 MiB", measureMany},
	{"run", "`agent run`, one sentence: elapsed time; CPU; memory", "30 ms; 0.04 s; 25 MiB", measureRun},
	{"turns", "100 turns of 10 KiB: CPU; memory at the end; resumed → last answer visible", "2 s; 60 MiB; 60 ms", measureTurns},
	{"scroll", "scrolling 10,000 messages: worst frame's CPU; median", "16 ms; –", measureScroll},
	{"open", "opening 10,000 messages of 50 MB → last answer visible; peak memory", "100 ms; 76 MiB", measureOpen},
}

// BenchmarkSpeed measures the shipped binary in a terminal of 120x40 against a
// model server on loopback. It prints a table of figures and goals. UPDATE=1
// writes it into the help topic speed.
func BenchmarkSpeed(b *testing.B) {
	program := os.Getenv(measuredProgram)
	if program == "" {
		program = buildProgram(b)
	}
	useProgram(b, program)
	figures := map[string]string{}
	for _, m := range measures {
		b.Run(m.name, func(b *testing.B) {
			b.ReportMetric(0, "ns/op") // the total time is meaningless
			if figures[m.name] == "" {
				figures[m.name] = m.run(b)
			}
		})
	}
	if len(figures) == 0 {
		return
	}
	fmt.Printf("\n%s\n", speedTable(figures, true))
	if os.Getenv("UPDATE") != "" && len(figures) == len(measures) {
		writeTable(b, speedTable(figures, false))
	}
}

// The page for contributors has a row of each measure, without its goal.
func TestSpeedPageHasEveryMeasure(t *testing.T) {
	text := readText(t, speedPage)
	for _, m := range measures {
		if row := regexp.MustCompile(`\| ` + regexp.QuoteMeta(m.what) + ` \| [^|\n]+ \|\n`); !row.MatchString(text) {
			t.Errorf("the row of %s is missing", m.name)
		}
	}
}

// writeTable writes the table into the page for contributors.
func writeTable(b *testing.B, table string) {
	text, err := os.ReadFile(speedPage)
	if err != nil {
		b.Fatal(err)
	}
	out, err := withBlock(string(text), "speed", table)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(speedPage, []byte(out), 0o644); err != nil {
		b.Fatal(err)
	}
}

// speedTable returns the table of the figures measured, with a column of goals if set.
func speedTable(figures map[string]string, goals bool) string {
	var t strings.Builder
	row := func(what, measured, goal string) {
		if fmt.Fprintf(&t, "| %s | %s |", what, measured); goals {
			fmt.Fprintf(&t, " %s |", goal)
		}
		t.WriteString("\n")
	}
	row("what", "measured", "goal")
	row("---", "---", "---")
	for _, m := range measures {
		if r := figures[m.name]; r != "" {
			row(m.what, r, m.goal)
		}
	}
	fmt.Fprintf(&t, "\n%s, %d shared cores, Linux, %s.\n", processor(), runtime.NumCPU(), runtime.Version())
	return t.String()
}

// processor returns the name of the CPU.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// quantile returns the value below which the given share of all lies.
func quantile[T int64 | float64 | time.Duration](all []T, share float64) T {
	slices.Sort(all)
	return all[min(len(all)-1, int(share*float64(len(all))))]
}

func median[T int64 | float64 | time.Duration](all []T) T { return quantile(all, 0.5) }

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }
func mebibytes(n float64) string     { return fmt.Sprintf("%.0f MiB", n) }
func kibibytes(n int) string         { return fmt.Sprintf("%.0f KiB", float64(n)/1024) }
