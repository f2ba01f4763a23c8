package scenes

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The sample's Go files end in .txt so that they are not part of this module,
// and its go.mod so that it does not begin another one.
//
//go:embed sample
var sample embed.FS

// CopySample writes the sample project, a Go program without dependencies, to
// dir, which must exist. It fails if a file exists already.
func CopySample(dir string) error {
	root, err := fs.Sub(sample, "sample")
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := fs.ReadFile(root, e.Name())
		if err != nil {
			return err
		}
		if err := writeNew(filepath.Join(dir, strings.TrimSuffix(e.Name(), ".txt")), text); err != nil {
			return fmt.Errorf("copy the sample project: %w", err)
		}
	}
	return nil
}

// writeNew creates a file; it fails if the file exists.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
