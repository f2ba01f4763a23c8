package scan_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"agent/internal/tools/snapshot/scan"
)

// bigTree returns a directory with 50,000 files in 5,000 directories.
func bigTree(b *testing.B) string {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 5000 {
		sub := filepath.Join(dir, fmt.Sprintf("part%d/section%02d/package%03d", i%10, i/10%10, i/100))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 10 {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("some_file_%d.go", j)), []byte("package x\n"), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir
}

// BenchmarkScanOf50000Files measures a scan, and the memory of the index.
func BenchmarkScanOf50000Files(b *testing.B) {
	dir := bigTree(b)
	w := &store{contents: map[string]string{}}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("part*\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	before := heap()
	s := scan.New(scan.Options{Roots: []string{dir}, Store: w})
	defer s.Close()
	for b.Loop() {
		if err := s.Refresh(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(heap()-before)/(1<<20), "MB-held")
	runtime.KeepAlive(s)
}

// BenchmarkScanOfASmallTree measures what each session pays.
func BenchmarkScanOfASmallTree(b *testing.B) {
	dir := b.TempDir()
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), []byte("x"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	s := scan.New(scan.Options{Roots: []string{dir}, Store: &store{contents: map[string]string{}}})
	defer s.Close()
	for b.Loop() {
		if err := s.Refresh(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// heap returns how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
