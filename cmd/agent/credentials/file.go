package credentials

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"agent/cmd/agent/command"
	"agent/internal/history"
)

// maxFile limits the size of the file with secrets, in bytes.
const maxFile = 4 << 20

// File stores secrets in a file of the state directory that is not encrypted. Only the
// user's account can read it. The user has to choose it: see Choice. It implements Keyring.
type File struct{}

// filePath returns the path of the file. It has a directory of its own, which tools and
// the sandbox of commands hide.
func filePath() (string, error) {
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "credentials", "secrets.json"), nil
}

// String names the file in messages.
func (File) String() string {
	path, err := filePath()
	if err != nil {
		return "a file"
	}
	return "the file " + command.Short(path)
}

// CheckFile names the file if there are secrets in it, and returns why it cannot be used.
func CheckFile() (string, error) {
	path, err := filePath()
	if err != nil {
		return "", nil // the keyring is not in use either
	}
	all, err := readSecrets(path)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return command.Short(path), nil
}

func (File) Get(name string) (string, error) {
	path, err := filePath()
	if err != nil {
		return "", err
	}
	all, err := readSecrets(path)
	if err != nil {
		return "", err
	}
	secret, ok := all[name]
	if !ok {
		return "", errNoKey
	}
	return secret, nil
}

func (File) Set(name, secret string) error {
	return changeSecrets(func(all map[string]string) error {
		all[name] = secret
		return nil
	})
}

func (File) Delete(name string) error {
	return changeSecrets(func(all map[string]string) error {
		if _, ok := all[name]; !ok {
			return errNoKey
		}
		delete(all, name)
		return nil
	})
}

// changeSecrets replaces the content of the file by what change makes of it. No other
// process changes it meanwhile.
func changeSecrets(change func(map[string]string) error) error {
	path, err := filePath()
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := openPrivate(dir, fs.ModeDir) // so that nobody else can have made the files in it
	if err != nil {
		return err
	}
	defer f.Close()
	return history.Exclusive(path, func() error {
		all, err := readSecrets(path)
		if err != nil {
			return err
		}
		old := maps.Clone(all)
		if err := change(all); err != nil || maps.Equal(old, all) {
			return err
		}
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		return history.Replace(path, append(text, '\n'), true)
	})
}

// readSecrets returns the secrets in the file at path, which need not exist.
func readSecrets(path string) (map[string]string, error) {
	f, err := openPrivate(path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	if err := json.Unmarshal(text, &all); err != nil || len(text) > maxFile {
		return nil, fmt.Errorf("%s is damaged. Delete it and log in again", command.Short(path))
	}
	return all, nil
}

// openPrivate opens a file, or a directory, that only the user's account can access. It
// follows no symbolic link and does not block.
func openPrivate(path string, kind fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|privateFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	short := command.Short(path)
	if err != nil {
		if info, linkErr := os.Lstat(path); linkErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s is a symbolic link, which is not used for secrets. Delete it and log in again", short)
		}
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.Mode().Type() != kind:
		err = fmt.Errorf("%s is not a regular file. Delete it and log in again", short)
		if kind == fs.ModeDir {
			err = fmt.Errorf("%s is not a directory. Delete it and log in again", short)
		}
	case !owned(info):
		err = fmt.Errorf("%s belongs to another user, so it is not used for secrets. Move it away and log in again", short)
	case !private(info):
		err = fmt.Errorf("other users can access %s (mode %04o). To make it private: chmod go= %s. If others may have read it, replace the keys in it", short, info.Mode().Perm(), short)
	default:
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}
