package policy

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/policy/command"
	"agent/internal/realpath"
	"agent/internal/tools"
	"agent/internal/tools/manifest"
)

// Scope is what a standing permission ("always allow, in this session") covers. The
// zero value covers nothing.
type Scope struct {
	Kind tools.TargetKind `json:"kind"`
	// Value is a directory ending in "/", a file, a whole command, a host with its port
	// unless that is the default, or SERVER/TOOL of an MCP server.
	Value string `json:"value"`
	// Dir is the absolute directory, without symbolic links, in which a Command
	// runs or from which a Path starts. Empty for a Host and for MCP.
	Dir string `json:"dir,omitempty"`
	// Prefix is set if Value is the first words of commands, which may have further
	// arguments. Dir is then the workspace.
	Prefix bool `json:"prefix,omitempty"`
	// Network is set if the commands may use the network.
	Network bool `json:"network,omitempty"`
	// Read is set if Value is an absolute directory outside the workspace, ending in
	// "/", whose files may be read.
	Read bool `json:"read,omitempty"`
}

// String describes the scope as a noun phrase with full paths; empty for the
// zero value.
func (s Scope) String() string { return s.Describe("") }

// Describe is String with the directory home written as ~.
func (s Scope) Describe(home string) string {
	switch {
	case s.Prefix:
		return describePrefixes(s)
	case s.Kind == tools.Command:
		return "`" + s.Value + "` in " + shorten(s.Dir, home)
	case s.Read:
		return "reading files under " + shorten(s.Value, home)
	case s.Kind == tools.Path && s.Value == allEdits:
		return "all edits"
	case s.Kind == tools.Path && strings.HasSuffix(s.Value, "/"):
		return "all edits under " + s.Value
	case s.Kind == tools.Path:
		return "all edits to " + s.Value
	case s.Kind == tools.Host:
		return "requests to " + s.Value
	case s.Kind == tools.MCP:
		server, tool, _ := strings.Cut(s.Value, "/")
		return "calls of " + phrase.Quoted(tool) + " of the MCP server " + server
	}
	return ""
}

// Describe is Grant.String with the user's home directory written as ~.
func (p Paths) Describe(g Grant) string { return g.Describe(p.Resolved.Of(p.Home)) }

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

// allEdits is the Value of a Scope for all files in the workspace.
const allEdits = "./"

// includes reports whether the scope includes a target whose directory, free of
// symbolic links, is dir.
func (s Scope) includes(t tools.Target, dir string) bool {
	if s.Kind != t.Kind || s.Prefix || s.Read || s.Kind != tools.Host && s.Kind != tools.MCP && (s.Dir == "" || s.Dir != dir) {
		return false
	}
	if s.Kind == tools.Path {
		name := path.Clean(t.Value)
		switch {
		case s.Value == allEdits: // the caller asks about files outside the workspace
			return true
		case !filepath.IsLocal(filepath.FromSlash(name)):
			return false
		case strings.HasSuffix(s.Value, "/"):
			return strings.HasPrefix(name, s.Value)
		}
		return s.Value == name
	}
	return s.Value == t.Value
}

// grantFor returns a standing permission that covers c, which is not a command; nil if
// none covers all of it.
func (p *Policy) grantFor(c tools.Call, f Facts) (by *Grant) {
	if c.Effect == tools.Execute || !permissible(c, f) {
		return nil
	}
	for i, t := range c.Targets {
		at := slices.IndexFunc(p.grants, func(g Grant) bool {
			if c.Effect == tools.Read {
				return g.Read && t.Kind == tools.Path && i < len(f.touched) && (!f.touched[i].outside || strings.HasPrefix(f.touched[i].real(), g.Value))
			}
			return effects[t.Kind] == c.Effect && g.includes(t, f.Dir)
		})
		if at < 0 {
			return nil
		}
		by = &p.grants[at]
	}
	return by
}

// effects maps the kind of a standing permission to the effect that it allows.
var effects = map[tools.TargetKind]tools.Effect{
	tools.Path: tools.Write, tools.Command: tools.Execute, tools.Host: tools.Network,
}

// permissible reports whether standing permissions can apply to c.
func permissible(c tools.Call, f Facts) bool {
	removes := slices.ContainsFunc(c.Changes, func(ch tools.Change) bool { return ch.After == nil && ch.Before != nil })
	return len(c.Warnings) == 0 && len(f.Protected) == 0 && !removes
}

// commandGrant returns the standing permission for exactly the command of c; nil if there is
// none. Only older versions granted such permissions.
func (p *Policy) commandGrant(c tools.Call, f Facts) *Grant {
	const never = command.Destroys | command.WritesOutside | command.Connects
	if f.Unbound || f.Command.Traits&never != 0 || !permissible(c, f) {
		return nil
	}
	if i := slices.IndexFunc(p.grants, func(g Grant) bool { return g.includes(c.Targets[0], f.Dir) }); i >= 0 {
		return &p.grants[i]
	}
	return nil
}

// offer returns the standing permission that is offered for c: commands with the same
// first words, all edits in the session, a directory to read, or a host. Its Scope is
// zero for a call that needs approval every time.
func (p *Policy) offer(c tools.Call, f Facts) Grant {
	switch {
	case !permissible(c, f):
		return Grant{}
	case c.Effect != tools.Execute:
		return Grant{Scope: scopeOf(c, f)}
	case p.uncovered(f) != "":
		return Grant{}
	}
	return offerPrefixes(f, func(part *command.Part) bool {
		return p.allowsPart(part, f).by != ""
	})
}

