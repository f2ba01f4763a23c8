package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Merged is the result of Merge: changes that fit the current files of the workspace.
type Merged struct {
	Changes   []Change // Before is the current content
	Combined  []string // paths whose change was merged with a change of the workspace
	Conflicts []string // sentences about changes that do not fit
}

// Merge fits the changes of a worktree to a workspace that may have changed since.
// Current returns the current content of a path of a change; nil if there is no file.
func (w *Worktree) Merge(ctx context.Context, changes []Change, current func(path string) ([]byte, error)) (Merged, error) {
	var m Merged
	for _, c := range changes {
		if ctx.Err() != nil {
			return Merged{}, ctx.Err()
		}
		now, err := current(c.Path)
		if err != nil {
			m.Conflicts = append(m.Conflicts, fmt.Sprintf("%s: %v", c.Path, err))
			continue
		}
		switch {
		case same(now, c.After):
		case same(now, c.Before):
			m.Changes = append(m.Changes, c)
		default:
			after, conflict, err := w.combine(ctx, c, now)
			if err != nil {
				return Merged{}, err
			}
			if conflict != "" {
				m.Conflicts = append(m.Conflicts, c.Path+": "+conflict)
				continue
			}
			if !same(now, after) {
				m.Changes = append(m.Changes, Change{Path: c.Path, Before: now, After: after})
				m.Combined = append(m.Combined, c.Path)
			}
		}
	}
	return m, nil
}

// same reports whether two contents are equal. Nil stands for no file.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// combine merges a change with that of the workspace, or says why it cannot.
func (w *Worktree) combine(ctx context.Context, c Change, now []byte) (after []byte, conflict string, err error) {
	switch {
	case c.Before == nil:
		return nil, "the workspace has another new file with this name", nil
	case c.After == nil:
		return nil, "removed in the worktree, but changed in the workspace", nil
	case now == nil:
		return nil, "changed in the worktree, but removed in the workspace", nil
	case isBinary(c.Before) || isBinary(c.After) || isBinary(now):
		return nil, "changed in the worktree and in the workspace, and not text", nil
	}
	dir, err := os.MkdirTemp(w.session.dir, "merge-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	names := []string{"workspace", "base", "worktree"}
	for i, content := range [][]byte{now, c.Before, c.After} {
		if err := os.WriteFile(filepath.Join(dir, names[i]), content, 0o600); err != nil {
			return nil, "", err
		}
	}
	out, complete, err := w.session.command(ctx, command{
		dir: dir, env: w.session.env, limit: len(now) + len(c.Before) + len(c.After),
		args: append([]string{"merge-file", "--stdout", "--quiet"}, names...),
	})
	const failed = 128 // exit codes below it are the number of conflicts
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 && exit.ExitCode() < failed {
		return nil, "the worktree and the workspace changed the same lines", nil
	}
	if err == nil && !complete {
		err = fmt.Errorf("git merge-file: the output for %s is too long", c.Path)
	}
	if out == nil {
		out = []byte{}
	}
	return out, "", err
}

// isBinary reports whether git treats content as binary.
func isBinary(content []byte) bool { return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0 }
