package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"agent/internal/tools/search"
)

// BenchmarkIndex creates 150,000 files and types words letter by letter. It reports
// the time of the first query, when the index is empty, the time until the index is
// complete, the median and the maximum of the later queries, and the memory of the
// index.
func BenchmarkIndex(b *testing.B) {
	dir := manyFiles(b, 150_000)
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	var first, whole, keys []time.Duration
	held := uint64(0)
	for b.Loop() {
		before := heap()
		x := search.NewIndex(search.New(root, dir))
		began := time.Now()
		if found, _ := x.Suggest(b.Context(), "h", 8); len(found) == 0 {
			b.Fatal("the first query found nothing")
		}
		first = append(first, time.Since(began))
		filled(b, x)
		whole = append(whole, time.Since(began))
		held = max(held, heap()-before)
		for _, word := range []string{"handler", "svc17test", "README.md", "a/b/c", "zzzz"} {
			for i := range word {
				began := time.Now()
				x.Suggest(b.Context(), word[:i+1], 8)
				keys = append(keys, time.Since(began))
			}
		}
		x.Close()
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(slices.Max(first)), "ms-first")
	b.ReportMetric(ms(slices.Max(whole)), "ms-filled")
	slices.Sort(keys)
	b.ReportMetric(ms(keys[len(keys)/2]), "ms-key")
	b.ReportMetric(ms(keys[len(keys)-1]), "ms-worst-key")
	b.ReportMetric(float64(held)/(1<<20), "MiB")
}

// heap returns the bytes in use after a garbage collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// manyFiles creates a tree of n empty files.
func manyFiles(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	for i := range n {
		at := filepath.Join(dir, fmt.Sprintf("service%d", i%150), fmt.Sprintf("internal/module%d", i%1500), []string{"api", "store", "web"}[i%3])
		if i < 4500 {
			if err := os.MkdirAll(at, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		name := fmt.Sprintf("%s_%d%s", []string{"handler", "client", "README", "request_test"}[i%4], i, []string{".go", ".ts", ".md"}[i/7%3])
		f, err := os.Create(filepath.Join(at, name))
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
	return dir
}
