// Package lsp uses language servers: it starts them when they are first needed, answers
// questions about symbols, renames symbols, and reports the errors that edits cause. The
// package client has the connection to one server, and protocol the messages. This package
// does not decide which servers may run, and never applies a change that a server asks for.
// All texts of servers are untrusted. Start reading at Pool.
package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/llm/phrase"
	"agent/internal/realpath"
	"agent/internal/tools/advice"
	"agent/internal/tools/charset"
	"agent/internal/tools/lsp/client"
	"agent/internal/tools/lsp/protocol"
	"agent/internal/tools/process"
	"agent/internal/tools/workspace"
)

// Server is a language server that may be used.
type Server struct {
	Name  string
	Args  []string // the program and its arguments
	Files []string // globs of the files that it knows: *.go by name, web/**/*.ts by path
	// Roots are names of files that mark the directory in which the server starts: the
	// nearest one above a file. Without one, it starts in the workspace.
	Roots    []string
	Settings map[string]any // its initializationOptions; may be nil
}

// matches reports whether the server knows the file at a path in the workspace.
func (s Server) matches(name string) bool {
	return slices.ContainsFunc(s.Files, func(glob string) bool {
		if strings.Contains(glob, "/") {
			return doublestar.MatchUnvalidated(strings.TrimPrefix(glob, "./"), name)
		}
		return doublestar.MatchUnvalidated(glob, path.Base(name))
	})
}

// Process is a started program. *process.Process implements it.
type Process interface {
	Stdin() io.WriteCloser
	Stdout() io.Reader
	Log() *process.Log // standard error
	Memory() int64     // in bytes; 0 if it is unknown
	Close()            // ends it gently and waits
	Kill()             // ends it at once and waits
}

// Options are what a Pool needs.
type Options struct {
	Workspace *workspace.Workspace
	// Servers returns the servers that may be used now. The first one that knows a file is
	// used for it.
	Servers func() []Server
	// Start starts a server in a directory.
	Start func(s Server, dir string) (Process, error)

	Idle   time.Duration // a server that is not used for so long is ended; 0 means ten minutes
	Memory int64         // a server that uses more bytes is ended; 0 means 2 GiB
	Check  time.Duration // how often both are checked; 0 means ten seconds
	Wait   time.Duration // for the errors after an edit; 0 means three seconds
	// Quiet is how long a server must send nothing more about a file if it does not say to
	// which version its diagnostics belong; 0 means 500 ms. If it does, a fifth is enough.
	Quiet time.Duration
	// Request is how long a question may take, with the time in which the server loads the
	// project; 0 means 15 s.
	Request time.Duration
}

const (
	maxCrashes  = 3 // of a server within crashPeriod; then it is off
	crashPeriod = 10 * time.Minute
	maxFile     = 4 << 20 // bytes of a file that a server gets
	maxChanged  = 1000    // files of a notification
	maxServers  = 4       // that run at a time
)

// Pool starts the language servers of one workspace, and shares their limits with the pools
// that In returns. Its methods are safe for concurrent use. The caller closes it.
type Pool struct {
	o    Options
	base string // the workspace, without symbolic links
	*servers
	closed bool // guarded by mu of servers
	work   sync.WaitGroup
}

// servers are those of a pool and of the pools that share its limits.
type servers struct {
	mu      sync.Mutex
	running map[string]*running    // by name and root
	crashes map[string][]time.Time // by name
	off     map[string]string      // why a server is off until the user restarts it, by name
}

// NewPool returns a Pool. It starts nothing.
func NewPool(o Options) *Pool {
	o.Idle, o.Memory = cmp.Or(o.Idle, 10*time.Minute), cmp.Or(o.Memory, 2<<30)
	o.Check, o.Wait = cmp.Or(o.Check, 10*time.Second), cmp.Or(o.Wait, 3*time.Second)
	o.Quiet, o.Request = cmp.Or(o.Quiet, 500*time.Millisecond), cmp.Or(o.Request, 15*time.Second)
	shared := &servers{running: map[string]*running{}, crashes: map[string][]time.Time{}, off: map[string]string{}}
	return &Pool{o: o, base: realpath.Of(o.Workspace.Dir()), servers: shared}
}

// In returns the pool of another workspace with the same servers, such as a git worktree.
// Both share the limits, and States and Restart of both apply to all servers. The caller
// closes the result.
func (p *Pool) In(w *workspace.Workspace, start func(s Server, dir string) (Process, error)) *Pool {
	o := p.o
	o.Workspace, o.Start = w, start
	return &Pool{o: o, base: realpath.Of(w.Dir()), servers: p.servers}
}

// Close ends the servers of the workspace at once and waits.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	for _, r := range p.running {
		if r.pool == p {
			r.End(sessionEnded)
		}
	}
	p.mu.Unlock()
	p.work.Wait()
}

// stopped is why this program ended a server.
type stopped string

func (s stopped) Error() string { return string(s) }

const (
	sessionEnded = stopped("the session has ended")
	// unused is why an idle server was ended.
	unused = stopped("it was not used")
)

