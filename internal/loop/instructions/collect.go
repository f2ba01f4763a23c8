package instructions

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxDepth = 5  // of nested imports
	maxFiles = 50 // instruction files, including imports
	// maxImports limits the imports that are looked up, also those that are no files:
	// each costs time.
	maxImports = 200
)

// names are the names of instruction files. The first one that can be used counts.
var names = []string{"AGENTS.md", "CLAUDE.md"}

// File is an instruction file in use.
type File struct {
	Path string // as the user and the model see it
	Size int    // of Text, in bytes
	Sum  string // "sha256:…" of Text
	Text string
	real string // absolute, without symbolic links
}

// collector reads instruction files, each only once.
type collector struct {
	show    func(path string) string
	home    string
	seen    map[string]bool // real paths
	looked  int             // number of imports that were looked up
	notices []string
}

// directory returns the instruction file of dir with its imports; none if there is
// no file.
func (c *collector) directory(s source, dir string) []File {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if files, ok := c.file(s, path); ok {
			return files
		}
	}
	return nil
}

// file returns the instruction file at path with its imports. It reports false if
// the file cannot be used.
func (c *collector) file(s source, path string) ([]File, bool) {
	d, err := s.fixed(path)
	if err != nil {
		c.notices = append(c.notices, c.show(path)+" is not used: "+err.Error()+".")
		return nil, false
	}
	return c.add(s, path, d, nil), true
}

// add returns the file with the text d and its imports. above holds the real paths
// of the files that import it, the first one first.
func (c *collector) add(s source, path string, d document, above []string) []File {
	if c.seen[d.real] {
		return nil
	}
	c.seen[d.real] = true
	shown := c.show(path)
	for _, repair := range d.repairs {
		c.notices = append(c.notices, shown+": "+repair+".")
	}
	var all []File
	if strings.TrimSpace(d.text) != "" {
		all = append(all, File{Path: shown, Size: len(d.text), Sum: sumOf(d.text), Text: d.text, real: d.real})
	}
	above = append(slices.Clone(above), d.real)
	names := imports(d.text)
	done := map[string]bool{}
	for _, name := range names {
		if done[name] {
			continue
		}
		done[name] = true
		if c.looked++; c.looked > maxImports {
			c.notices = append(c.notices, fmt.Sprintf("%s: the imports from @%s on are not used: there are too many (at most %d).", shown, name, maxImports))
			break
		}
		all = append(all, c.imported(s, name, shown, above)...)
	}
	return all
}

// sumOf returns "sha256:…" of a text.
func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// imported returns the file that the last file of above imports as name, with its
// own imports. shown is the importing file.
func (c *collector) imported(s source, name, shown string, above []string) []File {
	path, explicit := target(name, filepath.Dir(above[len(above)-1]), c.home)
	info, err := os.Lstat(path)
	if !explicit && (err != nil || info.IsDir()) { // a user name or a package
		return nil
	}
	reject := func(why string) []File {
		c.notices = append(c.notices, shown+": the import @"+name+" is not used: "+why+".")
		return nil
	}
	d, err := s.read(path, true)
	switch {
	case err != nil:
		return reject(err.Error())
	case slices.Contains(above, d.real):
		return reject("it imports itself, directly or through other files")
	case len(above) > maxDepth:
		return reject("imports are nested too deep (at most 5 levels)")
	case c.seen[d.real]:
		return nil
	case len(c.seen) >= maxFiles:
		return reject("there are too many instruction files (at most 50)")
	}
	return c.add(s, path, d, above)
}
