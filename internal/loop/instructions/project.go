package instructions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"agent/internal/llm/phrase"
	"agent/internal/realpath"
)

// Options configure a Project.
type Options struct {
	Dir    string // working directory, absolute
	Home   string // home directory; empty if unknown
	Config string // the program's configuration directory; empty if unknown
	// Show returns an absolute path for display, without control characters.
	Show func(path string) string
	// Withheld returns why a file that another file imports must not be read; empty if
	// it may be. root is the repository, empty for a file of the user.
	Withheld func(root, path string) string
	// IsName reports whether a custom command, a skill or an agent may have a name.
	IsName func(name string) bool
}

// Project holds the instructions, skills, custom commands and agents for a working
// directory. It is safe for concurrent use.
type Project struct {
	o          Options
	root       string // of the repository; the working directory outside one
	repository source
	user       source

	mu       sync.Mutex
	notices  []string
	reported map[string]bool   // the notices so far
	base     []level           // as read last
	seen     map[string]bool   // real paths of the files in base
	window   int               // of the last Text, in tokens
	used     int               // tokens of Text and the notes so far
	touched  []string          // directories since the last PendingNotes, relative to the working directory
	known    map[string]note   // by directory
	memory   []string          // notes about changes by the user since the last PendingNotes
	sent     map[string]string // sums of the files that the model has, by real path; nil before Text
	skills   []Skill           // as read last
}

// level holds the files of a directory: its instruction file and the imports.
type level struct{ files []File }

// Open returns the instructions for a working directory. It reads nothing.
func Open(o Options) *Project {
	p := &Project{o: o, root: Root(o.Dir), reported: map[string]bool{}, known: map[string]note{}}
	p.repository = source{dirs: []string{p.root}, place: "the repository", withheld: func(path string) string { return o.Withheld(p.root, path) }}
	p.user = source{user: true, place: "your home and configuration directories", withheld: func(path string) string { return o.Withheld("", path) }}
	for _, dir := range []string{o.Config, o.Home} {
		if dir != "" {
			p.user.dirs = append(p.user.dirs, dir)
		}
	}
	return p
}

// Root returns the root of the repository that contains dir; dir itself outside
// a repository. A repository above dir that another user owns does not count.
func Root(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if git := filepath.Join(at, ".git"); exists(git) && (at == dir || trusted(git, dir)) {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// Files returns the instruction files in use, those of the user first and the
// nearest to the working directory last. It reads them again.
func (p *Project) Files() []File {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.load()
	var all []File
	for _, l := range p.base {
		all = append(all, l.files...)
	}
	return all
}

// Notices returns the notices for the user since the previous Notices.
func (p *Project) Notices() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.notices
	p.notices = nil
	return out
}

// maxNotices limits the notices of a session: a repository can cause any number.
const maxNotices = 20

// report adds notices that the user has not received.
func (p *Project) report(notices ...string) {
	for _, n := range notices {
		if p.reported[n] || len(p.reported) > maxNotices {
			continue
		}
		if len(p.reported) == maxNotices {
			n = "More problems with instruction files, skills, commands and agents are not shown."
		}
		p.reported[n] = true
		p.notices = append(p.notices, n)
	}
}

// load reads the files of the user and those from the root of the repository down
// to the working directory.
func (p *Project) load() {
	c := &collector{show: p.Show, home: p.o.Home, seen: map[string]bool{}}
	p.base = nil
	add := func(files []File) {
		if len(files) > 0 {
			p.base = append(p.base, level{files})
		}
	}
	if p.o.Config != "" {
		add(c.directory(p.user, p.o.Config))
	}
	if p.o.Home != "" {
		if path := filepath.Join(p.o.Home, ".claude", "CLAUDE.md"); exists(path) {
			files, _ := c.file(p.user, path)
			add(files)
		}
	}
	for _, dir := range p.levels() {
		add(c.directory(p.repository, dir))
	}
	p.seen = c.seen
	p.report(c.notices...)
}

// levels returns the directories from the root down to the working directory.
func (p *Project) levels() []string {
	var dirs []string
	for dir := p.o.Dir; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == p.root || dir == filepath.Dir(dir) {
			slices.Reverse(dirs)
			return dirs
		}
	}
}

// Show returns a path for display: relative to the working directory if it is below.
func (p *Project) Show(path string) string {
	if rel, in := realpath.Rel(path, p.o.Dir); in {
		return filepath.ToSlash(p.o.Show(rel))
	}
	return filepath.ToSlash(p.o.Show(path))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Summary describes files and skills in a line: "AGENTS.md (2.1 KB) · 2 skills".
// Empty if there are none.
func Summary(files []File, skills int) string {
	var parts []string
	for _, f := range files {
		parts = append(parts, f.Path+" ("+phrase.Bytes(int64(f.Size))+")")
	}
	if skills > 0 {
		parts = append(parts, phrase.Count(skills, "skill"))
	}
	return strings.Join(parts, " · ")
}

// Changed compares the files in use with the hashes of an earlier session, by path.
// It returns a notice; empty if all is unchanged.
func Changed(files []File, before map[string]string) string {
	var changed, added []string
	for _, f := range files {
		switch hash, had := before[f.Path]; {
		case !had:
			added = append(added, f.Path)
		case hash != f.Sum:
			changed = append(changed, f.Path)
		}
	}
	var removed []string
	for path := range before {
		if !slices.ContainsFunc(files, func(f File) bool { return f.Path == path }) {
			removed = append(removed, path)
		}
	}
	slices.Sort(removed)
	var parts []string
	for _, g := range []struct {
		what  string
		paths []string
	}{{"changed", changed}, {"new", added}, {"removed", removed}} {
		if len(g.paths) > 0 {
			parts = append(parts, g.what+": "+strings.Join(g.paths, ", "))
		}
	}
	if parts == nil {
		return ""
	}
	return "The instructions for the model differ from those of the last session here (" + strings.Join(parts, "; ") + ")."
}
