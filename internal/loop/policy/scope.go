package policy

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/tools"
)

// Scope is what a standing permission ("always allow, in this session") covers. The
// zero value covers nothing.
type Scope struct {
	Kind tools.TargetKind `json:"kind"`
	// Value is a directory ending in "/", a file, a whole command, or a host
	// with its port unless that is the default.
	Value string `json:"value"`
	// Dir is the absolute directory, without symbolic links, in which a Command
	// runs or from which a Path starts. Empty for a Host.
	Dir string `json:"dir,omitempty"`
	// Prefix is set if Value is the first words of commands, which may have any further
	// arguments. Dir is then the workspace.
	Prefix bool `json:"prefix,omitempty"`
	// Network is set if the commands may use the network.
	Network bool `json:"network,omitempty"`
}

// String describes the scope as a noun phrase with full paths; empty for the
// zero value.
func (s Scope) String() string { return s.Describe("") }

// Describe is String with the directory home written as ~.
func (s Scope) Describe(home string) string {
	switch {
	case s.Prefix:
		with := "any arguments"
		if s.Network {
			with += " and the network"
		}
		return "`" + s.Value + "` with " + with + " in this project"
	case s.Kind == tools.Command:
		return "`" + s.Value + "` in " + shorten(s.Dir, home)
	case s.Kind == tools.Path && strings.HasSuffix(s.Value, "/"):
		return "all edits under " + s.Value
	case s.Kind == tools.Path:
		return "all edits to " + s.Value
	case s.Kind == tools.Host:
		return "requests to " + s.Value
	}
	return ""
}

// Describe is Scope.String with the user's home directory written as ~.
func (p Paths) Describe(s Scope) string { return s.Describe(physical(p.Home)) }

// shorten writes home at the start of dir as ~.
func shorten(dir, home string) string {
	if home == "" || home == string(filepath.Separator) {
		return dir
	}
	if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || rest[0] == filepath.Separator) {
		return "~" + rest
	}
	return dir
}

// covers reports whether the scope includes a target whose directory, free of
// symbolic links, is dir.
func (s Scope) covers(t tools.Target, dir string) bool {
	if s.Kind != t.Kind || s.Prefix || s.Kind != tools.Host && (s.Dir == "" || s.Dir != dir) {
		return false
	}
	if s.Kind == tools.Path {
		name := path.Clean(t.Value)
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return false
		}
		if strings.HasSuffix(s.Value, "/") {
			return strings.HasPrefix(name, s.Value)
		}
		return s.Value == name
	}
	return s.Value == t.Value
}

// scopeOf returns the scope of the standing permission that is offered for c: the
// directory of an edited file, the file itself if that directory is the workspace,
// exactly this command in this directory, or exactly this host. It is zero for a
// call that needs approval every time.
func scopeOf(c tools.Call, f Facts) Scope {
	if prefix := f.prefix(); prefix != "" && len(c.Warnings) == 0 && f.Root != "" {
		return Scope{Kind: tools.Command, Value: prefix, Dir: f.Root, Prefix: true}
	}
	if len(c.Targets) != 1 || !f.standing(c) {
		return Scope{}
	}
	t := c.Targets[0]
	s := Scope{Kind: t.Kind, Value: t.Value, Dir: f.Dir}
	switch {
	case t.Kind == tools.Path:
		s.Value = path.Clean(t.Value)
		if dir := path.Dir(s.Value); dir != "." {
			s.Value = dir + "/"
		}
	case t.Kind == tools.Host:
		s.Dir = ""
	}
	if !s.covers(t, f.Dir) || effects[t.Kind] != c.Effect {
		return Scope{}
	}
	return s
}

// effects maps the kind of a standing permission to the effect that it allows.
var effects = map[tools.TargetKind]tools.Effect{
	tools.Path: tools.Write, tools.Command: tools.Execute, tools.Host: tools.Network,
}

// Grant is a standing permission.
type Grant struct {
	Scope
	// Files are the files that a command named when it was approved; with a Prefix, only
	// those that say what the program does, such as package.json for npm. The permission
	// ends when one of them changes, appears or disappears.
	Files []File `json:"files,omitempty"`
	// Seal proves that this program wrote the grant, in this session: see Sealer.
	Seal string `json:"seal,omitempty"`
}

// File is a file that a command names, with a hash of its contents.
type File struct {
	Path string `json:"path"` // absolute
	Sum  string `json:"sum"`  // "sha256:…", or why it could not be read
}

// Ended returns which file of the command has changed since the grant, given the
// current facts; empty if none has.
func (g Grant) Ended(now Facts) string {
	if g.Kind != tools.Command {
		return ""
	}
	if g.Prefix {
		files, bound := now.manifests(g.Value)
		if !bound {
			return ""
		}
		now.Files = files
	}
	if now.Unbound {
		return "the files of this command can no longer be compared"
	}
	for _, f := range g.Files {
		i := slices.IndexFunc(now.Files, func(n File) bool { return n.Path == f.Path })
		switch {
		case i < 0:
			return g.show(f.Path) + " disappeared"
		case now.Files[i].Sum != f.Sum:
			return g.show(f.Path) + " changed"
		}
	}
	for _, n := range now.Files {
		if !slices.ContainsFunc(g.Files, func(f File) bool { return f.Path == n.Path }) {
			return g.show(n.Path) + " appeared"
		}
	}
	return ""
}

// show returns a path relative to the directory of the command if it is below it.
func (g Grant) show(path string) string {
	if rel, err := filepath.Rel(g.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
