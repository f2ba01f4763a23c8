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

// maxFiles is the largest number of files that Reader.Read reads. One that is included twice
// counts twice.
const maxFiles = 50

// Reader reads configuration files and those that they include.
type Reader struct {
	Home      string // absolute; "" if it is not known
	Workspace string // absolute; "" if it does not matter
	// Conditions is set if the conditions of includeIf count as true. Otherwise they count
	// as false.
	Conditions bool
	// File returns the text of a file; "" if there is none. It reports false if it does not
	// return all of it.
	File func(path string) (text string, ok bool)
}

// Config is what git may read from configuration files.
type Config struct {
	Variables []Variable // in git's order: of several values, the last one counts
	Included  []string   // files, absolute; they need not exist
	// Unknown is set if there may be more: a file that was not read to its end, one beyond
	// the limits, or one whose path only git knows.
	Unknown bool
}

// Read returns what git may read from the files, with all that they include.
func (r Reader) Read(files ...string) Config {
	f := following{reader: r, left: maxFiles}
	for _, file := range files {
		f.read(file)
	}
	return f.config
}

// following reads files and those that they include.
type following struct {
	reader Reader
	left   int      // files that may still be read
	chain  []string // the current file, and those that include it
	config Config
}

// read adds the variables of a file. Those of an included file take the place of the include.
func (f *following) read(file string) {
	f.left--
	text, ok := f.reader.File(file)
	f.config.Unknown = f.config.Unknown || !ok
	f.chain = append(f.chain, file)
	variables, _ := Parse(text) // git runs nothing if a file has an error
	for _, v := range variables {
		f.config.Variables = append(f.config.Variables, v)
		if v.Key == "path" && v.Value != "" && (v.Section == "include" || v.Section == "includeif" && f.reader.Conditions) {
			f.include(file, v.Value)
		}
	}
	f.chain = f.chain[:len(f.chain)-1]
}

// include reads the file that a file includes, unless it is one of those that include it.
func (f *following) include(file, value string) {
	if f.left <= 0 {
		f.config.Unknown = true
		return
	}
	path, ok := f.reader.Path(filepath.Dir(file), value)
	f.config.Unknown = f.config.Unknown || !ok
	if path == "" || slices.Contains(f.chain, path) {
		return
	}
	if !slices.Contains(f.config.Included, path) {
		f.config.Included = append(f.config.Included, path)
	}
	f.read(path)
}

// Path returns the absolute path that git understands by a value, relative to dir. It
// reports false if only git knows the path, because it begins with a home directory that is
// not known, or with the directory in which git is installed; then path is "" or the
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
		if home == "" {
			return "", false
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
