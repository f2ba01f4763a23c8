package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"agent/internal/tools"
)

// rule is one row of the table of protected paths: the path itself and
// everything below it.
type rule struct {
	// path starts with "~/" in the home directory, with "config/" in a directory
	// of configuration, with "zsh/" where zsh looks for its files, with "/" at the
	// root; anything else applies in every directory.
	path   string
	reason string // completes "protected: "
}

// protectedRules are the paths whose change makes another program run something
// or obey somebody, or that hold credentials. Every row costs the user questions,
// so the table has only what takes effect without anybody looking at it again:
// .gitmodules and editor configuration are not in it, for git and editors do not
// run what a repository puts there.
var protectedRules = []rule{
	{".git", "git runs the hooks and the programs that are configured here"},
	{"~/.gitconfig", "git runs the programs that are configured here"},
	{"config/git", "git runs the programs that are configured here"},
	{".husky", "git runs these hooks"},
	{".github/workflows", "it runs on the build server, with its secrets"},
	{".gitlab-ci.yml", "it runs on the build server, with its secrets"},
	{".envrc", "direnv runs it in the shell"},
	{".vscode", "an editor runs the tasks that are configured here"},
	{".idea", "an editor runs the tasks that are configured here"},
	{".mcp.json", "coding assistants run the servers that are configured here"},
	{".claude", "coding assistants obey it"},
	{".agents", "coding assistants obey it"},

	{"~/.bashrc", runByShell}, {"~/.bash_profile", runByShell}, {"~/.bash_login", runByShell}, {"~/.bash_logout", runByShell},
	{"~/.bash_aliases", runByShell}, {"~/.profile", runByShell}, {"~/.kshrc", runByShell}, {"~/.inputrc", runByShell},
	{"zsh/.zshenv", runByShell}, {"zsh/.zprofile", runByShell}, {"zsh/.zshrc", runByShell}, {"zsh/.zlogin", runByShell}, {"zsh/.zlogout", runByShell},
	{"config/fish", runByShell},
	{"~/.local/bin", runByName}, {"~/bin", runByName},

	{"~/.pam_environment", runAtLogin}, {"~/.xprofile", runAtLogin}, {"~/.xsession", runAtLogin}, {"~/.xsessionrc", runAtLogin}, {"~/.xinitrc", runAtLogin},
	{"config/autostart", runAtLogin}, {"config/environment.d", runAtLogin},
	{"config/systemd", runBySystem}, {"~/.local/share/systemd", runBySystem}, {"~/Library/LaunchAgents", runBySystem},
	{"/etc/crontab", runBySystem}, {"/etc/cron.d", runBySystem}, {"/etc/systemd", runBySystem}, {"/var/spool/cron", runBySystem},

	{"~/.ssh", "ssh obeys it, and it holds keys"},
	{"~/.gnupg", credentials}, {"~/.aws", credentials}, {"~/.azure", credentials}, {"~/.kube", credentials}, {"~/.docker", credentials},
	{"config/gh", credentials}, {"config/gcloud", credentials},
	{"~/.netrc", credentials}, {"~/_netrc", credentials}, {"~/.git-credentials", credentials},
	{"~/.npmrc", credentials}, {"~/.pypirc", credentials},
}

// The reasons that several rows share.
const (
	runByShell  = "it runs when you open a shell"
	runByName   = "what is here runs when you type its name"
	runAtLogin  = "it takes effect when you log in"
	runBySystem = "the system runs it in the background"
	credentials = "it holds credentials"
	gitDir      = "git runs the hooks and the programs that are configured in a repository"
	ownFiles    = "agent itself obeys it"
)

// Protected is a target that always needs approval.
type Protected struct {
	Path   string // as the target has it
	Reason string
}

// Paths are the places that decide what is protected. Without a Workspace only
// the rules that apply in every directory hold.
type Paths struct {
	Workspace string   // absolute
	Home      string   // absolute
	Config    []string // directories of configuration: ~/.config and $XDG_CONFIG_HOME
	Zsh       []string // where zsh looks for its files: the home directory and $ZDOTDIR
	Own       []string // this program's configuration, state and binary
}

// place is an absolute path that is protected, under each of its names.
type place struct {
	names  [][]string // split and folded: as it is written, and without symbolic links
	info   os.FileInfo
	reason string
}

// protected returns the targets of c that are protected. Targets of a call that
// writes are free of symbolic links.
func (p Paths) protected(c tools.Call) []Protected {
	if c.Effect != tools.Write {
		return nil
	}
	root := physical(p.Workspace)
	var files []string
	for _, t := range c.Targets {
		if t.Kind == tools.Path {
			files = append(files, filepath.Join(root, filepath.FromSlash(t.Value)))
		}
	}
	var out []Protected
	places := p.places()
	for _, file := range files {
		if reason := protection(places, file, files); reason != "" {
			name, err := filepath.Rel(root, file)
			if err != nil {
				name = file
			}
			out = append(out, Protected{filepath.ToSlash(name), reason})
		}
	}
	return out
}

