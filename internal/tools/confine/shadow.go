package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"agent/internal/tools/protect"
)

// inPath returns the names in the directories of the workspace that are in the user's PATH, by
// directory. It leaves out directories that cannot be read.
func (a *Area) inPath() map[string][]string {
	found := map[string][]string{}
	for _, dir := range a.Search.Inside {
		if names, err := namesIn(dir); err == nil {
			found[dir] = names
		}
	}
	return found
}

// namesIn returns the names of the entries of a directory; none if it does not exist.
func namesIn(dir string) (names []string, err error) {
	entries, err := entriesOf(dir, anyEntry)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

// checkPrograms renames the programs that a command has created and that would run instead of
// others, and the directories of programs that it has made unreadable. A command that the user or
// a rule approved may install programs: these stay, and are reported.
func (g *Guard) checkPrograms() (notices []Notice) {
	for dir, before := range g.inPath {
		names, err := namesIn(dir)
		if err != nil {
			notices = append(notices, g.undo(dir, unreadable)...)
		}
		for _, name := range names {
			path := filepath.Join(dir, name)
			switch {
			case slices.Contains(before, name) || !g.area.Search.Shadows(path):
			case g.unapproved:
				notices = append(notices, g.undo(path, protect.WhyShadow)...)
			case !g.approved(path):
				show := g.area.show(path)
				notices = append(notices, Notice{
					Short: show + " hides another program",
					Text:  fmt.Sprintf("the command created %s: %s", show, protect.WhyShadow),
				})
			}
		}
	}
	return notices
}
