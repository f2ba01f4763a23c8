// Package dotenv reads the variables of environment files, such as .env, with all values that
// programs may read from them. It does not decide which values are secrets, and sets no
// variable. Start reading at Files.
package dotenv

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"agent/internal/loop/policy"
)

const (
	maxFiles     = 20       // files in all directories
	maxSize      = 64 << 10 // bytes of a file; larger ones are not read
	maxVariables = 1000     // variables of a file, also those in its comments

	// A variable can have several values. After maxCandidates bytes of values, no further
	// variable of the file is read.
	maxLines      = 100      // lines of a value
	maxValue      = 16 << 10 // bytes of a value
	maxCandidates = 8 * maxSize
)

// settled is the age of a modification time from which every later change shows in it. A
// second change right after the first one can get the same time.
const settled = time.Second

// Files finds the environment files directly in some directories, except symbolic links. It is
// not safe for concurrent use.
type Files struct {
	dirs []directory
	read map[string]stamp // by path
}

// directory is a directory with the environment files that it had at the time modified.
type directory struct {
	path     string
	modified time.Time // zero if the directory must be listed again
	files    []string
}

// stamp identifies the content of a file.
type stamp struct {
	size     int64
	modified time.Time
}

// New returns the Files of dirs. It reads nothing.
func New(dirs []string) *Files {
	f := &Files{read: map[string]stamp{}}
	for _, dir := range dirs {
		f.dirs = append(f.dirs, directory{path: dir})
	}
	return f
}

// Changed returns the variables, as NAME=value, of the files that appeared or changed since
// the last call. A variable is returned once for each value that a program may read, because
// programs read these files by different rules. Files that cannot be read are left out.
func (f *Files) Changed() (variables []string) {
	var files []string
	for i := range f.dirs {
		files = append(files, f.dirs[i].list()...)
	}
	for _, path := range files[:min(len(files), maxFiles)] {
		variables = append(variables, f.changed(path)...)
	}
	return variables
}

// list returns the paths of the environment files in d, in the order of their names.
func (d *directory) list() []string {
	info, err := os.Stat(d.path)
	if err != nil || info.ModTime().Equal(d.modified) {
		return d.files
	}
	d.files, d.modified = nil, time.Time{}
	if time.Since(info.ModTime()) > settled {
		d.modified = info.ModTime()
	}
	entries, _ := os.ReadDir(d.path)
	for _, e := range entries {
		if e.Type().IsRegular() && isName(e.Name()) {
			d.files = append(d.files, filepath.Join(d.path, e.Name()))
		}
	}
	return d.files
}

// isName reports whether name is that of an environment file, and not that of an example such
// as .env.example.
func isName(name string) bool {
	lower := strings.ToLower(name)
	known := strings.HasSuffix(lower, ".env") || strings.HasPrefix(lower, ".env.") || strings.HasPrefix(lower, ".env-")
	return known && policy.SecretFile(name)
}

// changed returns the variables of the file at path if it changed since the last call.
func (f *Files) changed(path string) []string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil
	}
	s := stamp{info.Size(), info.ModTime()}
	if f.read[path] == s {
		return nil
	}
	text, err := content(path, info)
	if err != nil {
		return nil
	}
	if time.Since(s.modified) > settled {
		f.read[path] = s
	}
	return parse(text)
}

// content returns the text of the file at path. It fails if info describes another file, which
// has been replaced, and does not wait for the writer of a pipe.
func content(path string, info fs.FileInfo) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if now, err := file.Stat(); err != nil || !os.SameFile(now, info) {
		return "", fs.ErrNotExist
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSize))
	return string(text), err
}
