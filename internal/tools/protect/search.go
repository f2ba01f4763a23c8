package protect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
)

// WhyShadow says why a program that shadows another one is protected.
const WhyShadow = "it would run instead of another program of that name, because its directory is in your PATH"

// Search says where the user's shell finds programs by their names: in the directories of
// PATH. A command could put a program with the name of another one into those that belong to
// the workspace, such as .venv/bin. The zero Search finds no programs. It is immutable.
type Search struct {
	Inside  []string // directories in the workspace, absolute
	Outside []string // the others, absolute
	// Relative are relative entries, which name a directory below wherever the user stands.
	Relative []string
}

// NewSearch returns the Search of a shell in the directory dir with the variable PATH. Roots
// are the workspace and the directories that the user added to it.
func NewSearch(path, dir string, roots []string) (s Search) {
	if dir == "" {
		return s
	}
	for _, at := range filepath.SplitList(path) {
		if !filepath.IsAbs(at) {
			s.Relative = append(s.Relative, filepath.Clean(at))
			at = filepath.Join(dir, at)
		}
		at = filepath.Clean(at)
		if slices.ContainsFunc(roots, func(root string) bool { return realpath.Reaches(at, root) }) {
			s.Inside = append(s.Inside, at)
		} else {
			s.Outside = append(s.Outside, at)
		}
	}
	return s
}

// Shadows reports whether a program at an absolute path without links, in the workspace, runs
// instead of another one when the user types its name.
func (s Search) Shadows(path string) bool {
	dir := filepath.Dir(path)
	found := func(at string) bool { return at == dir || realpath.Of(at) == dir }
	below := func(entry string) bool {
		return entry == "." || strings.HasSuffix(dir, string(filepath.Separator)+entry)
	}
	return (slices.ContainsFunc(s.Inside, found) || slices.ContainsFunc(s.Relative, below)) && s.isProgram(filepath.Base(path))
}

// Leads reports whether a directory of Inside is at path, or below it.
func (s Search) Leads(path string) bool {
	return slices.ContainsFunc(s.Inside, func(dir string) bool { return realpath.Inside(dir, path) })
}

// desktop are programs that this one runs for the user, who need not have installed them.
var desktop = []string{"wl-copy", "wl-paste", "xclip", "xsel", "xdg-open", "pbcopy", "notify-send"}

// isProgram reports whether a directory outside the workspace has a program with that name.
func (s Search) isProgram(name string) bool {
	return slices.Contains(desktop, name) || slices.ContainsFunc(s.Outside, func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}