// protection returns why a file is protected; empty if it is not. written are
// all files that are written at once. Paths are absolute and without symbolic
// links, or relative if the workspace is not known.
func protection(places []place, file string, written []string) string {
	parts := split(file)
	for _, r := range protectedRules {
		if !strings.ContainsAny(r.path[:1], "~/") && !hasBase(r.path) && within(parts, split(filepath.FromSlash(r.path))) {
			return r.reason
		}
	}
	if !filepath.IsAbs(file) {
		return ""
	}
	above := ancestors(file)
	for _, at := range places {
		if at.holds(parts, above) {
			return at.reason
		}
	}
	if inGitDir(file, written) {
		return gitDir
	}
	return ""
}

// hasBase reports whether a rule starts in one of the directories of Paths.
func hasBase(path string) bool {
	return strings.HasPrefix(path, "config/") || strings.HasPrefix(path, "zsh/")
}

// places returns the absolute paths that are protected.
func (p Paths) places() []place {
	var out []place
	add := func(base, rest, reason string) {
		if filepath.IsAbs(base) {
			out = append(out, placeAt(filepath.Join(base, filepath.FromSlash(rest)), reason))
		}
	}
	for _, path := range p.Own {
		add(path, "", ownFiles)
	}
	for _, r := range protectedRules {
		start, rest, _ := strings.Cut(r.path, "/")
		var bases []string
		switch start {
		case "~":
			bases = []string{p.Home}
		case "config":
			bases = p.Config
		case "zsh":
			bases = p.Zsh
		case "":
			bases = []string{string(filepath.Separator)}
		}
		for _, base := range bases {
			add(base, rest, r.reason)
		}
	}
	return out
}

func placeAt(path, reason string) place {
	at := place{names: [][]string{split(path)}, reason: reason}
	if real := physical(path); real != path {
		at.names = append(at.names, split(real))
	}
	at.info, _ = os.Stat(path)
	return at
}

// ancestors returns what exists of a file and the directories above it.
func ancestors(file string) []os.FileInfo {
	var out []os.FileInfo
	for dir := file; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			out = append(out, info)
		}
		if dir == filepath.Dir(dir) {
			return out
		}
	}
}

// holds reports whether a file is the place or below it: by one of its names, or
// because it or a directory above it is the same file, however that is spelled.
func (at place) holds(parts []string, above []os.FileInfo) bool {
	for _, name := range at.names {
		if len(parts) >= len(name) && slices.Equal(parts[:len(name)], name) {
			return true
		}
	}
	return at.info != nil && slices.ContainsFunc(above, func(info os.FileInfo) bool { return os.SameFile(info, at.info) })
}

// inGitDir reports whether a file lies in what git takes for its directory,
// whatever it is called, such as a bare repository, or for the part of one that
// several worktrees share. Files that are written at once count as there.
func inGitDir(file string, written []string) bool {
	exists := func(path string) bool {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
		parts := split(path)
		return slices.ContainsFunc(written, func(name string) bool {
			made := split(name)
			return len(made) >= len(parts) && slices.Equal(made[:len(parts)], parts)
		})
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		has := func(name string) bool { return exists(filepath.Join(dir, name)) }
		if has("objects") && has("refs") || has("HEAD") && has("commondir") {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// maxLinks is how many symbolic links one path may lead through.
const maxLinks = 40

// physical returns path without symbolic links, whether or not what it names
// exists.
func physical(path string) string {
	if path == "" {
		return ""
	}
	path = filepath.Clean(path)
	root := filepath.VolumeName(path) + string(filepath.Separator)
	done, todo := root, strings.Split(strings.TrimPrefix(path, root), string(filepath.Separator))
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == ".." {
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		target, err := os.Readlink(next)
		if err != nil || links == maxLinks {
			done = next
			continue
		}
		links++
		if filepath.IsAbs(target) {
			done = filepath.VolumeName(target) + string(filepath.Separator)
			target = strings.TrimPrefix(target, done)
		}
		todo = append(strings.Split(filepath.FromSlash(target), string(filepath.Separator)), todo...)
	}
	return done
}

// within reports whether the names of a rule stand one after the other in parts.
func within(parts, names []string) bool {
	for i := range len(parts) - len(names) + 1 {
		if slices.Equal(parts[i:i+len(names)], names) {
			return true
		}
	}
	return false
}

// split returns the names of a path as any file system would compare them.
func split(path string) []string {
	names := strings.Split(filepath.Clean(path), string(filepath.Separator))
	for i, name := range names {
		names[i] = fold(name)
	}
	return names
}

// fold returns a name without case, without invisible characters, and without
// what Windows drops at its end. Two names that some file system takes for the
// same are equal then.
func fold(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
	if first, _, stream := strings.Cut(name, ":"); stream && len(first) > 1 { // not a drive
		name = first
	}
	if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
		name = trimmed
	}
	if name == "GIT~1" {
		return ".GIT"
	}
	return name
}
