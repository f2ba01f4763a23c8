// Package confine keeps the commands of an agent in its workspace: it defines what their
// sandbox permits, and undoes afterwards what the sandbox cannot prevent. Paths that
// make other programs run commands (see Options.Protected) are read-only in the sandbox
// if they exist. A command that nobody approved cannot create them in existing directories: see
// Guard.Order. Those that are created nevertheless are renamed afterwards. The configuration of
// git stays writable. A command that nobody approved can only make settings in it that are known
// to be harmless; others are reverted after all commands. See gitconfig.NeedsApproval.
//
// The check covers all directories that commands make, those in which they may have created a
// repository, and the first 500 others, those near the top first. In directories of
// dependencies, such as vendor, it looks only for repositories: in all submodules and the
// first 200 other directories. It cannot tell who changed a file: a protected path that the
// user creates while a command runs is renamed, too. The check deletes nothing.
//
// The package decides nothing about permissions and starts nothing. Start reading at
// Area.Begin.
package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"agent/internal/realpath"
	"agent/internal/tools/caches"
	"agent/internal/tools/protect"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/tempdir"
)

// Options describe an Area.
type Options struct {
	Workspace string          // absolute
	Added     []string        // further directories that commands may change, absolute
	Readable  func() []string // what commands may read although the home directory is hidden; nil for nothing
	// Private are files of this program that only approved commands can read. Secret
	// are files and directories of this program that no command can read.
	Private, Secret []string
	UserPaths       sandbox.UserPaths

	// Fixed returns absolute paths that commands must not change or create, among them
	// this program's own.
	Fixed     func() []string
	Protected *protect.Names // of files that commands must not change or create
	Search    protect.Search // of programs that commands must not create if nobody approved them
	// Session returns the session of the sandbox; nil if there is none. It may block.
	Session func() *sandbox.Session
	// Temp is the temporary directory that commands see in the complete sandbox; nil for that
	// of the system.
	Temp *tempdir.Dir
	// Caches are those that commands which nobody approved change instead of the user's; nil for
	// none.
	Caches *caches.Caches
	// Failed is called when a sandbox could not be set up; may be nil.
	Failed func()
	// Evaded is called when a command tried to hide a change from undo; may be nil.
	Evaded func()
}

// Area is the part of the file system in which the commands of an agent work. It is
// safe for concurrent use.
type Area struct {
	Options
	workspace string // without links

	mu       sync.Mutex
	tree     tree
	around   []string // worktrees that contain the writable directories
	above    []string // git directories outside the writable directories: see repositoryAbove
	last     lastRead
	prepared bool            // see prepare
	linked   []string        // installations of programs in the home directory
	passing  map[string]bool // results of passesTops
}

// New returns an Area. It reads nothing until the first command.
func New(o Options) *Area {
	if o.Readable == nil {
		o.Readable = func() []string { return nil }
	}
	return &Area{Options: o, last: lastRead{indexes: map[string]index{}, listed: map[string]listed{}}, passing: map[string]bool{}}
}

// Guard is the check of one command. A nil Guard does nothing.
type Guard struct {
	area      *Area
	private   bool // it cannot change anything
	profile   *sandbox.Profile
	scan      int                    // number of the scan before the command
	gitDirs   map[string]gitDir      // before the command
	gitFiles  map[string]content     // .git files before the command
	write     []string               // what it may write to, without links
	links     map[string]leadingLink // before the command, by path
	dirs      map[string]resolved    // directories of protected paths
	absent    map[string]string      // protected paths that did not exist, and why they are protected
	unchecked []string               // places outside the tree that it can write to, without links
	leading   map[string]string      // see leadingToRepositories, before the command
	// unsearched is a protected directory that is too large to search for links; "" if none is.
	unsearched string

	inPath     map[string][]string  // before the command: see Area.inPath
	unapproved bool                 // nobody approved the command
	approval   []string             // protected paths that it may change
	opened     map[string]openedDir // protected directories that contain such paths
}

