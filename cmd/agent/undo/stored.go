package undo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/sessions"
	opening "agent/cmd/agent/stored"
	"agent/internal/history"
	"agent/internal/history/blobs"
	"agent/internal/loop/session"
	"agent/internal/loop/undo"
	"agent/internal/realpath"
	"agent/internal/tui/ink"
)

// stored is a session whose file changes are recorded. The caller closes it.
type stored struct {
	store    *history.Store
	header   history.Header
	id       string
	movedTo  string // where its directory is now; empty if that has not changed
	pack     *blobs.Pack
	restorer *undo.Restorer
	log      *history.Log // nil before lock
}

// source says which session to open.
type source struct {
	io    command.IO
	store func() (*history.Store, error)
	id    string // empty for the newest one of the working directory
	here  bool   // the working directory is that of the session
	back  undo.Back
}

// open opens the session with the ID, or without one, the newest session of the working
// directory for which back has something to undo. If the directory of the session was
// renamed to the working directory, it asks on a terminal whether to use that.
func (from source) open(ctx context.Context) (*stored, error) {
	store, err := from.store()
	if err != nil {
		return nil, err
	}
	dir, err := command.Absolute(".")
	if err != nil {
		return nil, err
	}
	s, err := from.find(ctx, store, dir)
	gone, missing := errors.AsType[*opening.MissingError](err)
	if !missing {
		return s, err
	}
	if !from.io.Interactive() {
		return nil, fmt.Errorf("%s. To use the current directory as that of the session, add --here", gone.What())
	}
	what := gone.What()
	question := fmt.Sprintf("%s. Use %s as the directory of the session? [y/N] ", strings.ToUpper(what[:1])+what[1:], command.Short(dir))
	if !from.io.Confirm(ink.Sanitize(question)) {
		return nil, errors.New("nothing was changed")
	}
	from.id, from.here = gone.ID, true
	return from.find(ctx, store, dir)
}

// find returns the session to open. The error is a *opening.MissingError if its directory was
// renamed and here is not set.
func (from source) find(ctx context.Context, store *history.Store, dir string) (*stored, error) {
	if from.id != "" {
		v, err := store.View(from.id)
		if err != nil {
			return nil, sessions.HintList(err)
		}
		defer v.Close()
		if from.here {
			return openPack(store, v.Header(), dir)
		}
		if err := opening.CheckDir(v.Header(), dir); err != nil {
			return nil, err
		}
		return openPack(store, v.Header(), v.Header().Dir)
	}
	infos, err := store.List("")
	if err != nil {
		return nil, err
	}
	in := history.InDir(dir)
	own := slices.DeleteFunc(slices.Clone(infos), func(i history.Info) bool { return !in(i.Header) })
	if s, err := from.newest(ctx, store, own, dir); s != nil || err != nil {
		return s, err
	}
	moved, err := from.newest(ctx, store, opening.Moved(infos, dir), dir)
	if err != nil || moved != nil && from.here {
		return moved, err
	}
	if moved != nil {
		if err := opening.CheckDir(moved.header, dir); err != nil {
			moved.close()
			return nil, err
		}
		return moved, nil
	}
	back := from.back
	what := "changed files. Changes that are undone do not count"
	if back.Redo {
		what = "has an undo to redo"
	}
	return nil, fmt.Errorf("no session of %s %s. To name a session of another directory, add --session ID", command.Short(dir), what)
}

// newest returns the first of the sessions for which back has something to undo in dir; nil
// for none.
func (from source) newest(ctx context.Context, store *history.Store, infos []history.Info, dir string) (*stored, error) {
	for _, info := range infos {
		if _, err := os.Stat(store.UndoPath(info.ID)); err != nil {
			continue
		}
		s, err := openPack(store, info.Header, dir)
		if err != nil {
			return nil, err
		}
		if s.has(ctx, from.back) {
			return s, nil
		}
		s.close()
	}
	return nil, nil
}

// openPack opens the pack of a session to undo its changes in dir.
func openPack(store *history.Store, h history.Header, dir string) (*stored, error) {
	pack, err := blobs.Open(store.UndoPath(h.ID), blobs.Limits{})
	if err != nil {
		return nil, err
	}
	s := &stored{store: store, header: h, id: h.ID, pack: pack, restorer: undo.NewRestorer(pack, []string{realpath.Of(dir)})}
	if !history.InDir(dir)(h) {
		s.movedTo = dir
	}
	return s, nil
}

// move makes the directory in which changes were undone that of the session.
func (s *stored) move() error {
	if s.movedTo == "" {
		return nil
	}
	log := s.log
	s.log = nil
	if err := log.Close(); err != nil {
		return err
	}
	return opening.MoveHere(s.store, s.id, s.movedTo)
}

// has reports whether back has something to undo, or an undo is to be finished.
func (s *stored) has(ctx context.Context, back undo.Back) bool {
	if s.restorer.Unfinished() {
		return true
	}
	if !back.Redo {
		return len(s.restorer.Turns()) > 0
	}
	p, err := s.restorer.Plan(ctx, back)
	return err == nil && len(p.Turns) > 0
}

// lock opens the log of the session, so that no other program runs the session.
func (s *stored) lock() (err error) {
	if s.log, _, err = s.store.ResumeTail(s.id); errors.Is(err, history.ErrLocked) {
		return fmt.Errorf("%w. Use /undo there, or exit that program first", err)
	}
	return err
}

// recover finishes an undo that a crash interrupted. It reports whether there was one.
func (s *stored) recover(ctx context.Context, w writer) (finished bool, err error) {
	done, err := s.restorer.Recover()
	if err != nil {
		return false, fmt.Errorf("finish the undo that was interrupted: %w", err)
	}
	if done == nil {
		return false, nil
	}
	w.printf("%s\n", session.Recovered(done))
	return true, s.append(ctx, done, nil)
}

// title returns the title of the session.
func (s *stored) title() string {
	v, err := s.store.View(s.id)
	if err != nil {
		return ""
	}
	defer v.Close()
	return session.OutlineOf(v.Pass(0)).Title
}

func (s *stored) close() {
	if s.log != nil {
		_ = s.log.Close()
	}
	_ = s.pack.Close()
}
