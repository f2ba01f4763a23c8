package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/protect"
	"agent/internal/tools/snapshot"
)

// maxOpened limits the entries of a protected directory if a command may change one of
// them. Each of the others becomes a mount.
const maxOpened = 200

// openedDir is a protected directory that contains an approved path.
type openedDir struct {
	why   string   // it is protected
	names []string // of its entries before the command
}

// approved reports whether the user approved that the command changes a path, or
// everything in a directory that contains it.
func (g *Guard) approved(path string) bool { return inAny(path, g.approval) }

// leads reports whether an approved path is in the directory path.
func (g *Guard) leads(path string) bool {
	return slices.ContainsFunc(g.approval, func(p string) bool { return realpath.Inside(p, path) })
}

// fixed returns what must stay read-only so that a protected path does not change: the
// path itself or, if it contains an approved path, its other entries. They exist already;
// undo renames those that the command adds.
func (g *Guard) fixed(path, why string) (readOnly []string) {
	if g.approved(path) {
		return nil
	}
	if !g.leads(path) {
		return []string{path}
	}
	entries, err := entriesOf(path, anyEntry)
	if err != nil || len(entries) > maxOpened {
		return []string{path}
	}
	d := openedDir{why: why}
	for _, e := range entries {
		d.names = append(d.names, e.Name())
		readOnly = append(readOnly, g.fixed(filepath.Join(path, e.Name()), why)...)
	}
	g.opened[path] = d
	return readOnly
}

// Order returns o with the protected names that the command of g cannot change or create while
// it runs, and with the git directories whose names do not show what they are. It returns o itself if g or o is nil or o is not strict.
func (g *Guard) Order(o *snapshot.Order) *snapshot.Order {
	if g == nil || o == nil || !o.Strict {
		return o
	}
	order := *o
	order.Protected, order.Search, order.Approved = g.area.Protected.Paths(), g.area.Search, g.approval
	for _, dir := range g.area.above {
		if !strings.Contains(dir+"/", "/.git/") {
			order.GitDirs = append(order.GitDirs, dir)
		}
	}
	return &order
}

// Refused returns a notice for each protected path that the command tried to change.
func (g *Guard) Refused(paths []string) (notices []Notice) {
	for _, path := range paths {
		why := g.area.whyProtected(path)
		show := g.area.show(path)
		notices = append(notices, Notice{
			Short: show + " is protected",
			Text: fmt.Sprintf("the command could not change %s, which is protected (%s). If the change is needed, make it with edit or write, which ask the user",
				show, why),
		})
	}
	return notices
}

// RefusedSettings returns a notice for settings in a configuration file of git that the command
// tried to change. Names is empty if nobody knows which settings.
func (g *Guard) RefusedSettings(path, names string) Notice {
	show := g.area.show(path)
	if names == "" {
		return Notice{
			Short: show + " is protected",
			Text:  fmt.Sprintf("the command could not change %s: it cannot be checked for settings that need approval", show),
		}
	}
	return Notice{
		Short: show + " is protected",
		Text: fmt.Sprintf("the command could not change %s in %s: without approval, it can only change settings that are known to be harmless. If the change is needed, run git config as a command of its own, which asks the user",
			names, show),
	}
}

// whyProtected returns why a path that the supervisor of a command reported is protected.
func (a *Area) whyProtected(path string) string {
	dir, name := filepath.Split(path)
	if why := a.Protected.Why(filepath.Clean(dir), name, false); why != "" {
		return why
	}
	switch {
	case a.Search.Shadows(path):
		return protect.WhyShadow
	case a.Search.Leads(path):
		return "a program below it could run instead of another one, because its directory is in your PATH"
	case a.Protected.Parent(filepath.Clean(dir), name):
		return "other programs run what is in directories of this name"
	case name == "config" || name == "config.worktree":
		return "git finds programs in it; to copy a repository, use git clone"
	}
	return "git uses it to find programs or repositories"
}

// undo renames a protected path that the command created. What the user approved in it
// stays.
func (g *Guard) undo(path, why string) (notices []Notice) {
	info, err := os.Lstat(path)
	switch {
	case err != nil, g.approved(path), isRemoved(filepath.Base(path)), ofNewClone(path):
		return nil
	case info.IsDir() && g.leads(path):
		return g.undoIn(path, openedDir{why: why})
	}
	return []Notice{g.area.quarantine(path, why)}
}

// undoIn renames the entries of a protected directory that were not in it before.
func (g *Guard) undoIn(dir string, before openedDir) (notices []Notice) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && !readable(dir, info) {
		_ = g.area.open(dir) // with an error, it cannot be read below
	}
	entries, err := entriesOf(dir, anyEntry)
	if err != nil && exists(dir) {
		return []Notice{g.area.quarantine(dir, before.why)}
	}
	for _, e := range entries {
		if !slices.Contains(before.names, e.Name()) {
			notices = append(notices, g.undo(filepath.Join(dir, e.Name()), before.why)...)
		}
	}
	return notices
}

// ofNewClone reports whether a file is the configuration of a repository of Mercurial or Breezy as
// these programs write it for a clone: it only names the repository that was cloned.
func ofNewClone(path string) bool {
	var harmless *regexp.Regexp
	switch filepath.Base(path) {
	case "hgrc":
		harmless = regexp.MustCompile(`^(#.*|\[(paths|ui)\]|default(-push)? *= *[^-].*)?$`)
	case "branch.conf":
		harmless = regexp.MustCompile(`^(#.*|parent_location *= *[^-].*)?$`)
	default:
		return false
	}
	const most = 64 << 10
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		if !harmless.MatchString(strings.TrimRight(line, "\r")) {
			return false
		}
	}
	return true
}
