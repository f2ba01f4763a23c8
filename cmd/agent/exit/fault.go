package exit

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"agent/internal/history"
)

// dumpGoroutines writes the stacks of all goroutines to a file and returns an
// error that names the file.
func dumpGoroutines() error {
	path, err := FaultFile()
	if err != nil {
		return err
	}
	all := make([]byte, 16<<20)
	all = all[:runtime.Stack(all, true)]
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the goroutine dump: %w", err)
	}
	if err := os.WriteFile(path, all, 0o600); err != nil {
		return fmt.Errorf("write the goroutine dump: %w", err)
	}
	return fmt.Errorf("quit by signal. The goroutine stacks were written to %s", path)
}

// FaultFile returns the path for a new crash report.
func FaultFile() (string, error) {
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s-%d.txt", time.Now().Format("2006-01-02-150405"), os.Getpid())
	return filepath.Join(dir, "faults", name), nil
}
