package undo

import (
	"context"
	"errors"
	"fmt"
	"os"

	"agent/cmd/agent/command"
	"agent/cmd/agent/sessions"
	"agent/internal/history"
	"agent/internal/history/blobs"
	"agent/internal/loop/session"
	"agent/internal/loop/undo"
	"agent/internal/realpath"
)

// stored is a session whose file changes are recorded. The caller closes it.
type stored struct {
	store    *history.Store
	id, dir  string
	pack     *blobs.Pack
	restorer *undo.Restorer
	log      *history.Log // nil before lock
}

// open opens the session id, or if it is empty, the newest session of the working
// directory for which back has something to undo.
func open(ctx context.Context, openStore func() (*history.Store, error), id string, back undo.Back) (*stored, error) {
	store, err := openStore()
	if err != nil {
		return nil, err
	}
	if id != "" {
		v, err := store.View(id)
		if err != nil {
			return nil, sessions.HintList(err)
		}
		defer v.Close()
		return openPack(store, v.Header())
	}
	dir, err := command.Absolute(".")
	if err != nil {
		return nil, err
	}
	infos, err := store.List(dir)
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		if _, err := os.Stat(store.UndoPath(info.ID)); err != nil {
			continue
		}
		s, err := openPack(store, info.Header)
		if err != nil {
			return nil, err
		}
		if s.has(ctx, back) {
			return s, nil
		}
		s.close()
	}
	what := "changed files. Changes that are undone do not count"
	if back.Redo {
		what = "has an undo to redo"
	}
	return nil, fmt.Errorf("no session of %s %s. To name a session of another directory, add --session ID", command.Short(dir), what)
}

// openPack opens the pack of a session.
func openPack(store *history.Store, h history.Header) (*stored, error) {
	pack, err := blobs.Open(store.UndoPath(h.ID), blobs.Limits{})
	if err != nil {
		return nil, err
	}
	return &stored{store: store, id: h.ID, dir: h.Dir, pack: pack, restorer: undo.NewRestorer(pack, []string{realpath.Of(h.Dir)})}, nil
}

// has reports whether back has something to undo.
func (s *stored) has(ctx context.Context, back undo.Back) bool {
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

// recover finishes an undo that a crash interrupted.
func (s *stored) recover(ctx context.Context, w writer) error {
	done, err := s.restorer.Recover()
	if err != nil {
		return fmt.Errorf("finish the undo that was interrupted: %w", err)
	}
	if done == nil {
		return nil
	}
	w.printf("%s\n", session.Recovered(done))
	return s.append(ctx, done, nil)
}

// title returns the title of the session.
func (s *stored) title() string {
	v, err := s.store.View(s.id)
	if err != nil {
		return ""
	}
	defer v.Close()
	return session.OutlineOf(v.From(0)).Title
}

func (s *stored) close() {
	if s.log != nil {
		_ = s.log.Close()
	}
	_ = s.pack.Close()
}
