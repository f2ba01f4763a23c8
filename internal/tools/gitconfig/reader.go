package gitconfig

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
)

// maxFiles is the largest number of files that Reader.Read reads.
const maxFiles = 50

// Reader reads configuration files and those that they include.
type Reader struct {
	Home      string // absolute
	Workspace string // absolute; "" if it does not matter
	// File returns the text of a file; "" if there is none. It reports false if it does not
	// return all of it.
	File func(path string) (text string, ok bool)
}

// Config is what git may read from configuration files.
type Config struct {
	Variables []Variable
	Included  []string // files, absolute; they need not exist
	// Unknown is set if there may be more: a file that was not read to its end, or one
	// whose path only git knows.
	Unknown bool
}

// Read returns what git may read from the files, with all that they include: the
// conditions of includeIf count as true.
func (r Reader) Read(files ...string) (c Config) {
	for i := 0; i < len(files); i++ {
		text, ok := r.File(files[i])
		variables, _ := Parse(text) // git runs nothing if a file has an error
		c.Unknown = c.Unknown || !ok
		c.Variables = append(c.Variables, variables...)
		for _, v := range variables {
			if v.Key != "path" || v.Section != "include" && v.Section != "includeif" || v.Value == "" {
				continue
			}
			path, ok := r.Path(filepath.Dir(files[i]), v.Value)
			c.Unknown = c.Unknown || !ok || len(files) == maxFiles
			if path != "" && len(files) < maxFiles && !slices.Contains(files, path) {
				files, c.Included = append(files, path), append(c.Included, path)
			}
		}
	}
	return c
}

// Path returns the absolute path that git understands by a value, relative to dir. It
// reports false if only git knows the path, because it begins with the home directory of
// an unknown user, or with the directory in which git is installed; then path is "" or the
// likely one.
func (r Reader) Path(dir, value string) (path string, ok bool) {
	if rest, found := strings.CutPrefix(value, "%(prefix)/"); found {
		git, err := exec.LookPath("git")
		if err != nil {
			return "", false
		}
		return join(filepath.Dir(filepath.Dir(realpath.Of(git))), filepath.FromSlash(rest)), false
	}
	if strings.HasPrefix(value, "~") {
		name, rest, _ := strings.Cut(value[1:], "/")
		home := r.Home
		if name != "" {
			u, err := user.Lookup(name)
			if err != nil {
				return "", false
			}
			home = u.HomeDir
		}
		value = home + "/" + rest
	}
	return join(dir, filepath.FromSlash(value)), true
}

// join returns path, which is relative to dir unless it is absolute. A ".." applies after
// the links before it are resolved, as in the system.
func join(dir, path string) string {
	const separator = string(os.PathSeparator)
	if !filepath.IsAbs(path) {
		path = dir + separator + path
	}
	if i := strings.LastIndex(path+separator, separator+".."+separator); i >= 0 {
		end := i + len(separator+"..")
		path = realpath.Follow(path[:end]) + path[end:]
	}
	return filepath.Clean(path)
}