// scopeOf returns the scope of the offer for c, which is not a command.
func scopeOf(c tools.Call, f Facts) Scope {
	if len(c.Targets) == 0 || slices.ContainsFunc(c.Targets, func(t tools.Target) bool { return t.Kind != c.Targets[0].Kind }) {
		return Scope{}
	}
	t := c.Targets[0]
	switch {
	case t.Kind == tools.Path && c.Effect == tools.Write && f.Dir != "":
		return Scope{Kind: tools.Path, Value: allEdits, Dir: f.Dir}
	case t.Kind == tools.Host && c.Effect == tools.Network && len(c.Targets) == 1:
		return Scope{Kind: tools.Host, Value: t.Value}
	case t.Kind == tools.Path && c.Effect == tools.Read && len(f.touched) == 1:
		return f.directory(f.touched[0])
	}
	return Scope{}
}

// directory returns the scope for reading the directory of a file outside the
// workspace. There is none for a directory that contains the workspace or the home
// directory.
func (f Facts) directory(t touched) Scope {
	dir := t.real()
	if !t.directory {
		dir = filepath.Dir(dir)
	}
	if within([]string{dir}, f.Root) || within([]string{dir}, f.paths.Resolved.Of(f.paths.Home)) {
		return Scope{}
	}
	return Scope{Kind: tools.Path, Value: dir + string(filepath.Separator), Read: true}
}

// manifests returns the files among f.Files that say what commands beginning with
// prefix do, such as package.json for npm run. It reports false if the program has
// none.
func (f Facts) manifests(prefix string) (files []File, ok bool) {
	program, _, _ := strings.Cut(prefix, " ")
	names := slices.Concat(manifest.Tasks(program), manifest.Settings(program))
	for _, file := range f.Files {
		if slices.Contains(names, filepath.Base(file.Path)) {
			files = append(files, File{Path: file.Path, Sum: cmp.Or(file.Decides, file.Sum)})
		}
	}
	return files, len(names) > 0
}

// end drops the standing permissions for the command t if a file of theirs has changed,
// and returns the change as a clause.
func (p *Policy) end(t tools.Target, f Facts) (why string) {
	if f.Unbound { // nothing can be compared, and nothing is covered
		return ""
	}
	p.grants = slices.DeleteFunc(p.grants, func(g Grant) bool {
		words := strings.Fields(g.Value)
		runs := g.Prefix && g.Dir == f.Root && slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool { return p.Covered(words) })
		if !runs && (g.Kind != tools.Command || !g.includes(t, f.Dir)) {
			return false
		}
		change := g.Ended(f)
		if change != "" {
			why = change + " since you allowed this command"
		}
		return change != ""
	})
	return why
}

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

// decider returns the permission as the Decider of a Verdict.
func (g Grant) decider(f Facts) string { return "standing permission: " + f.paths.Describe(g) }

// knows reports whether the grant has a file of a directory.
func (g Grant) knows(dir string) bool {
	return slices.ContainsFunc(g.Files, func(f File) bool { return filepath.Dir(f.Path) == dir })
}

// Ended says which file of the command has changed since the grant, given the current
// facts; empty if none has. Files in directories for which a permission for the first
// words of a command was not granted do not end it.
func (g Grant) Ended(now Facts) string {
	if g.Kind != tools.Command {
		return ""
	}
	before := g.Files
	if g.Prefix {
		files, bound := now.manifests(g.Value)
		if !bound {
			return ""
		}
		here := func(f File) bool { return slices.Contains(now.dirs, filepath.Dir(f.Path)) }
		before = slices.DeleteFunc(slices.Clone(g.Files), func(f File) bool { return !here(f) })
		now.Files = slices.DeleteFunc(files, func(f File) bool { return !g.knows(filepath.Dir(f.Path)) })
	}
	if now.Unbound {
		return "the files of this command can no longer be compared"
	}
	return changed(before, now.Files, g.show)
}

// unseen reports whether a command depends on a manifest, such as package.json, in a
// directory for which the permission was not granted.
func (g Grant) unseen(now Facts) bool {
	files, _ := now.manifests(g.Value)
	return slices.ContainsFunc(files, func(f File) bool { return !g.knows(filepath.Dir(f.Path)) })
}

// Changed says which of the files that a command in dir names changed between two
// verdicts, as a clause; empty if none did.
func Changed(dir string, before, now []File) string {
	return changed(before, now, Grant{Scope: Scope{Dir: realpath.Of(dir)}}.show)
}

// changed says which file changed, appeared or disappeared, as a clause; empty if none
// did.
func changed(before, now []File, show func(path string) string) string {
	for _, f := range before {
		i := slices.IndexFunc(now, func(n File) bool { return n.Path == f.Path })
		switch {
		case i < 0:
			return show(f.Path) + " disappeared"
		case now[i].Sum != f.Sum:
			return show(f.Path) + " changed"
		}
	}
	for _, n := range now {
		if !slices.ContainsFunc(before, func(f File) bool { return f.Path == n.Path }) {
			return show(n.Path) + " appeared"
		}
	}
	return ""
}

// show returns a path relative to the directory of the command if it is below it.
func (g Grant) show(path string) string {
	if rel, in := realpath.Rel(path, g.Dir); in {
		return rel
	}
	return path
}
