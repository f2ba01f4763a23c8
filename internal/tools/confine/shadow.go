package confine

import (
	"fmt"
	"path/filepath"
	"slices"

	"agent/internal/tools/protect"
)

// programs returns the programs in the workspace that run instead of others, by directory.
func (a *Area) programs() map[string][]string {
	found := map[string][]string{}
	for _, dir := range a.Search.Inside {
		if names, err := a.Search.Programs(dir); err == nil {
			found[dir] = names
		}
	}
	return found
}

// checkPrograms renames the programs that a command has created and that would run instead of
// others, and the directories of programs that it has made unreadable. Those of a command that
// the user or a rule approved stay, because it may install programs, and are reported.
func (g *Guard) checkPrograms() (notices []Notice) {
	for dir, before := range g.programs {
		names, err := g.area.Search.Programs(dir)
		if err != nil {
			notices = append(notices, g.undo(dir, unreadable)...)
		}
		for _, name := range names {
			path := filepath.Join(dir, name)
			switch {
			case slices.Contains(before, name):
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
