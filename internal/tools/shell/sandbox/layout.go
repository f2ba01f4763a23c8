package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// entry is an existing path of a layout.
type entry struct {
	path   string
	access access // also pin, temp or point
	dir    bool
	above  *entry // nearest entry that contains it; nil if none
}

// pin marks a directory between a writable path and a protected path below it.
// The directory must not be renamed, because that would rename the protected path.
const pin access = 'p'

// point marks a directory of the system below the temporary directory of the command that only
// holds mount points.
const point access = 'q'

// hides reports whether the files below an entry are hidden.
func (a access) hides() bool { return a == hide || a == point }

// layout returns the existing paths of a plan without links, each after the
// entries that contain it. Entries that change nothing are left out.
func (p plan) layout() []entry {
	paths := map[string]access{}
	for path, a := range p.paths {
		if real, ok := p.resolve(path, a); ok {
			paths[real] = max(paths[real], a)
		}
	}
	p.addTemp(paths)
	var pins []string
	for path, a := range paths {
		if a != hide && a != readOnly {
			continue
		}
		top := ""
		for dir := outer(paths, path); paths[dir] == write || paths[dir] == show; dir = outer(paths, dir) {
			if paths[dir] == write {
				top = dir
			}
		}
		for dir := filepath.Dir(path); top != "" && dir != top; dir = filepath.Dir(dir) {
			pins = append(pins, dir)
		}
	}
	for _, dir := range pins {
		paths[dir] = pin
	}
	var found []*entry
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		e := &entry{path: path, access: paths[path], dir: info.IsDir()}
		for _, f := range found {
			if below(path, f.path) && (e.above == nil || len(f.path) > len(e.above.path)) {
				e.above = f
			}
		}
		if e.matters() || p.source(*e) != path {
			found = append(found, e)
		}
	}
	out := make([]entry, len(found))
	for i, e := range found {
		out[i] = *e
	}
	return out
}

// addTemp adds the temporary directory of the command, and changes what is below it: hidden
// paths are not there anyway, and others are mounted.
func (p plan) addTemp(paths map[string]access) {
	if p.temp == "" {
		return
	}
	for _, mount := range TempMounts {
		mount, err := filepath.EvalSymlinks(mount)
		if err != nil {
			continue
		}
		for path, a := range paths {
			if below(path, mount) && (a == readOnly || a == hide) && !seen(paths, path, mount) {
				if paths[path] = show; a == hide {
					delete(paths, path)
				}
			}
		}
		var points []string
		for path := range paths {
			name, _, deeper := strings.Cut(strings.TrimPrefix(path, mount+"/"), "/")
			if top := filepath.Join(mount, name); below(path, mount) && deeper && paths[top] == 0 {
				points = append(points, top)
			}
		}
		for _, path := range points {
			paths[path] = point
		}
		paths[mount] = temp
	}
}

// part returns the directory that is mounted at an entry with the access temp.
func (p plan) part(e *entry) string {
	for i, mount := range TempMounts {
		if real, err := filepath.EvalSymlinks(mount); err == nil && real == e.path {
			return filepath.Join(p.temp, TempParts[i])
		}
	}
	return ""
}

// source returns the directory that is mounted at an entry which is writable or shown.
func (p plan) source(e entry) string {
	if dir := p.overlays[e.path]; dir != "" && e.access == write {
		return filepath.Join(dir, ViewPart)
	}
	return e.path
}

// seen reports whether a path below a directory is in another path there that the command sees.
func seen(paths map[string]access, path, dir string) bool {
	for path = filepath.Dir(path); path != dir; path = filepath.Dir(path) {
		if a := paths[path]; a == write || a == show || a == readOnly {
			return true
		}
	}
	return false
}

// resolve returns an existing path without links. A link below a writable path
// gives access only if its target is below that path, too: an earlier command may
// have created the link to get access to another directory.
func (p plan) resolve(path string, a access) (real string, ok bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(real) {
		return "", false
	}
	for root, other := range p.paths {
		if a == hide || a == readOnly || other != write || !below(path, root) {
			continue
		}
		if top, err := filepath.EvalSymlinks(root); err != nil || !below(real, top) {
			return "", false
		}
	}
	return real, true
}

// matters reports whether the entry changes the access that the one above it gives.
// Without an entry, files are visible and read-only.
func (e *entry) matters() bool {
	above := readOnly
	for a := e.above; a != nil; a = a.above {
		if a.access != pin {
			above = a.access
			break
		}
	}
	switch e.access {
	case temp, point, pin:
		return true
	case write:
		return above != write
	case show:
		return above.hides() || above == temp
	case readOnly:
		return above == write || above == temp
	}
	return !above.hides()
}

// outer returns the nearest of the paths that contains path, or "".
func outer(paths map[string]access, path string) string {
	for dir := path; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		if _, ok := paths[dir]; ok {
			return dir
		}
	}
	return ""
}

// below reports whether path is in dir.
func below(path, dir string) bool {
	return path != dir && strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
