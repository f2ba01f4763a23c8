//go:build amd64 || arm64

package watch

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/snapshot"
)

// Watcher answers the system calls of a command. Its methods are safe for concurrent use, and so are
// its parts.
type Watcher struct {
	*keeper
	order    *order
	refusals *refusals
	births   *births
	paths    *protection
	git      *gitGuard
	denied   func(path string) // Reports.Denied; may be nil

	begun   sync.Once       // the first call is being answered
	foreign map[uint64]bool // mounts: see foreignMounts

	pipes atomic.Int64 // calls that wait to open a pipe
}

// New returns a Watcher.
func New(of snapshot.Order, s snapshot.Store, reports Reports) *Watcher {
	o := (*order)(&of)
	r := &refusals{strict: o.Strict, report: reports.Refused}
	b := &births{made: map[string]birth{}, sealed: map[string]birth{}}
	p := newProtection(o, b, r, reports)
	k := &keeper{order: o, store: s, refusals: r, paths: p, links: newLinks(o, s), kept: map[string]*entry{}}
	g := &gitGuard{order: o, births: b, paths: p, keeper: k, refusals: r}
	return &Watcher{keeper: k, order: o, refusals: r, births: b, paths: p, git: g, denied: reports.Denied}
}

// Worker returns a function that answers the system calls of a command on the goroutine
// that calls Worker.
func (w *Watcher) Worker(l *sandbox.Listener) func(*sandbox.Notification) {
	handlers := map[int32]heldCall{}
	for _, c := range calls() {
		handlers[int32(c.Number)] = c
	}
	acts := w.order.Strict && l.Acts() && ownThread()
	return func(n *sandbox.Notification) {
		t := task("/proc/" + strconv.Itoa(int(n.Thread)))
		w.begun.Do(func() { w.foreign = foreignMounts(t, w.order.Roots) }) // now the command has changed nothing
		c := &change{w: w, call: &call{l: l, n: n, task: t, foreign: w.foreign, git: w.order.Git, acts: acts}}
		c.actor = actor{c.call, w.paths, &w.pipes}
		if w.order.Strict && !acts {
			c.texts = map[int]string{}
		}
		c.answer(handlers[n.Number])
	}
}

// change is what a call is about to change. It asks the parts of the Watcher whether the call may do
// that, keeps the old contents, and sets act. Its methods are in calls_linux.go, too.
type change struct {
	*call
	w     *Watcher
	actor actor

	checked []string // paths that the call would change
}

// reportDenied reports the first path of the call that the sandbox does not let it change.
func (c *change) reportDenied() {
	if c.w.denied == nil {
		return
	}
	for _, path := range c.checked {
		if c.l.Denies(path) {
			c.w.denied(path)
			return
		}
	}
}

// answer keeps what a call changes, and answers it.
func (c *change) answer(known heldCall) {
	defer c.w.git.unlock(c.call)
	defer c.w.keeper.release(c.call)
	why := ""
	var err error
	if known.handle != nil {
		why, err = known.handle(c)
		if err != nil && !harmless(err) {
			why = c.w.refusals.refuse("", "the program cannot find out which file the command changes: "+err.Error())
		}
	}
	switch {
	case why != "":
		c.l.Refuse(c.n)
	case c.isReplaced():
		c.w.refusals.race()
		c.l.Refuse(c.n)
	case !c.acts || known.handle == nil:
		c.reportDenied()
		c.l.Continue(c.n)
	case errors.Is(err, errNoFile):
		c.l.Finish(c.n, unix.ENAMETOOLONG)
	case err != nil:
		c.l.Finish(c.n, err)
	default:
		c.perform(known)
	}
}

// tries is how often a call is checked again if a link has replaced a file after the check.
const tries = 5

// perform makes the call, and answers it.
func (c *change) perform(known heldCall) {
	err := c.l.AsCommand(c.act)
	for range tries {
		if !errors.Is(err, unix.ELOOP) {
			break
		}
		why, e := known.handle(c)
		if why != "" {
			err = unix.EPERM
			break
		}
		if err = e; err == nil {
			err = c.l.AsCommand(c.act)
		}
	}
	if errors.Is(err, unix.EROFS) || errors.Is(err, unix.EXDEV) {
		c.reportDenied()
	}
	if !errors.Is(err, errLater) {
		c.l.Finish(c.n, err)
	}
}

