package policy

import (
	"path/filepath"
	"slices"
	"strings"
)

// Fixed returns the absolute protected paths that do not depend on a file's name alone:
// those in the home directory and the configuration directories, this program's own
// files, what git's configuration includes and runs, and p.Confirmed. They need not exist.
func (p Paths) Fixed() []string {
	paths := slices.Clone(p.Own)
	if p.Confirmed != nil {
		paths = append(paths, p.Confirmed()...)
	}
	for _, r := range protectedPaths {
		start, rest, _ := strings.Cut(r.path, "/")
		for _, base := range p.bases(start) {
			paths = append(paths, filepath.Join(base, filepath.FromSlash(rest)))
		}
	}
	ps := places{paths: p, root: p.Resolved.Of(p.Workspace), user: p.userGit()}
	paths = append(paths, p.userNamed(ps.user)...)
	for dir := ps.root; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		paths = append(paths, ps.hooksOf(dir)...)
		if exists(filepath.Join(dir, ".git")) || dir == filepath.Dir(dir) {
			break
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return !filepath.IsAbs(path) })
}

// ProtectedName returns why a file is protected in every directory, by its name and the
// name of its directory; "" if it is not.
func ProtectedName(parent, name string) string {
	name = fold(name)
	for _, r := range protectedPaths {
		if !r.anywhere() {
			continue
		}
		dir, last, nested := strings.Cut(r.path, "/")
		if !nested {
			last = dir
		}
		if strings.EqualFold(name, last) && (!nested || strings.EqualFold(fold(parent), dir)) {
			return r.reason
		}
	}
	return ""
}

// ProtectedParent reports whether a path with that name and another is protected in every
// directory, as .github/workflows is.
func ProtectedParent(name string) bool {
	name = fold(name)
	for _, r := range protectedPaths {
		if dir, _, nested := strings.Cut(r.path, "/"); nested && r.anywhere() && strings.EqualFold(name, dir) {
			return true
		}
	}
	return false
}
