package workspace_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"agent/internal/tools/workspace"
)

// Of several changes of one file at the same time, none is lost: each is written or
// rejected.
func TestChangesAtOnceAreNotLost(t *testing.T) {
	dir := t.TempDir()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const writers, each = 8, 50
	var wg sync.WaitGroup
	written := make([][]string, writers)
	for i := range writers {
		wg.Go(func() {
			for n := range each {
				line := fmt.Sprintf("%d %d\n", i, n)
				tx := w.Begin(nil)
				d, err := tx.Open("a.txt")
				if err != nil {
					t.Error(err)
					return
				}
				after := append(bytes.Clone(d.Before), line...)
				if err := tx.Overwrite(d, after); err != nil {
					t.Error(err)
					return
				}
				if _, err := tx.Commit(t.Context(), map[string][]byte{"a.txt": after}); err == nil {
					written[i] = append(written[i], line)
				}
			}
		})
	}
	wg.Wait()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, lost := 0, 0
	for _, lines := range written {
		for _, line := range lines {
			all++
			if !bytes.Contains(append([]byte("\n"), got...), []byte("\n"+line)) {
				lost++
			}
		}
	}
	if all == 0 || lost > 0 {
		t.Errorf("%d of %d changes that were reported as written are lost", lost, all)
	}
}
