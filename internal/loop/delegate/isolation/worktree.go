// Package isolation gives a delegate its own git worktree, and applies the changes in it
// to the workspace once they are approved. It never asks the user itself: delegate.Host
// does. Start reading at Open and Worktree.Finish.
package isolation

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
	"agent/internal/tools/git"
	"agent/internal/tools/workspace"
)

const (
	// worktreesDir is the directory of worktrees in the state directory.
	worktreesDir = "worktrees"
	// worktreeAge is how long a worktree with changes that were not applied is kept.
	worktreeAge = 7 * 24 * time.Hour
	// maxAttempts is how often applying changes is tried if the workspace keeps changing.
	maxAttempts = 3
	// maxPaths is how many paths a note about changes names.
	maxPaths = 20
)

// Options configure Open.
type Options struct {
	Main  *workspace.Workspace // workspace of the parent, to which changes are applied
	State string               // the state directory of the program, which holds the worktrees
	Mode  event.Mode           // the most permissive mode in which the changes are judged; may be empty
}

// Worktree is the git worktree in which a delegate works.
type Worktree struct {
	Workspace *workspace.Workspace // the directory of the delegate
	tree      *git.Worktree
	main      *workspace.Workspace // changes are applied to it
	mode      event.Mode           // the most permissive mode in which the changes are judged; may be empty
	state     string               // the state directory
}

// Open makes a worktree for a delegate. It first removes old worktrees. An error is
// text for the model.
func Open(ctx context.Context, o Options, label delegate.Label) (w *Worktree, err error) {
	dir := filepath.Join(o.State, worktreesDir)
	_, _ = git.RemoveStale(ctx, dir, worktreeAge)
	name := fmt.Sprintf("%s-%d-%s", label.Name, label.ID, strings.ToLower(rand.Text()[:8]))
	w = &Worktree{main: o.Main, state: o.State, mode: o.Mode}
	w.tree, err = git.AddWorktree(ctx, git.WorktreeOptions{Workspace: o.Main.Dir(), Dir: filepath.Join(dir, name), Private: []string{o.State}})
	if err != nil {
		return nil, err
	}
	if w.Workspace, err = workspace.Open(w.tree.Dir()); err != nil {
		return nil, errors.Join(err, w.tree.Remove())
	}
	w.Workspace.Share(o.Main)
	return w, nil
}

// Paths returns the paths that determine what is protected from the delegate. The
// worktree is below the state directory, which p protects as a whole. The delegate may
// read the workspace of its parent and the directories that were added to it, but change
// only its own copy.
func (w *Worktree) Paths(p policy.Paths) policy.Paths {
	p = p.AlsoReadable(append(slices.Clone(p.Added), p.Workspace)...)
	p.Workspace, p.Added, p.Copy = w.Workspace.Dir(), nil, true
	p.ProgramFiles = slices.DeleteFunc(slices.Clone(p.ProgramFiles), func(dir string) bool { return dir == w.state })
	entries, _ := os.ReadDir(w.state)
	for _, e := range entries {
		if e.Name() != worktreesDir {
			p.ProgramFiles = append(p.ProgramFiles, filepath.Join(w.state, e.Name()))
		}
	}
	return p
}

// Instructions tells the delegate where it works.
func (w *Worktree) Instructions() string {
	text := "You work in a git worktree of your own, which began with the current files of the user's directory. " +
		"When you end, the user is shown the changes of its files and can apply them: use relative paths, and do not commit. " +
		"Files that git ignores, such as dependencies and build output, are missing."
	if left := w.tree.LeftOut(); len(left) > 0 {
		text += " Also missing: " + strings.Join(left, "; ") + "."
	}
	return text
}

// Discard removes the worktree.
func (w *Worktree) Discard() {
	_ = w.Workspace.Close()
	_ = w.tree.Remove()
}

// Finish applies the changes of the worktree to the workspace if they are approved. If
// something could not be applied, the worktree stays on disk. Note says what happened,
// for the model.
func (w *Worktree) Finish(ctx context.Context, host delegate.Host, label delegate.Label, reason event.Reason) (note string, changes []tools.Change) {
	d, err := w.tree.Changes(ctx)
	if err == nil && len(d.Changes)+len(d.LeftOut) == 0 {
		w.Discard()
		return "[It changed no files.]", nil
	}
	var o outcome
	o.leftOut = d.LeftOut
	switch stopped := reason == event.UserInterrupt || reason == event.ProviderError || reason == event.LogError; {
	case errors.Is(err, context.DeadlineExceeded):
		o.err = errors.New("it did not finish, and there was no time to read them")
	case err != nil:
		o.err = fmt.Errorf("its changes cannot be read: %w", err)
	case stopped && len(d.Changes) > 0:
		o.err = errors.New("it did not finish. Changed: " + pathsOf(d.Changes, func(c git.Change) string { return c.Path }))
	default:
		w.apply(ctx, host, label, d.Changes, &o)
	}
	if o.err != nil || o.part != "" || len(o.leftOut)+len(o.conflicts) > 0 {
		o.kept = w.tree.Dir()
		_ = w.Workspace.Close()
		w.tree.Close()
	} else {
		w.Discard()
	}
	if o.kept != "" {
		_ = host.Emit(event.Notice{Text: label.String() + ": " + o.notice()})
	}
	return o.note(), o.applied
}

