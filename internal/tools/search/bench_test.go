package search_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/tools/search"
)

// BenchmarkGoSource searches the source of Go for each pattern and for all of them,
// in turn with ripgrep if it is installed. It reports medians: our wall time, the
// wall time of ripgrep, their ratio and the time to the first result. It also reports
// the peak memory of the process.
func BenchmarkGoSource(b *testing.B) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("there is no go command to ask for its source")
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "src")
	if _, err := os.Stat(dir); err != nil {
		b.Skip("Go's source is not installed")
	}
	rg, _ := exec.LookPath("rg")
	tree := openTree(b, dir)
	all := rounds{rg: rg}
	for _, p := range []struct {
		name, pattern string
		fold          bool
	}{
		{"literal", `errUnsupportedOp`, false},
		{"words", `func \w+\(ctx context`, false},
		{"either", `http|json`, false},
		{"bounded", `\bfmt\.[A-Z]\w+f\(`, false},
		{"ignore-case", `errunsupported`, true},
		{"no-literal", `[A-Z]{12,}`, false},
	} {
		q, err := search.Compile(p.pattern, search.Syntax{IgnoreCase: p.fold})
		if err != nil {
			b.Fatal(err)
		}
		var last rounds
		b.Run(p.name, func(b *testing.B) {
			last = rounds{rg: rg, dir: dir}
			last.run(b, tree, q, p.pattern, p.fold)
			last.report(b)
		})
		all.add(last)
	}
	b.Run("all-six", func(b *testing.B) { all.report(b) })
}

// minRounds is the minimum number of searches per pattern.
const minRounds = 11

// rounds holds the measurements of repeated searches.
type rounds struct {
	rg, dir             string
	ours, theirs, first []time.Duration
	lines               int
	peak                float64 // MB
}

func (r *rounds) run(b *testing.B, tree *search.Tree, q *search.Query, pattern string, fold bool) {
	resetPeak()
	for range max(b.N, minRounds) {
		began := time.Now()
		var first time.Duration
		res, err := tree.Grep(b.Context(), ".", q, search.Options{Max: 1 << 30, Found: func(search.Matched) {
			if first == 0 {
				first = time.Since(began)
			}
		}})
		if err != nil {
			b.Fatal(err)
		}
		r.ours = append(r.ours, time.Since(began))
		r.first = append(r.first, first)
		r.lines = res.Lines
		r.peak = max(r.peak, peak())
		if r.rg != "" {
			r.theirs = append(r.theirs, r.ripgrep(b, pattern, fold))
		}
	}
}

// ripgrep runs the same search and returns its duration. The number of lines must
// be the same.
func (r *rounds) ripgrep(b *testing.B, pattern string, fold bool) time.Duration {
	args := []string{"--no-config", "--hidden", "--line-number", "--no-heading", "--color=never"}
	if fold {
		args = append(args, "--ignore-case")
	}
	cmd := exec.Command(r.rg, append(args, "-e", pattern, ".")...)
	cmd.Dir = r.dir
	var out bytes.Buffer
	if len(r.theirs) == 0 {
		cmd.Stdout = &out
	}
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		b.Fatal(err)
	}
	if len(r.theirs) == 0 {
		if n := bytes.Count(out.Bytes(), []byte("\n")); n != r.lines {
			b.Errorf("%s: got %d lines, ripgrep finds %d", pattern, r.lines, n)
		}
	}
	return took
}

// add adds the medians of another pattern. Of the times to the first result and of
// the peak memory it keeps the maximum.
func (r *rounds) add(o rounds) {
	r.ours = []time.Duration{median(r.ours) + median(o.ours)}
	r.theirs = []time.Duration{median(r.theirs) + median(o.theirs)}
	r.first = []time.Duration{max(median(r.first), median(o.first))}
	r.lines += o.lines
	r.peak = max(r.peak, o.peak)
}

func (r *rounds) report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // it would count ripgrep's time too
	b.ReportMetric(milliseconds(median(r.ours)), "ms")
	b.ReportMetric(float64(r.lines), "lines")
	b.ReportMetric(milliseconds(median(r.first)), "first-ms")
	b.ReportMetric(r.peak, "peak-MB")
	if r.rg != "" {
		b.ReportMetric(milliseconds(median(r.theirs)), "rg-ms")
		b.ReportMetric(float64(median(r.ours))/float64(median(r.theirs)), "ratio")
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}

// resetPeak resets the peak memory of the process, where the system supports it.
func resetPeak() {
	runtime.GC()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peak returns the peak memory of the process in MB; 0 if it is unknown.
func peak() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	value, _, _ := strings.Cut(rest, "kB")
	kb, _ := strconv.Atoi(strings.TrimSpace(value))
	return float64(kb) / 1024
}
