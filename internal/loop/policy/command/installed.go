package command

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// binName matches the name of a program that a package installs.
var binName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`) })

// installed reports whether npx, or npm exec, runs a program that is in node_modules/.bin of
// the workspace: then it downloads nothing. It also judges that program.
func (g *guesser) installed(p *Part, name string, args []string) bool {
	switch {
	case name == "npx", name == "bunx":
	case (name == "npm" && (first(args) == "exec" || first(args) == "x")) || name == "bun" && first(args) == "x":
		args = args[1:]
	default:
		return false
	}
	for len(args) > 0 && slices.Contains([]string{"-y", "--yes", "--no", "--no-install", "--offline", "--quiet", "-q", "--"}, args[0]) {
		args = args[1:]
	}
	if len(args) == 0 || !binName().MatchString(args[0]) || p.unknown(args[0]) || len(p.dirs) == 0 {
		return false
	}
	for _, dir := range p.dirs {
		if !g.hasBin(dir, args[0]) {
			return false
		}
	}
	g.nest(p, args)
	return true
}

// hasBin reports whether a program is in node_modules/.bin of dir, or of a directory above
// it in the workspace.
func (g *guesser) hasBin(dir, name string) bool {
	for ; g.env.Inside(dir); dir = filepath.Dir(dir) {
		if g.env.Look(filepath.Join(dir, "node_modules", ".bin", name)) == File {
			return true
		}
		if strings.TrimRight(dir, "/") == "" {
			break
		}
	}
	return false
}