// keep keeps the state of a place that the call writes. It returns why the change is refused.
func (c *change) keep(p place) (why string) { return c.keepAs(p, written) }

// keepAs is keep for a change in any manner.
func (c *change) keepAs(p place, how manner) (why string) {
	c.checked = append(c.checked, p.path)
	if c.w.order.protects() {
		if why = c.w.git.refusePrograms(c.call, p, how); why == "" {
			why = c.w.paths.refuse(c.call, p)
		}
		if why != "" {
			return why
		}
	}
	if how == written || how == remoded {
		return c.keepAt(p, how)
	}
	return c.keepRenamed(p, how)
}

// keepAt keeps the state of a place. It returns why the change is refused.
func (c *change) keepAt(p place, how manner) (why string) {
	if !c.w.order.wanted(p.path) {
		p.dropped = false // the state of git is compared by its contents
		if why = c.w.git.refuseGit(c.call, p, how); why != "" || !c.w.git.isGitState(p.path) && !c.w.git.isKeptFile(c.call, p) {
			return why
		}
	}
	if c.isForeign(p) {
		return ""
	}
	if !utf8.ValidString(p.path) {
		return c.w.refusals.refuse(p.path, "its name is not valid UTF-8")
	}
	if !c.w.keeper.knows(p.path) {
		if why = c.unshare(&p); why != "" {
			return why
		}
	}
	why = c.w.keeper.keep(c.call, p.path, func() snapshot.State { return c.w.keeper.state(p, c.w.keeper.store) })
	if why == "" && !p.dropped { // another call may have kept it meanwhile
		why = c.unshare(&p)
	}
	return why
}

// unshare prepares a change of the file at a place that does not drop it: see links. It returns why the
// change is refused.
func (c *change) unshare(p *place) (why string) {
	if !p.file() {
		return ""
	}
	done, err := c.w.keeper.links.unshare(p.info.Dev, p.info.Ino)
	if err != nil {
		return c.w.refusals.refuse(p.path, err.Error())
	}
	if done {
		if now, err := look(p.path); err == nil && now.exists && now.info.Ino == p.info.Ino && now.info.Dev == p.info.Dev {
			p.info = now.info
		}
	}
	return ""
}

// place is call.place. The path can lead through /proc to a file that was removed and is kept.
func (c *change) place(dir, path int, follow bool) (place, error) {
	p, err := c.call.place(dir, path, follow)
	if p.proc == "" {
		return p, err
	}
	var info syscall.Stat_t
	if syscall.Stat(c.task.seen(p.proc), &info) == nil {
		if _, failed := c.w.keeper.links.unshare(info.Dev, info.Ino); failed != nil {
			return p, unix.EPERM
		}
	}
	return p, err
}

// keepRenamed is keepAt for a path that is removed or renamed. A git directory is not kept, only
// noted as lost.
func (c *change) keepRenamed(p place, how manner) (why string) {
	if !p.dir() || !c.w.git.hasGitName(c.call, p.path) {
		return c.keepAt(p, how)
	}
	why = c.w.keeper.keep(c.call, p.path, func() snapshot.State {
		return snapshot.State{Kind: snapshot.Dir, Mode: p.info.Mode & 0o7777, Lost: lostGit}
	})
	if why == "" && !c.w.births.isMade(p.path) { // the command has created another one at this path
		return c.w.refusals.refuse(p.path, lostGit)
	}
	return why
}

// keepMode is keep for a place whose mode changes. Undo does not restore the modes of
// Order.Roots. A directory that nobody can look into any more is made readable again after the
// command, like a possible repository: otherwise it could not be seen what the command did in it.
func (c *change) keepMode(p place, mode uint32) (why string) {
	if slices.Contains(c.w.order.Roots, p.path) && (p.info.Mode^mode)&0o7777 != 0 {
		return c.w.refusals.refuse(p.path, "undo does not restore its permissions")
	}
	if p.dir() && mode&0o500 != 0o500 && c.w.order.Strict {
		c.w.paths.report(p.path, c.w.births.isMade(p.path))
	}
	return c.keepAs(p, remoded)
}