// find returns the server for a file of the workspace.
func (p *Pool) find(name string) (Server, error) {
	all := p.o.Servers()
	var known []string
	for _, s := range all {
		if s.matches(name) {
			return s, nil
		}
		known = append(known, s.Files...)
	}
	if len(all) == 0 {
		return Server{}, advice.Add(errors.New("no language server is in use"), "Use search and read")
	}
	return Server{}, advice.Add(fmt.Errorf("no language server is configured for %s; there are servers for %s", name, strings.Join(known, ", ")), "Use search and read")
}

// root returns the directory in which s starts for a file of the workspace.
func (p *Pool) root(s Server, name string) string {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		at := filepath.Join(p.base, filepath.FromSlash(dir))
		for _, mark := range s.Roots {
			if _, err := os.Lstat(filepath.Join(at, mark)); err == nil {
				return at
			}
		}
		if dir == "." || dir == "/" {
			return p.base
		}
	}
}

// start returns the server for a file of the workspace, which it starts if necessary. The
// server may not be ready.
func (p *Pool) start(name string) (*running, error) {
	s, err := p.find(name)
	if err != nil {
		return nil, err
	}
	root := p.root(s, name)
	key := s.Name + "\x00" + root
	p.mu.Lock()
	defer p.mu.Unlock()
	if why := p.off[s.Name]; why != "" {
		return nil, advice.Add(fmt.Errorf("%s is off: %s", s.Name, why), "Use search and read. The user can start it again with /lsp restart")
	}
	if r := p.running[key]; r != nil && r.Err() == nil {
		r.used = time.Now()
		return r, nil
	}
	if p.closed {
		return nil, sessionEnded
	}
	if err := p.makeRoom(); err != nil {
		return nil, err
	}
	process, err := p.o.Start(s, root)
	if err != nil {
		p.crashed(s.Name, err.Error())
		return nil, fmt.Errorf("start %s: %w", s.Name, err)
	}
	c := client.New(client.Options{Name: s.Name, Root: root, Settings: s.Settings, Request: p.o.Request, Quiet: p.o.Quiet})
	r := &running{Client: c, pool: p, server: s, root: root, process: process, used: time.Now()}
	p.running[key] = r
	p.work.Go(func() { r.Run(process.Stdout(), process.Stdin()) })
	p.work.Go(func() { p.watch(key, r) })
	return r, nil
}

// makeRoom ends the least recently used server if maxServers run. The caller holds p.mu.
func (p *Pool) makeRoom() error {
	n := 0
	var oldest *running
	for _, r := range p.running {
		if r.Err() != nil {
			continue
		}
		if n++; !r.Busy() && (oldest == nil || r.used.Before(oldest.used)) {
			oldest = r
		}
	}
	switch {
	case n < maxServers:
		return nil
	case oldest == nil:
		return advice.Add(fmt.Errorf("%d language servers are busy, which is the limit", n), "Try again later, or use search and read")
	}
	oldest.End(stopped("another server was started, and the limit is reached"))
	return nil
}

// lookup returns the server for a file of the workspace if it runs; otherwise nil.
func (p *Pool) lookup(name string) *running {
	s, err := p.find(name)
	if err != nil {
		return nil
	}
	root := p.root(s, name)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running[s.Name+"\x00"+root]
}

// use returns the server for a file of the workspace, ready, with the current content of
// the file and of the other open files.
func (p *Pool) use(ctx context.Context, name string) (*running, error) {
	r, err := p.start(name)
	if err != nil {
		return nil, err
	}
	if err := p.waitFor(ctx, r); err != nil {
		return nil, err
	}
	text, err := p.read(p.file(name))
	if err != nil {
		return nil, err
	}
	for _, file := range r.Opened() {
		if text, err := p.read(file); err != nil {
			r.Close(file)
		} else {
			_ = r.Open(file, text) // the next request reports it
		}
	}
	return r, r.Open(p.file(name), text)
}

// waitFor waits until r is ready, at most the time of a question. A server that is not ready by
// then goes on starting.
func (p *Pool) waitFor(ctx context.Context, r *running) error {
	limited, stop := context.WithTimeout(ctx, p.o.Request)
	defer stop()
	err := r.Wait(limited)
	if err != nil && ctx.Err() == nil && r.Err() == nil {
		return advice.Add(fmt.Errorf("%s is still starting: it did not answer within %v", r.server.Name, p.o.Request), "Use search and read, and try again later")
	}
	return r.explain(err)
}

