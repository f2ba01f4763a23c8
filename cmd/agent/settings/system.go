package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"agent/internal/loop/event"
	"agent/internal/loop/policy/rule"
)

// SystemPolicy is the content of the system policy file, with which an administrator
// limits what users can configure. The zero value limits nothing.
type SystemPolicy struct {
	Permissions Permissions  `json:"permissions,omitempty" what:"rules for all users, which their own rules cannot loosen"`
	Modes       []event.Mode `json:"modes,omitempty" enum:"ask,auto,plan,all" also:"edits,auto-edit,approve-all" what:"permission modes that users may choose (default: all of them)"`
	Sandbox     bool         `json:"sandbox,omitempty" what:"users cannot turn off the sandbox"`
	// Path is the path of the file; empty if there is none.
	Path  string      `json:"-"`
	Rules []rule.Rule `json:"-"` // those of Permissions
}

// SystemFile says where the system policy is and who must own it.
type SystemFile struct {
	Path  string
	Owner int // the user ID; ignored on Windows
}

// System returns the system policy file of this system. Users cannot choose another one.
func System() SystemFile { return SystemFile{Path: systemPath()} }

// Read reads the system policy. A missing file is a policy without limits. Any other
// file that cannot be read, is invalid, or could have been written by another user than
// the owner is an error.
func (f SystemFile) Read() (SystemPolicy, error) {
	b, err := f.read()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return SystemPolicy{}, nil
	}
	if err != nil {
		return SystemPolicy{}, fmt.Errorf("read the system policy %s: %w. The administrator of this machine must correct it", f.Path, err)
	}
	p := SystemPolicy{Path: f.Path}
	lines, err := decode(f.Path, b, &p)
	if err == nil {
		p.Rules, err = p.Permissions.Rules(f.Path, lines)
	}
	for i, m := range p.Modes {
		if err == nil {
			p.Modes[i], err = event.ParseMode(string(m))
		}
	}
	if err != nil {
		return SystemPolicy{}, fmt.Errorf("read the system policy: %w", err)
	}
	return p, nil
}

func (f SystemFile) read() ([]byte, error) {
	b, err := readOwned(f.Path, f.Owner, "the file")
	if err != nil {
		return nil, err
	}
	dir, err := os.Stat(filepath.Dir(f.Path))
	if err != nil {
		return nil, err
	}
	if err := checkOwner(dir, f.Owner); err != nil {
		return nil, fmt.Errorf("its directory %w", err)
	}
	return b, nil
}

// readOwned reads a regular file that only the user owner may have written. Name stands
// for the file in errors about it.
func readOwned(path string, owner int, name string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil, fmt.Errorf("%s is not a regular file of at most %d MiB", name, maxSize>>20)
	}
	if err := checkOwner(info, owner); err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	return io.ReadAll(io.LimitReader(file, maxSize))
}
