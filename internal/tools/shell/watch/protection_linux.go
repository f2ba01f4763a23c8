//go:build amd64 || arm64

package watch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"agent/internal/realpath"
)

// nameProtected reports a protected path that the command could not change, at most once.
func (g *protection) nameProtected(path string) {
	g.mu.Lock()
	first := len(g.named) < maxNamed && !slices.Contains(g.named, path)
	if first {
		g.named = append(g.named, path)
	}
	g.mu.Unlock()
	if first {
		g.reports.Protected(path)
	}
}

// nameSettings reports settings in a configuration file of git that the command could not change,
// because they can make git run programs. Without settings, nobody could tell.
func (g *protection) nameSettings(path, settings string) {
	g.mu.Lock()
	first := len(g.named) < maxNamed && !slices.Contains(g.named, path+"\x00"+settings)
	if first {
		g.named = append(g.named, path+"\x00"+settings)
	}
	g.mu.Unlock()
	if first {
		g.reports.Settings(path, settings)
	}
}

// protectedAt returns the first protected path on the way from one of Order.Roots to path; "" if
// there is none.
func (g *protection) protectedAt(path string) string {
	for _, root := range g.roots {
		if below(path, root) {
			if at, _ := g.names.Within(root, path); at != "" {
				return at
			}
		}
	}
	return ""
}

// shadows reports whether a new file would be a program that runs instead of another one.
func (g *protection) shadows(path string) bool {
	return g.search.Shadows(path) && !g.wasThere(path) && realpath.Missing(path)
}

// birthOf returns the birth of the directory at a path without links; the zero value if there
// is none.
func birthOf(dir string) birth {
	var info unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, dir, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE|unix.STATX_INO|unix.STATX_BTIME, &info)
	if err != nil || info.Mode&unix.S_IFMT != unix.S_IFDIR {
		return birth{}
	}
	return birth{info.Ino, info.Btime.Sec, info.Btime.Nsec}
}

// noteMade records that the command creates a directory.
func (g *protection) noteMade(dir string, b birth) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.made[dir] = b
}

// forgetMade records that a directory was removed.
func (g *protection) forgetMade(dir string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.made, dir)
}

// isMade reports whether the command has created the directory at a path.
func (g *protection) isMade(dir string) bool {
	g.mu.Lock()
	b, made := g.made[dir]
	g.mu.Unlock()
	return made && (b == birth{} || b == birthOf(dir))
}

// moveMade updates the paths of the directories that the command has created when a path is
// renamed. If something exists at the new path, the call may fail: then it forgets them.
func (g *protection) moveMade(from, to place) {
	g.mu.Lock()
	defer g.mu.Unlock()
	moved := map[string]birth{}
	for dir, b := range g.made {
		switch {
		case dir == from.path || below(dir, from.path):
			if !to.exists {
				moved[to.path+dir[len(from.path):]] = b
			}
			delete(g.made, dir)
		case dir == to.path || below(dir, to.path):
			delete(g.made, dir)
		}
	}
	maps.Copy(g.made, moved)
}

// newRepository returns the repository, with or without a worktree, that the command has created
// and that contains a path; "" if there is none.
func (g *protection) newRepository(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if !g.isMade(dir) || g.wasThere(dir) {
			return "" // an older directory is in no new repository
		}
		if info, err := os.Lstat(filepath.Join(dir, ".git")); isGitDir(dir) || err == nil && (!info.IsDir() || isGitDir(filepath.Join(dir, ".git"))) {
			return dir
		}
	}
	return ""
}

// wasThere reports whether something was at a path before the command changed it.
func (g *protection) wasThere(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.existed[path]
}

// isLoose reports whether a path is in loose, or below a path in it.
func (g *protection) isLoose(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for at := range g.loose {
		if path == at || below(path, at) {
			return true
		}
	}
	return false
}

// isPlanted reports whether a directory was reported as a possible repository. Such a
// directory is checked after the command.
func (g *protection) isPlanted(dir string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, is := g.planted[dir]
	return is
}

// noteSealed notes that the command turns a directory into a git directory.
func (g *protection) noteSealed(dir string) {
	b := birthOf(dir)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sealed[dir] = b
}

// isSealed reports whether the command has turned a directory into a git directory.
func (g *protection) isSealed(dir string) bool {
	g.mu.Lock()
	b, sealed := g.sealed[dir]
	g.mu.Unlock()
	return sealed && b != birth{} && b == birthOf(dir)
}

// report reports that a directory may be a repository. Made is set if the command has created
// it. The result is false if there are too many.
func (g *protection) report(dir string, made bool) bool {
	g.mu.Lock()
	_, known := g.planted[dir]
	full := len(g.planted) >= maxPlanted
	if !known && !full {
		g.planted[dir] = made
	}
	g.mu.Unlock()
	if !known && !full {
		g.reports.Repository(dir, made)
	}
	return known || !full
}

// moveReported reports the new paths of repositories, and of protected paths that the command
// has created, when a path is renamed. A path in a repository of the command that moves as a
// whole to a new place needs no report, and neither do the paths in done, to which it adds.
// The result is false if there are too many repositories.
func (g *protection) moveReported(from, to string, done map[string]bool) bool {
	planted, created := map[string]bool{}, map[string]string{}
	g.mu.Lock()
	for dir, made := range g.planted {
		if dir == from || below(dir, from) {
			planted[to+dir[len(from):]] = made
		}
	}
	for path := range g.loose {
		if (path == from || below(path, from)) && !done[path] {
			created[path] = to + path[len(from):]
		}
	}
	for old, path := range created {
		g.loose[path], done[old] = true, true
	}
	g.mu.Unlock()
	for old, path := range created {
		r := g.newRepository(old)
		if within := r == from || r != "" && below(r, from); !within || g.wasThere(to+r[len(from):]) {
			g.reports.Created(path)
		}
	}
	for dir, made := range planted {
		if !g.report(dir, made) {
			return false
		}
	}
	return true
}

// noteCreated notes that the command creates a protected path, and reports whether that is new.
func (g *protection) noteCreated(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.loose[path]
	g.loose[path] = true
	return !known
}