// watch ends a server when it is idle or uses too much memory. It returns when the server
// has ended.
func (p *Pool) watch(key string, r *running) {
	tick := time.NewTicker(p.o.Check)
	defer tick.Stop()
	for r.Err() == nil {
		select {
		case <-r.Ended():
		case <-tick.C:
			p.check(r)
		}
	}
	if r.Err() == unused {
		r.process.Close()
	} else {
		r.process.Kill()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running[key] == r {
		delete(p.running, key)
	}
	if _, ours := errors.AsType[stopped](r.Err()); !ours {
		p.crashed(r.server.Name, r.process.Log().Last(1))
	}
}

// check ends a server that is idle or uses too much memory.
func (p *Pool) check(r *running) {
	p.mu.Lock()
	idle := time.Since(r.used)
	p.mu.Unlock()
	if used := r.process.Memory(); used > p.o.Memory {
		why := fmt.Sprintf("it used %s of memory, the limit is %s", phrase.Bytes(used), phrase.Bytes(p.o.Memory))
		p.mu.Lock()
		p.off[r.server.Name] = why
		p.mu.Unlock()
		r.End(stopped(why))
	} else if idle > p.o.Idle {
		r.Shutdown()
		r.End(unused)
	}
}

// crashed counts a crash of a server, and keeps its reason. The caller holds p.mu.
func (p *Pool) crashed(name, why string) {
	now := time.Now()
	all := slices.DeleteFunc(p.crashes[name], func(t time.Time) bool { return now.Sub(t) > crashPeriod })
	p.crashes[name] = append(all, now)
	if len(p.crashes[name]) >= maxCrashes {
		p.off[name] = fmt.Sprintf("it ended unexpectedly %d times in %d minutes", maxCrashes, int(crashPeriod.Minutes()))
		if why != "" {
			p.off[name] += ", the last time with: " + phrase.Clip(why, maxLine)
		}
	}
}

// Restart ends the running servers called name, and lets them start again at their next
// use. An empty name stands for all.
func (p *Pool) Restart(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.running {
		if name == "" || r.server.Name == name {
			r.End(stopped("the user restarted it"))
		}
	}
	if name == "" {
		clear(p.off)
		clear(p.crashes)
	}
	delete(p.off, name)
	delete(p.crashes, name)
}

// State describes a server for the user.
type State struct {
	Name   string
	Dir    string // in which it runs; empty if it does not run
	Ready  bool
	Memory int64  // in bytes; 0 if it is unknown
	Off    string // why it is off; empty if it is not
}

// States returns the servers that may be used, and those that run.
func (p *Pool) States() (all []State) {
	servers := p.o.Servers()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range servers {
		found := false
		for _, r := range p.running {
			if r.server.Name == s.Name { // it may be ending
				all, found = append(all, State{Name: s.Name, Dir: r.root, Ready: r.Ready(), Memory: r.process.Memory()}), true
			}
		}
		if !found {
			all = append(all, State{Name: s.Name, Off: p.off[s.Name]})
		}
	}
	slices.SortStableFunc(all, func(a, b State) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Dir, b.Dir)) })
	return all
}

// Changed tells the running servers that files have changed on disk. Names are relative to
// the workspace, with slashes; others are ignored.
func (p *Pool) Changed(names []string) {
	p.mu.Lock()
	all := slices.Collect(maps.Values(p.running))
	p.mu.Unlock()
	for _, r := range all {
		if !r.Ready() {
			continue // it reads the files when it starts
		}
		var below []protocol.FileEvent
		for _, name := range names[:min(len(names), maxChanged)] {
			file := p.file(name)
			rel, err := filepath.Rel(r.root, file)
			if err != nil || !filepath.IsLocal(rel) || !filepath.IsLocal(name) {
				continue
			}
			e := protocol.FileEvent{URI: protocol.URIOf(file), Type: protocol.Created} // servers read the file, whether they know it or not
			if _, err := os.Lstat(file); err != nil {
				e.Type = protocol.Deleted
			}
			below = append(below, e)
		}
		r.Changed(below)
	}
}

// file returns the absolute path of a file of the workspace, without symbolic links.
func (p *Pool) file(name string) string { return filepath.Join(p.base, filepath.FromSlash(name)) }

// name returns a path relative to the workspace, with slashes. It reports false for a path
// outside.
func (p *Pool) name(file string) (string, bool) {
	rel, err := filepath.Rel(p.base, file)
	if err != nil || !filepath.IsLocal(rel) {
		return file, false
	}
	return filepath.ToSlash(rel), true
}

// read returns the content of a file of the workspace.
func (p *Pool) read(file string) (string, error) {
	name, ok := p.name(file)
	if !ok {
		return "", fmt.Errorf("%s is outside the working directory", file)
	}
	at, err := p.o.Workspace.Find(name)
	if err != nil {
		return "", err
	}
	f, _, err := at.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", name, workspace.Cause(err))
	case len(text) > maxFile:
		return "", advice.Add(fmt.Errorf("%s is larger than %s, too large for a language server", name, phrase.Bytes(maxFile)), "Use search and read")
	case !utf8.Valid(text):
		what := "not UTF-8 text"
		if encoding, ok := charset.Detect(text, true); ok {
			what = fmt.Sprintf("text in %s, and language servers read UTF-8", encoding)
		}
		return "", advice.Add(fmt.Errorf("%s is %s", name, what), "Use search, read and edit, which decode it, or convert it with a command such as iconv")
	}
	return string(text), nil
}
