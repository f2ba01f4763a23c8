package standing

import (
	"path/filepath"
	"slices"

	"agent/internal/realpath"
	"agent/internal/tools"
)

// Grant is a standing permission.
type Grant struct {
	Scope
	// Files are the files that a command named when it was approved; with a Prefix, only
	// those that say what the program does, such as package.json for npm. The permission
	// ends when one of them changes, appears or disappears.
	Files []File `json:"files,omitempty"`
	// With are permissions that are given together with this one. Only an offer and what
	// became of it have any: each is stored and removed on its own.
	With []Grant `json:"-"`
	// Seal proves that this program wrote the grant, in this session: see Sealer.
	Seal string `json:"seal,omitempty"`
}

// File is a file that a command names, with a hash of its contents.
type File struct {
	Path string `json:"path"` // absolute
	Sum  string `json:"sum"`  // "sha256:…", or why it could not be read
	// Decides is the hash of what decides which programs run, if that is not the whole
	// file. It is the Sum in a permission for the first words of a command.
	Decides string `json:"-"`
}

// knows reports whether the grant has a file of a directory.
func (g Grant) knows(dir string) bool {
	return slices.ContainsFunc(g.Files, func(f File) bool { return filepath.Dir(f.Path) == dir })
}

// Ended says which file of the command has changed since the grant, given its current
// files; empty if none has. Files in directories for which a permission for the first
// words of a command was not granted do not end it.
func (g Grant) Ended(now Named) string {
	if g.Kind != tools.Command {
		return ""
	}
	before := g.Files
	if g.Prefix {
		files, bound := now.Manifests(g.Value)
		if !bound {
			return ""
		}
		here := func(f File) bool { return slices.Contains(now.Dirs, filepath.Dir(f.Path)) }
		before = slices.DeleteFunc(slices.Clone(g.Files), func(f File) bool { return !here(f) })
		now.Files = slices.DeleteFunc(files, func(f File) bool { return !g.knows(filepath.Dir(f.Path)) })
	}
	if now.Unbound {
		return "the files of this command can no longer be compared"
	}
	return changed(before, now.Files, g.Dir)
}

// Unseen reports whether a command depends on a manifest, such as package.json, in a
// directory for which the permission was not granted.
func (g Grant) Unseen(now Named) bool {
	files, _ := now.Manifests(g.Value)
	return slices.ContainsFunc(files, func(f File) bool { return !g.knows(filepath.Dir(f.Path)) })
}

// Changed says which of the files that a command in dir names changed between two
// verdicts, as a clause; empty if none did.
func Changed(dir string, before, now []File) string {
	return changed(before, now, realpath.Of(dir))
}

// changed says which file changed, appeared or disappeared, as a clause; empty if none
// did. Files in dir have short names.
func changed(before, now []File, dir string) string {
	for _, f := range before {
		i := slices.IndexFunc(now, func(n File) bool { return n.Path == f.Path })
		switch {
		case i < 0:
			return realpath.Shorten(f.Path, dir) + " disappeared"
		case now[i].Sum != f.Sum:
			return realpath.Shorten(f.Path, dir) + " changed"
		}
	}
	for _, n := range now {
		if !slices.ContainsFunc(before, func(f File) bool { return f.Path == n.Path }) {
			return realpath.Shorten(n.Path, dir) + " appeared"
		}
	}
	return ""
}

// Each returns g and the permissions offered with it as separate ones.
func (g Grant) Each() []Grant {
	all := append([]Grant{g}, g.With...)
	all[0].With = nil
	return all
}

// String describes what g and the permissions offered with it cover, with full paths.
func (g Grant) String() string { return g.Describe("") }

// Describe is String with the directory home written as ~.
func (g Grant) Describe(home string) string {
	if len(g.With) == 0 {
		return g.Scope.Describe(home)
	}
	var scopes []Scope
	for _, each := range g.Each() {
		scopes = append(scopes, each.Scope)
	}
	return describePrefixes(scopes...)
}