// outcome is the result of applying the changes of a worktree.
type outcome struct {
	applied   []tools.Change
	combined  []string // paths of applied changes that were merged with others
	conflicts []string
	leftOut   []string
	part      string // what the user approved of the changes, for the model; empty for all
	err       error  // why nothing was applied
	kept      string // directory of the worktree; empty if it was removed
}

// apply applies changes. If the workspace changes meanwhile, it merges and tries again.
func (w *Worktree) apply(ctx context.Context, host delegate.Host, label delegate.Label, changes []git.Change, o *outcome) {
	for range maxAttempts {
		p, err := w.prepare(ctx, changes)
		if o.conflicts, o.combined = p.conflicts, p.combined; err != nil || p.call.Run == nil {
			o.err = err
			return
		}
		ran := false
		run := p.call.Run
		p.call.Run = func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
			ran = true
			return run(ctx, ok)
		}
		result, err := host.Apply(ctx, label, w.mode, p.call)
		o.applied, o.err = result.Changes, err
		if !sameChanges(p.call.Changes, result.Changes) {
			o.part = result.Text
		}
		if err == nil || !ran || ctx.Err() != nil {
			return
		}
	}
}

// sameChanges reports whether the changes that were made are those that were asked for.
func sameChanges(asked, made []tools.Change) bool {
	return slices.EqualFunc(asked, made, func(a, b tools.Change) bool {
		return a.Path == b.Path && (a.After == nil) == (b.After == nil) && bytes.Equal(a.After, b.After)
	})
}

// prepared is a call that applies changes.
type prepared struct {
	call      tools.Call // its Run is nil if there is nothing to do
	combined  []string
	conflicts []string
}

// prepare returns the call that applies changes to the files of the workspace as they
// are now.
func (w *Worktree) prepare(ctx context.Context, changes []git.Change) (prepared, error) {
	t := w.main.Begin(nil)
	t.Raw = true // git compares bytes
	drafts := map[string]*workspace.Draft{}
	merged, err := w.tree.Merge(ctx, changes, func(path string) ([]byte, error) {
		d, err := t.Open(path)
		if err != nil {
			return nil, err
		}
		if d.Path != path {
			return nil, fmt.Errorf("the path now leads through a symbolic link to %s", d.Path)
		}
		drafts[path] = d
		return d.Before, nil
	})
	p := prepared{combined: merged.Combined, conflicts: merged.Conflicts}
	if err != nil || len(merged.Changes) == 0 {
		return p, err
	}
	for _, c := range merged.Changes {
		d := drafts[c.Path]
		if c.After == nil {
			err = t.Remove(d, c.Path)
		} else {
			err = t.Overwrite(d, bytes.Clone(c.After))
		}
		if err != nil {
			return p, err
		}
	}
	p.call, err = tools.Commit(t, "apply the changes of its worktree")
	return p, err
}

// note describes the outcome for the model.
func (o *outcome) note() string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch {
	case o.err != nil:
		add("Its changes were not applied: %v", o.err)
	case len(o.applied) == 0:
		add("No changes were applied")
	default:
		add("Its changes were applied to the workspace: %s", pathsOf(o.applied, func(c tools.Change) string { return c.Path }))
	}
	if o.part != "" && o.err == nil {
		add("%s", o.part)
	}
	if len(o.combined) > 0 && len(o.applied) > 0 {
		add("Merged with changes made in the workspace meanwhile: %s", strings.Join(o.combined, ", "))
	}
	if len(o.conflicts) > 0 {
		add("Conflicts, not applied: %s", strings.Join(firstOf(o.conflicts), "; "))
	}
	if len(o.leftOut) > 0 {
		add("Not applied: %s", strings.Join(o.leftOut, "; "))
	}
	if o.kept != "" {
		add("Its worktree is kept for %d days: %s", int(worktreeAge.Hours())/24, o.kept)
	}
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, ".") + "."
	}
	return "[" + strings.Join(lines, "\n") + "]"
}

// notice tells the user what was not applied and where it is kept.
func (o *outcome) notice() string {
	text := "its changes were not applied."
	if o.err == nil && o.part != "" {
		text = "only the hunks that you accepted were applied."
	}
	if left := slices.Concat(o.conflicts, o.leftOut); o.err == nil && len(left) > 0 {
		text = "not applied: " + strings.Join(firstOf(left), "; ") + "."
	}
	return text + fmt.Sprintf(" Its worktree is kept for %d days: %s", int(worktreeAge.Hours())/24, o.kept)
}

// pathsOf returns the paths of changes as a list for a sentence.
func pathsOf[C any](changes []C, path func(C) string) string {
	var paths []string
	for _, c := range changes {
		paths = append(paths, path(c))
	}
	return strings.Join(firstOf(paths), ", ")
}

// firstOf returns the first items of a list, and how many there are beyond them.
func firstOf(list []string) []string {
	if len(list) <= maxPaths {
		return list
	}
	return append(slices.Clone(list[:maxPaths]), phrase.Count(len(list)-maxPaths, "more file"))
}
