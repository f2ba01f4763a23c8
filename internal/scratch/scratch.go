// Package scratch makes temporary files for the program itself. Commands can write to the
// temporary directory of the system, also in the sandbox, so files there could be replaced
// before the program, or a command outside the sandbox, uses them. The directory of this
// package is one that no sandbox makes writable.
package scratch

import (
	"os"
	"path/filepath"
	"time"
)

// dir holds the temporary files. It does not change after the first use.
var dir string

// Use makes path the directory for temporary files. The program calls it before the first use.
// Without it, with "", and if the directory cannot be made, they are in the temporary directory
// of the system.
func Use(path string) { dir = path }

// parent returns the directory in which to create something, as for os.MkdirTemp.
func parent() string {
	if dir != "" && os.MkdirAll(dir, 0o700) == nil {
		return dir
	}
	return ""
}

// MkdirTemp is os.MkdirTemp in the directory of the program. The caller removes the result.
func MkdirTemp(pattern string) (string, error) {
	made, err := os.MkdirTemp(parent(), pattern)
	if err != nil {
		return os.MkdirTemp("", pattern) // the other directory may be on a full or read-only disk
	}
	return made, nil
}

// CreateTemp is os.CreateTemp in the directory of the program. The caller removes the file.
func CreateTemp(pattern string) (*os.File, error) {
	f, err := os.CreateTemp(parent(), pattern)
	if err != nil {
		return os.CreateTemp("", pattern)
	}
	return f, nil
}

// Expire removes what did not change for that long: programs that were killed have left it.
func Expire(age time.Duration) {
	if dir == "" {
		return
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > age {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