// Extent is what one command may reach.
type Extent struct {
	// Private is set for a command that nobody approved: it sees no home directory and
	// cannot change the workspace.
	Private  bool
	HideHome bool // the command sees no home directory, like a private one
	Network  bool // the network of the host
	// SystemTemp is set for a command that changes files in the temporary directory of the
	// system, and so finds that.
	SystemTemp bool
	Write      []string // further files and directories that it may change, absolute
	// Approved are protected paths that the user approved it to change, absolute. A
	// directory stands for everything in it.
	Approved []string
	ReadOnly []string // directories that it must not change, absolute
	Show     []string // hidden files that the user approved it to read, absolute; not those of Options.Secret
	Hide     []string // files that look empty to a command that nobody approved, absolute
}

// Evaded says that the command tried to hide a change from undo.
func (g *Guard) Evaded() {
	if g != nil && g.area.Options.Evaded != nil {
		g.area.Options.Evaded()
	}
}

// Begin prepares a command and returns its guard, which is nil if there is no sandbox.
// The caller runs the command with the guard's profile and then calls End.
func (a *Area) Begin(e Extent) *Guard {
	if a == nil {
		return nil
	}
	session := a.Session()
	if session == nil || session.Form() == sandbox.None {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prepare()
	a.makeCaches(false)
	if e.Private {
		g := &Guard{area: a, private: true, profile: a.privateProfile(session)}
		a.dropStrays(g.profile)
		g.profile.ReadOnly = append(g.profile.ReadOnly, e.ReadOnly...)
		g.profile.Hide = append(g.profile.Hide, e.Hide...)
		return g
	}
	g := &Guard{area: a, links: map[string]leadingLink{}, absent: map[string]string{}, dirs: map[string]resolved{}, gitDirs: map[string]gitDir{}, gitFiles: map[string]content{}, approval: e.Approved, opened: map[string]openedDir{}}
	a.tree.scan()
	g.scan = a.tree.scans
	g.profile = a.profile(session, e.Network, e.SystemTemp)
	g.unapproved, g.inPath = e.HideHome, a.inPath()
	g.unchecked = g.uncheckedPlaces()
	g.leading = g.leadingToRepositories()
	if e.HideHome {
		a.hideHome(g.profile)
		g.profile.Hide = append(g.profile.Hide, e.Hide...)
	}
	a.dropStrays(g.profile)
	g.profile.Write = append(g.profile.Write, e.Write...)
	g.profile.ReadOnly = slices.DeleteFunc(g.profile.ReadOnly, func(path string) bool { return inAny(path, e.Write) })
	for _, path := range e.Show {
		if !inAny(path, a.Secret) {
			g.profile.Show = append(g.profile.Show, path)
			g.profile.Hide = slices.DeleteFunc(g.profile.Hide, func(hidden string) bool { return hidden == path })
		}
	}
	for _, path := range g.profile.Write {
		g.write = append(g.write, realpath.Of(path))
	}
	g.profile.ReadOnly = slices.Concat(g.profile.ReadOnly, e.ReadOnly, g.protect())
	a.last.gitDirs, a.last.gitFiles = g.gitDirs, g.gitFiles
	for _, path := range a.Fixed() {
		g.profile.ReadOnly = append(g.profile.ReadOnly, g.protectPath(path, usedByOthers)...)
	}
	return g
}

// protect takes the protected names and the git directories that the last scan found, and
// returns the paths that the command must not change.
func (g *Guard) protect() (readOnly []string) {
	a := g.area
	for dir, d := range a.tree.dirs {
		if d.closed { // nobody knows what is in it
			readOnly = append(readOnly, g.fixed(dir, unreadable)...)
		}
		for name, p := range d.names {
			readOnly = append(readOnly, g.protectPath(filepath.Join(dir, name), p.why)...)
		}
		if d.repo && d.visit == g.scan {
			if file := filepath.Join(dir, ".git"); isFile(file) {
				readOnly = append(readOnly, g.fixed(file, "")...)
			}
		}
	}
	paths := map[string]bool{} // worktrees share many
	for dir, worktrees := range g.gitWorktrees() {
		named, whole := g.gitPaths(dir, worktrees)
		for _, path := range named {
			paths[path] = true
		}
		for _, worktree := range whole {
			readOnly = append(readOnly, g.writableIn(worktree)...)
		}
	}
	for path := range paths {
		readOnly = append(readOnly, g.protectPath(path, "git runs it")...)
	}
	return readOnly
}

// writableIn returns a directory, or the writable directories in it if it contains one.
func (g *Guard) writableIn(dir string) (out []string) {
	for _, top := range g.area.tree.tops {
		if realpath.Inside(top, dir) {
			out = append(out, g.fixed(top, "git runs it")...)
		}
	}
	if len(out) == 0 && g.area.writable(dir) {
		return g.fixed(dir, "git runs it")
	}
	return out
}

// Profile returns the sandbox of the command; nil means none.
func (g *Guard) Profile() *sandbox.Profile {
	if g == nil {
		return nil
	}
	return g.profile
}

// End is EndWith for a command without a supervisor.
func (g *Guard) End() (notices []Notice) { return g.EndWith(Seen{}) }

// Seen holds what the supervisor of a command saw it create, even where the check does not look.
// All paths are absolute.
type Seen struct {
	Planted []string // directories in which the command may have created a repository
	Made    []string // the same, but created by the command itself
	Created []string // protected paths that it was allowed to create
}

// EndWith undoes the changes of the command to protected paths and to the configuration of
// git. The command must have ended.
func (g *Guard) EndWith(seen Seen) (notices []Notice) {
	if g == nil || g.private {
		return nil
	}
	a := g.area
	a.mu.Lock()
	defer a.mu.Unlock()
	notices = g.restoreLinks()
	a.tree.planted = map[string]bool{}
	for _, dir := range seen.Planted {
		parent := a.tree.dirs[filepath.Dir(dir)]
		a.tree.planted[dir] = a.tree.dirs[dir] == nil && (parent == nil || slices.Contains(parent.subs, dir))
	}
	for _, dir := range seen.Made {
		a.tree.planted[dir] = false
	}
	a.tree.scan()
	for dir, d := range a.tree.dirs {
		if d.since > g.scan && !d.made { // it may have been there before, beyond the limit
			continue
		}
		if d.closed && d.made {
			notices = append(notices, a.quarantine(dir, unreadable))
			continue
		}
		for name, p := range d.names {
			if path := filepath.Join(dir, name); p.since > g.scan && !a.tree.planted[dir] && !a.tree.newRepository(path, g.scan) {
				notices = append(notices, g.undo(path, p.why)...)
			}
		}
		if d.git {
			notices = append(notices, g.restoreGitDir(dir)...)
		}
		if d.pointer > g.scan && !a.checked(dir) {
			notices = append(notices, g.undo(filepath.Join(dir, ".git"), "names a git directory that is not checked for programs that git would run")...)
		}
	}
	notices = append(notices, g.renameLinks()...)
	for path, why := range g.absent {
		notices = append(notices, g.undo(path, why)...)
	}
	for _, path := range seen.Created {
		if exists(path) {
			notices = append(notices, g.undo(path, a.whyProtected(path))...)
		}
	}
	notices = append(notices, g.checkPrograms()...)
	for dir, before := range g.opened {
		notices = append(notices, g.undoIn(dir, before)...)
	}
	return firstNotices(append(notices, g.tooLarge()...))
}

// maxNotices is how many notices of one command name what they are about.
const maxNotices = 20

// firstNotices replaces all but the first notices by their number.
func firstNotices(all []Notice) []Notice {
	more := len(all) - maxNotices
	if more <= 1 {
		return all
	}
	slices.SortFunc(all, func(a, b Notice) int { return strings.Compare(a.Text, b.Text) })
	return append(all[:maxNotices:maxNotices], Notice{
		Text:  fmt.Sprintf("and %d more changes of this kind", more),
		Short: fmt.Sprintf("and %d more", more),
	})
}

// Why paths are protected.
const (
	usedByOthers = "it is used by other programs" // of fixed paths
	unreadable   = "it cannot be read and checked for files that other programs use"
)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.IsDir()
}
