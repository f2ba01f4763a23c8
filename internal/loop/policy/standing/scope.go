package standing

import (
	"path"
	"path/filepath"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/policy/command"
	"agent/internal/tools"
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
	case s.Kind == tools.Path && s.Value == AllEdits:
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

// AllEdits is the Value of a Scope for all files in the workspace.
const AllEdits = "./"

// Includes reports whether the scope includes a target whose directory, free of
// symbolic links, is dir.
func (s Scope) Includes(t tools.Target, dir string) bool {
	if s.Kind != t.Kind || s.Prefix || s.Read || s.Kind != tools.Host && s.Kind != tools.MCP && (s.Dir == "" || s.Dir != dir) {
		return false
	}
	if s.Kind == tools.Path {
		name := path.Clean(t.Value)
		switch {
		case s.Value == AllEdits: // the caller asks about files outside the workspace
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

// Sends reports whether the scope allows sending data over the network.
func (s Scope) Sends() bool { return s.Kind == tools.Host || s.Kind == tools.MCP || s.Network }

// reaches reports whether the scope only allows to send data to a source.
func (s Scope) reaches(source string) bool {
	server, _, _ := strings.Cut(s.Value, "/")
	return s.Kind == tools.Host && s.Value == source || s.Kind == tools.MCP && server == source
}

// describePrefixes describes scopes with a Prefix as a noun phrase.
func describePrefixes(scopes ...Scope) string {
	var out []string
	words := map[string][]string{}
	for _, s := range scopes {
		with := " without arguments"
		if command.TakesArguments(strings.Fields(s.Value)) {
			with = " with common options"
		}
		if s.Network {
			with += " and the network"
		}
		if words[with] == nil {
			out = append(out, with)
		}
		words[with] = append(words[with], "`"+s.Value+"`")
	}
	for i, with := range out {
		out[i] = phrase.List(words[with], "and") + with
	}
	return strings.Join(out, ", and ") + " in this project"
}
