package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"agent/internal/tools/protect"
)

// Fixed returns the absolute protected paths that do not depend on a file's name alone:
// those in the home directory and the configuration directories, this program's own
// files, what git's configuration includes and runs, and p.Confirmed. They need not exist.
func (p Paths) Fixed() []string {
	paths := slices.Clone(p.ProgramFiles)
	if p.Confirmed != nil {
		paths = append(paths, p.Confirmed()...)
	}
	for _, r := range protectedPaths {
		start, rest, _ := strings.Cut(r.path, "/")
		for _, base := range p.bases(start) {
			paths = append(paths, filepath.Join(base, filepath.FromSlash(rest)))
		}
	}
	ps := protectedSet{paths: p, root: p.Resolved.Of(p.Workspace), user: p.userGit()}
	paths = append(paths, p.userNamed(ps.user)...)
	for dir := ps.root; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		paths = append(paths, ps.hooksOf(dir)...)
		if exists(filepath.Join(dir, ".git")) || dir == filepath.Dir(dir) {
			break
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return !filepath.IsAbs(path) })
}

// ProtectedNames are the names of files that are protected in every directory.
var ProtectedNames = sync.OnceValue(func() *protect.Names {
	var names []protect.Name
	for _, r := range protectedPaths {
		if r.anywhere() {
			names = append(names, protect.Name{Path: r.path, Why: r.reason, File: r.path == fileOnly})
		}
	}
	return protect.New(names)
})
