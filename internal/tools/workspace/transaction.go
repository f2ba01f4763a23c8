package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"agent/internal/llm/phrase"
)

// Draft is a file as a Transaction would leave it.
type Draft struct {
	Path    string   // relative to the workspace, free of symbolic links
	Before  []byte   // what it holds; nil if it does not exist
	After   []byte   // what it will hold; nil if it is removed, or never created
	MovedTo string   // the path that its content moves to; empty if it stays
	Spelled []string // other names of it, that lead through symbolic links
	Notes   []string // what the model is told of the change

	info fs.FileInfo // of what it holds; nil if it does not exist
	like *Draft      // the file whose mode and attributes it gets; nil for those of a new file
}

// Transaction collects changes of files. Nothing is written before Commit. It is
// not safe for concurrent use.
type Transaction struct {
	in       *tree
	known    *Ledger
	drafts   []*Draft // in the order in which they were opened
	warnings []string
}

// Begin returns an empty transaction. Known is what the model has read so far;
// nil checks nothing against it.
func (w *Workspace) Begin(known *Ledger) *Transaction { return &Transaction{in: &w.work, known: known} }

// Open returns the draft of the file that a model calls name, which need not
// exist. The error is a *ChangedError if the file is not what the model knows
// any more.
func (t *Transaction) Open(name string) (*Draft, error) {
	seen, err := t.in.look(name)
	if err != nil {
		return nil, err
	}
	spelled, err := t.in.relative(name)
	if err != nil {
		return nil, err
	}
	for _, d := range t.drafts {
		if d.Path == seen.Path {
			d.spell(spelled)
			return d, nil
		}
		if d.info != nil && seen.info != nil && os.SameFile(d.info, seen.info) {
			return nil, fmt.Errorf("%s and %s are the same file: use one of the names for all changes of it", d.Path, name)
		}
	}
	if seen.info != nil {
		if err := t.known.stale(seen.Path, seen.Before); err != nil {
			return nil, err
		}
	}
	seen.spell(spelled)
	t.drafts = append(t.drafts, seen)
	return seen, nil
}

// spell notes a name by which the model called the file.
func (d *Draft) spell(name string) {
	if name != d.Path && !slices.Contains(d.Spelled, name) {
		d.Spelled = append(d.Spelled, name)
	}
}

// OpenExisting is Open for a file that must exist.
func (t *Transaction) OpenExisting(name string) (*Draft, error) {
	d, err := t.Open(name)
	switch {
	case err != nil:
		return nil, err
	case d.After != nil:
		return d, nil
	case d.Before != nil:
		return nil, fmt.Errorf("%s is not there any more: it is deleted or moved further up", name)
	}
	return nil, t.in.notThere(name, d.Path)
}

// Overwrite replaces all that d holds. What a user has there must not be lost by
// a guess: if it is known what the model has read, the file must be among that.
func (t *Transaction) Overwrite(d *Draft, content []byte) error {
	_, _, _, read := t.known.knows(d.Path)
	if len(d.Before) > 0 && t.known != nil && !read {
		return fmt.Errorf("%s exists (%s, %s) and you have not read it: read it before you replace all that it holds, or use edit to change a part",
			d.Path, phrase.Count(CountLines(d.Before), "line"), phrase.Bytes(int64(len(d.Before))))
	}
	d.After = content
	return nil
}

// Add makes d a file of this content, and warns if it exists.
func (t *Transaction) Add(d *Draft, content []byte) error {
	if d.After != nil {
		t.warnings = append(t.warnings, d.Path+" exists: it will be overwritten")
	}
	return t.Overwrite(d, content)
}

// Remove removes d, which the model calls name. A symbolic link to it would be
// left pointing nowhere, so it cannot be removed by the name of one.
func (t *Transaction) Remove(d *Draft, name string) error {
	if rel, err := t.in.relative(name); err == nil {
		if info, err := t.in.root.Lstat(rel); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link to %s: name that file, or use a command in the shell to remove the link", name, d.Path)
		}
	}
	d.After = nil
	return nil
}

// Move moves what d will hold, which the model calls name, to another name, with
// its mode and attributes.
func (t *Transaction) Move(d *Draft, name, newName string) error {
	to, err := t.Open(newName)
	if err != nil {
		return err
	}
	if to == d {
		return fmt.Errorf("%s is the file itself: leave the move out", newName)
	}
	if err := t.Add(to, d.After); err != nil {
		return err
	}
	to.like, to.Notes, d.Notes, d.MovedTo = d.like, d.Notes, nil, to.Path
	return t.Remove(d, name)
}

// Changes returns the drafts that change a file, in the order in which they were
// opened, and what a user should know before they are written. It is an error if
// there are none.
func (t *Transaction) Changes() (changed []*Draft, warnings []string, err error) {
	warnings = slices.Clone(t.warnings)
	for _, d := range t.drafts {
		if (d.Before == nil) == (d.After == nil) && bytes.Equal(d.Before, d.After) {
			continue
		}
		changed = append(changed, d)
		if d.Before != nil && d.After != nil {
			warnings = append(warnings, cautions(d.Path, d.info)...)
		}
	}
	if changed == nil {
		return nil, nil, errors.New("after all of it every file would hold what it does now: there is nothing to change")
	}
	return changed, warnings, nil
}

// Commit makes the approved changes, all of them or none, if every file still is
// what Open saw. Approved is the new content of the files by their paths: nil for
// one that is to be removed; a draft whose path is missing is left out. Commit
// returns what was written. An error beside that tells what could not be cleaned
// up afterwards.
func (t *Transaction) Commit(ctx context.Context, approved map[string][]byte) ([]*Draft, error) {
	changed, _, err := t.Changes()
	if err != nil {
		return nil, err
	}
	var writes, removals []*Draft
	for _, d := range changed {
		after, ok := approved[d.Path]
		switch {
		case !ok || after == nil && d.After != nil:
		case after == nil && d.MovedTo != "" && approved[d.MovedTo] == nil:
			// What it holds would be nowhere.
		default:
			as := *d
			if as.After = after; after == nil {
				removals = append(removals, &as)
			} else {
				writes = append(writes, &as)
			}
		}
	}
	all := append(writes, removals...) // in this order, so that what is moved is never nowhere
	if len(all) == 0 {
		return nil, errors.New("no change was approved, so nothing was written")
	}
	return t.in.commit(ctx, all)
}

// CountLines returns the number of lines of b. A last one without a newline
// counts too.
func CountLines(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
