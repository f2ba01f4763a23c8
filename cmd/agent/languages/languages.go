// Package languages decides which language servers and formatters a session uses: those of
// the user's configuration, and built-in servers that the user has confirmed for the
// workspace. A program inside the repository is used only after a confirmation of its
// content. The package runs nothing by itself. Start reading at Programs.
package languages

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/realpath"
	"agent/internal/tools"
	"agent/internal/tools/confine"
	"agent/internal/tools/format"
	"agent/internal/tools/lsp"
	"agent/internal/tools/process"
)

// configured is the File of an item that the user's configuration names, if its program is
// not a file of the repository.
const configured = "config.json"

// Source returns the items that need a confirmation: configured programs inside the
// repository, and built-in servers that are installed and fit the files of the workspace.
func Source(set settings.Settings) trust.Source {
	return func(dir string) ([]trust.Item, error) {
		var all []trust.Item
		servers := set.LanguageServers()
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			if i, needed := inside(dir, trust.LSP, name, servers[name].Command.Args()); needed {
				all = append(all, i)
			}
		}
		for _, glob := range slices.Sorted(maps.Keys(set.Format)) {
			if i, needed := inside(dir, trust.Format, glob, set.Format[glob].Args()); needed {
				all = append(all, i)
			}
		}
		return append(all, offers(dir, set)...), nil
	}
}

// inside returns the item of a program that is in the repository dir, or that gets a file
// of it as an argument. It reports false if there is none.
func inside(dir string, kind trust.Kind, name string, args []string) (trust.Item, bool) {
	words := slices.Clone(args[1:])
	file := configured
	path, in := program(dir, args[0])
	if in {
		file, words = filepath.ToSlash(path), append([]string{path}, words...)
	}
	content, files := trust.Programs(dir, dir, words...)
	if content == "" && !in {
		return trust.Item{}, false
	}
	return trust.Item{Kind: kind, Name: name, File: file, Content: strings.Join(args, " ") + "\n" + content, Files: files, Live: kind == trust.Format}, true
}

// program returns the path of a program as package process finds it, relative to dir if it
// is inside. In reports whether it is. A program that does not exist has an empty path.
func program(dir, name string) (path string, in bool) {
	path = name
	if !strings.ContainsAny(name, `/`+string(filepath.Separator)) {
		if path = inPath(name); path == "" {
			return "", false
		}
	} else if !filepath.IsAbs(name) {
		path = filepath.Join(dir, name)
	}
	for _, p := range []string{path, realpath.Of(path)} {
		for _, d := range []string{dir, realpath.Of(dir)} {
			if rel, in := realpath.Rel(p, d); in {
				return rel, true
			}
		}
	}
	return path, false
}

// inPath searches a program like package process: relative directories in PATH, which may
// be in a repository, do not count.
func inPath(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(dir) {
			return path
		}
	}
	return ""
}

// offers returns the built-in servers that are installed and not configured, if the
// workspace has a file of their Roots.
func offers(dir string, set settings.Settings) (all []trust.Item) {
	builtIn := settings.BuiltInServers()
	for _, name := range slices.Sorted(maps.Keys(builtIn)) {
		l := builtIn[name]
		_, configured := set.LSP[name]
		if configured || !slices.ContainsFunc(l.Roots, func(root string) bool {
			_, err := os.Lstat(filepath.Join(dir, root))
			return err == nil
		}) {
			continue
		}
		path, in := program(dir, l.Command.Words[0])
		if path == "" || in {
			continue
		}
		all = append(all, trust.Item{Kind: trust.LSP, Name: name, File: "PATH", Offer: true, Content: fmt.Sprintf(
			"%s\nfor %s\n\nA language server reads the build configuration of this repository and may run\nprograms that it names, in the sandbox of commands: without the network, and with\nthe working directory read-only.\n",
			strings.Join(append([]string{path}, l.Command.Words[1:]...), " "), strings.Join(l.Files, ", "))})
	}
	return all
}

// Programs are the language servers and formatters of a workspace.
type Programs struct {
	Dir   string
	Set   settings.Settings
	Trust *trust.Review
	Env   func() []string // the environment of the programs
}

// Servers returns the language servers that may be used.
func (p Programs) Servers() (all []lsp.Server) {
	servers := p.Set.LanguageServers()
	for _, i := range offers(p.Dir, p.Set) {
		if p.Trust.Confirmed(i) {
			servers[i.Name] = settings.BuiltInServers()[i.Name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		l := servers[name]
		if p.check(p.Dir, trust.LSP, name, l.Command.Args()) == nil {
			all = append(all, lsp.Server{Name: name, Args: l.Command.Args(), Files: l.Files, Roots: l.Roots, Settings: l.Settings})
		}
	}
	return all
}

// check returns an error for a program that is not confirmed and belongs to the repository,
// or to its copy dir, which may differ.
func (p Programs) check(dir string, kind trust.Kind, name string, args []string) error {
	for _, d := range []string{p.Dir, dir} {
		if i, needed := inside(d, kind, name, args); needed && !p.Trust.Confirmed(i) {
			return fmt.Errorf("%s is not used: it is in the repository and not confirmed. Confirm it with /trust or `agent trust`", args[0])
		}
	}
	return nil
}

// Start starts the language servers of dir, which is the workspace or a git worktree of it,
// in the sandbox of area. Nil means no sandbox. A relative path of a program is relative to
// dir, not to the root below it in which the server starts: that is the file that the user
// has confirmed.
func (p Programs) Start(dir string, area *confine.Area) func(s lsp.Server, root string) (lsp.Process, error) {
	return func(s lsp.Server, root string) (lsp.Process, error) {
		if err := p.check(dir, trust.LSP, s.Name, s.Args); err != nil {
			return nil, err
		}
		args := slices.Clone(s.Args)
		if strings.ContainsAny(args[0], `/`+string(filepath.Separator)) && !filepath.IsAbs(args[0]) {
			args[0] = filepath.Join(dir, args[0])
		}
		named, _ := trust.Programs(root, root, args[1:]...)
		if confirmed, _ := trust.Programs(dir, dir, args[1:]...); named != "" && named != confirmed {
			return nil, fmt.Errorf("its arguments name other files in %s than in the working directory. Use absolute paths in its \"command\"", root)
		}
		guard := area.Begin(confine.Extent{Private: true})
		started, err := process.Start(process.Program{Args: args, Dir: root, Env: p.Env(), Sandbox: guard.Profile()})
		if err != nil {
			return nil, err
		}
		return started, nil
	}
}

// Formatters returns the formatters for the files of dir, which is the workspace or a git
// worktree of it, in the sandbox of area; nil if none is configured.
func (p Programs) Formatters(dir string, area *confine.Area) tools.Formatter {
	if len(p.Set.Format) == 0 {
		return nil
	}
	var all []format.Formatter
	for _, glob := range slices.Sorted(maps.Keys(p.Set.Format)) {
		all = append(all, format.Formatter{Files: glob, Args: p.Set.Format[glob].Args()})
	}
	return format.New(format.Options{Dir: dir, All: all, Env: p.Env, Area: area, Check: func(f format.Formatter) error {
		return p.check(dir, trust.Format, f.Files, f.Args)
	}})
}
