package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// measuredProgram is the variable with the path of the program that BenchmarkSpeed
	// measures. Without it, that is the program of this source code.
	measuredProgram = "AGENT_BENCH_PROGRAM"
	// basePath is the variable with the program that this one is compared with.
	basePath = "AGENT_BENCH_BASE"
	// rowNames is the variable with the names of the rows to compare; all without it.
	rowNames = "ROWS"
	// mostRatio is the variable with the largest ratio that is not worse; 1.15 without it.
	mostRatio = "MOST"
	// leastPairs is the variable with the least number of measurements of each row for both
	// programs; pairs without it. A row that is worse is measured pairs times in any case.
	leastPairs = "PAIRS"
)

const (
	pairs   = 3               // how often each row is measured for both programs, unless leastPairs is set
	rowTime = 5 * time.Minute // for one measurement
)

// TestCompareSpeed measures rows of the table for another program and for this one in turn,
// so that a machine that is slow for a while slows down both. It fails if this program is
// worse. `make bench BASE=PATH` runs it.
func TestCompareSpeed(t *testing.T) {
	base := os.Getenv(basePath)
	if base == "" {
		t.Skip("make bench BASE=PATH or BASE_REV=REVISION runs it")
	}
	rows := strings.Fields(os.Getenv(rowNames))
	for _, name := range rows {
		if !slices.ContainsFunc(measures, func(m measure) bool { return m.name == name }) {
			t.Fatalf("%s: there is no row %q", rowNames, name)
		}
	}
	least := pairs
	if text := os.Getenv(leastPairs); text != "" {
		var err error
		if least, err = strconv.Atoi(text); err != nil || least < 1 || least > pairs {
			t.Fatalf("%s: %q is not a number from 1 to %d", leastPairs, text, pairs)
		}
	}
	most := 1.15
	if text := os.Getenv(mostRatio); text != "" {
		var err error
		if most, err = strconv.ParseFloat(text, 64); err != nil {
			t.Fatalf("%s: %v", mostRatio, err)
		}
	}
	programs := [2]string{named(t, base), buildProgram(t)}
	fmt.Printf("| what | before | now | ratio |\n| --- | --- | --- | --- |\n")
	for _, m := range measures {
		if len(rows) == 0 || slices.Contains(rows, m.name) {
			compareRow(t, m, programs, most, least)
		}
	}
}

// named returns a link to a program with the name agent, which rows start.
func named(t *testing.T, program string) string {
	t.Helper()
	program, err := filepath.Abs(program)
	if err == nil {
		_, err = os.Stat(program)
	}
	link := filepath.Join(t.TempDir(), "agent")
	if err == nil {
		err = os.Symlink(program, link)
	}
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// compareRow measures a row for two programs in turn, at least so many times, and prints both
// results and how they compare.
func compareRow(t *testing.T, m measure, programs [2]string, most float64, least int) {
	var figures [2][][]float64 // of each program: the figures of each run
	var before, now, ratio []string
	for n := 1; n <= pairs; n++ {
		for i, program := range programs {
			got, text := measured(t, m, program)
			if got == nil {
				which := [2]string{"the other program", "this program"}[i]
				fmt.Printf("| %s | | | not measured for %s |\n", m.what, which)
				if t.Log(text); i == 1 {
					t.Errorf("%s: not measured for this program", m.name)
				}
				return
			}
			figures[i] = append(figures[i], got)
		}
		before, now, ratio = nil, nil, nil
		var worse []string
		for f := range figures[0][0] {
			var a, b, ratios []float64
			for r := range figures[0] {
				a, b = append(a, figures[0][r][f]), append(b, figures[1][r][f])
				ratios = append(ratios, quotient(b[r], a[r]))
			}
			before, now, ratio = append(before, short(median(a))), append(now, short(median(b))), append(ratio, fmt.Sprintf("%.2f", median(ratios)))
			if median(ratios) > most {
				worse = append(worse, fmt.Sprintf("%s: figure %d is %.2f times that of the other program, at most %.2f is allowed", m.name, f+1, median(ratios), most))
			}
		}
		if n >= least && worse == nil {
			break
		}
		if n == pairs {
			for _, text := range worse {
				t.Error(text)
			}
		}
	}
	fmt.Printf("| %s | %s | %s | %s |\n", m.what, strings.Join(before, "; "), strings.Join(now, "; "), strings.Join(ratio, "; "))
}

// quotient returns a/b; 1 if both are 0.
func quotient(a, b float64) float64 {
	if a == b {
		return 1
	}
	return a / b
}

// short formats a figure with three digits.
func short(n float64) string { return strconv.FormatFloat(n, 'g', 3, 64) }

// measured runs one row for a program in another process, and returns its figures in the
// units of the table: milliseconds for times that are stated so. They are nil if the program
// cannot run it; then text says why.
func measured(t *testing.T, m measure, program string) (figures []float64, text string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), rowTime)
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^$", "-test.bench", "^BenchmarkSpeed$/^"+m.name+"$", "-test.benchtime", "1x")
	cmd.Env = append(os.Environ(), measuredProgram+"="+program, "UPDATE=")
	out, err := cmd.CombinedOutput()
	_, row, found := strings.Cut(string(out), "| "+m.what+" | ")
	if err != nil || !found {
		return nil, fmt.Sprintf("%v\n%s", err, out)
	}
	row, _, _ = strings.Cut(row, " |")
	for _, figure := range strings.Split(row, ";") {
		number, _, _ := strings.Cut(strings.TrimSpace(figure), " ")
		n, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, err.Error()
		}
		figures = append(figures, n)
	}
	return figures, ""
}
