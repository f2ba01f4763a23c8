package undo

import (
	"cmp"
	"context"
	"time"

	"agent/internal/history/blobs"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

const (
	// longCommand is the run time from which the files are examined even if the command
	// itself wrote nothing: another program may have worked for it.
	longCommand = 50 * time.Millisecond
	// othersTime is the default of Options.Wait.
	othersTime = 200 * time.Millisecond
	// maxOthers is how many changes of other programs are named.
	maxOthers = 20
)

// period says when to look for changes of other programs.
type period struct {
	began time.Time // of the turn
	// since is when the first command of the turn began that wrote something or ran for
	// long; zero if there was none.
	since time.Time
	// earlier and from are the offsets at which the notes of the previous and of the current
	// turn begin.
	earlier, from int64
}

// next returns the period of the next turn, whose notes begin at from.
func (p period) next(from int64) period {
	return period{began: time.Now(), earlier: p.from, from: from}
}

// ran notes that a command wrote something or ran for long.
func (p *period) ran(began time.Time) {
	if p.since.IsZero() || began.Before(p.since) {
		p.since = began
	}
}

// refresh says whether Refresh may examine the files. What it finds counts as older than
// the commands that follow.
type refresh struct {
	commands int                // that are running
	done     bool               // the files were examined before
	stop     context.CancelFunc // of the running Refresh; nil if there is none
}

// Refresh examines the files while the program is idle, so that EndTurn and commands
// without a supervisor find what has changed. It ends soon after ctx or when a command
// begins, except that it examines the files for the first time also during commands.
func (r *Recorder) Refresh(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r.mu.Lock()
	if r.Scan == nil || r.refresh.stop != nil || r.refresh.done && r.refresh.commands > 0 {
		r.mu.Unlock()
		return
	}
	r.refresh.stop = stop
	r.mu.Unlock()
	err := r.Scan.Refresh(ctx) // the next command reports the same error
	r.mu.Lock()
	r.refresh.stop = nil
	r.refresh.done = r.refresh.done || err == nil
	r.mu.Unlock()
}

// begins notes that a command begins. The caller calls ends after it.
func (r *Recorder) begins() (ends func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refresh.commands++
	if r.refresh.done && r.refresh.stop != nil {
		r.refresh.stop()
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.refresh.commands--
	}
}

// findOthers adds what other programs changed while commands of the turn ran to the
// summary of EndTurn. It finds nothing if there is too little time.
func (r *Recorder) findOthers() {
	r.mu.Lock()
	since := r.period.since
	// File times are not exact, so a change of the previous turn can seem to be later.
	own := ownPaths{pack: r.Pack, next: r.period.earlier, paths: map[string]bool{}}
	r.period.since = time.Time{}
	r.mu.Unlock()
	if r.Scan == nil || since.IsZero() {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), cmp.Or(r.Wait, othersTime))
	defer stop()
	found, _ := r.Scan.Outside(ctx, since, own.has)
	if ctx.Err() != nil || len(found) == 0 {
		return
	}
	roots, err := openRoots(directories{dirs: r.directories()})
	if err != nil {
		return
	}
	defer roots.close()
	sum := &event.FilesChanged{}
	for i, t := range found {
		if i == maxOthers {
			why := "other programs also changed " + phrase.Count(len(found)-i, "more file") + " while the command ran"
			sum.Lost = append(sum.Lost, event.LostChange{Why: why})
			break
		}
		sum.Lost = append(sum.Lost, event.LostChange{Path: roots.show(t.Path), Why: t.Before.Lost})
	}
	r.mu.Lock()
	r.keep("", sum)
	r.mu.Unlock()
}

// ownPaths are the paths that the session itself has changed, according to the notes of a
// pack.
type ownPaths struct {
	pack  *blobs.Pack
	next  int64 // where the notes begin that are not read yet
	paths map[string]bool
}

// has reports whether the session has changed a path. A command notes a path before it
// changes the file, so has reads what was noted since its last call.
func (o *ownPaths) has(path string) bool {
	if !o.paths[path] && o.next < o.pack.Size() {
		o.read()
	}
	return o.paths[path]
}

func (o *ownPaths) read() {
	for n, err := range o.pack.Notes(o.next) {
		if err != nil {
			continue
		}
		o.next = n.Next
		n, ok := decode(n.Body)
		if !ok {
			continue
		}
		if n.Path != "" {
			o.paths[n.Path] = true
		}
		for _, it := range n.Items {
			o.paths[it.Path] = true
		}
	}
}
