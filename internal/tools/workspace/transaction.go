package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/charset"
)

// Draft is a file in a Transaction. Its text is UTF-8, whatever the encoding of the file.
type Draft struct {
	Path    string   // relative to the workspace, or absolute outside it; without symbolic links
	Before  []byte   // current content; nil if the file does not exist
	After   []byte   // new content; nil if the file is removed, or not created
	MovedTo string   // new path of a moved file; empty if it is not moved
	Source  string   // old path of a file that is moved here; empty for none
	Spelled []string // other names by which the model called it, through symbolic links
	Notes   []string // notes about the change, for the model
	// Converted says, as a clause, that the encoding of the file changes; empty if it does not.
	Converted string
	// Alike says, for the model, that the name it used only looks like that of the file.
	Alike   string
	Outcome []string // how it was written, for the model; set by Commit if that is unusual
	// Stale is set if the file has changed since the model last saw it: see OpenText.
	Stale *ChangedError

	tree         *tree            // to which the file belongs
	at           string           // path in tree, with slashes
	saved        []byte           // content on disk if Before is unsaved text of the editor or decoded; otherwise nil
	encoding     charset.Encoding // of the file on disk; empty or UTF8 if it is not converted
	disk         []byte           // After as it is written; set by Commit
	info         fs.FileInfo      // nil if the file does not exist
	links        []string         // its other hard links, if all of them are in tree; as shown to the model
	attributesOf *Draft           // the file whose mode and attributes it gets; nil for a new file
	whole        bool             // the model knows all of After, because it wrote or has read the rest
}

// Reading returns what the model knows of the file after the change.
func (d *Draft) Reading() Reading {
	r := NewReading(d.Path, d.After)
	r.Part = !d.whole
	return r
}

// Moved returns the other path of a moved file; empty if it is not moved.
func (d *Draft) Moved() string {
	if d.After == nil {
		return d.MovedTo
	}
	return d.Source
}

// Transaction collects changes to files. Nothing is written before Commit. It is
// not safe for concurrent use.
type Transaction struct {
	// Keep, if not nil, syncs the old contents of the files to a store. It is called before
	// a file is written in place.
	Keep func() error
	// Raw is set if the contents are the bytes of files, not text. Set it before Open.
	Raw bool

	work     *Workspace
	known    *Ledger
	drafts   []*Draft // in the order of Open
	warnings []string
	exact    map[string]string // paths of files by names that only look the same
}

// Begin returns an empty transaction. Files are checked against known, which
// records what the model has read; nil disables the check.
func (w *Workspace) Begin(known *Ledger) *Transaction {
	return &Transaction{work: w, known: known}
}

// Open returns the draft of the file that a model calls name. The file need not
// exist, unless its name looks like that of another file. The error is a *ChangedError if the file has changed since the model
// last saw it.
func (t *Transaction) Open(name string) (*Draft, error) {
	return t.open(name, (*alike).checkNew, false)
}

// open is Open with a check of the names that do not exist. If stale is set, a file that has
// changed since the model last saw it is opened too.
func (t *Transaction) open(name string, check func(*alike, string, *Draft) error, stale bool) (*Draft, error) {
	seen, same, err := t.work.openDraft(name)
	if err == nil {
		err = check(same, name, seen)
	}
	if err != nil {
		return nil, err
	}
	if len(same.pairs) > 0 {
		if t.exact == nil {
			t.exact = map[string]string{}
		}
		t.exact[name] = seen.Path
	}
	if !t.Raw {
		seen.decode()
	}
	spelled := t.work.spelling(name, seen.Path)
	for _, d := range t.drafts {
		if d.Path == seen.Path {
			d.addSpelling(spelled)
			if d.Stale != nil && !stale {
				return nil, d.Stale
			}
			return d, nil
		}
		if d.info != nil && seen.info != nil && os.SameFile(d.info, seen.info) {
			return nil, advice.Add(fmt.Errorf("%s and %s are the same file", d.Path, name), "Use one of the names for all changes")
		}
		if d.info == nil && seen.info == nil && Fold(d.Path) == Fold(seen.Path) {
			return nil, advice.Add(fmt.Errorf("the names of two new files look the same: %s and %s", exactName(d.Path), exactName(seen.Path)), "Use one of the names for all changes")
		}
	}
	if seen.info != nil {
		err := t.checkKnown(seen, spelled)
		changed, ok := errors.AsType[*ChangedError](err)
		if err != nil && !(ok && stale) {
			return nil, err
		}
		seen.Stale = changed
	}
	seen.whole = len(seen.Before) == 0 || t.known.unseen(seen.Path, seen.Before) == 0 || seen.Stale.showsAll()
	seen.addSpelling(spelled)
	t.drafts = append(t.drafts, seen)
	return seen, nil
}

// checkKnown returns an error if an existing file has changed since the model last saw
// it. The model must have read a guarded file before, because the error of a change can
// quote the file, and reading it may need approval.
func (t *Transaction) checkKnown(d *Draft, spelled string) error {
	err := t.known.checkUnchanged(d.Path, d.Before)
	if t.known == nil || !t.work.isWithheld(d.tree, d.Path, spelled) {
		return err
	}
	if changed, ok := errors.AsType[*ChangedError](err); ok {
		return &ChangedError{Path: changed.Path, Step: changed.Step, What: readAgain}
	}
	if _, _, _, read := t.known.lookup(d.Path); !read {
		return advice.Add(fmt.Errorf("%s was not read in this conversation", d.Path), "Read it before you change it")
	}
	return err
}

// Format replaces the new content by the output of a formatter. A note tells the model what
// has changed, so that its next edit matches.
func (d *Draft) Format(formatted []byte, by string) {
	if bytes.Equal(formatted, d.After) {
		return
	}
	note := by + " then formatted it. Read it again before the next edit."
	if diff, ok := smallDiff(d.After, formatted); ok {
		note = by + " then formatted it:\n" + strings.TrimSuffix(diff, "\n")
	} else {
		d.whole = false
	}
	d.After, d.Notes = formatted, append(d.Notes, note)
}

// addSpelling records a name by which the model called the file; empty for none.
func (d *Draft) addSpelling(name string) {
	if name != "" && !slices.Contains(d.Spelled, name) {
		d.Spelled = append(d.Spelled, name)
	}
}

// OpenExisting is Open for a file that must exist.
func (t *Transaction) OpenExisting(name string) (*Draft, error) { return t.openExisting(name, false) }

// OpenText is OpenExisting for replacing text of the file. It opens also a file that has
// changed since the model last saw it, and sets Stale. The caller returns Stale as its error
// unless the text to replace is in the file exactly once, so that no other change is lost.
func (t *Transaction) OpenText(name string) (*Draft, error) { return t.openExisting(name, true) }

func (t *Transaction) openExisting(name string, stale bool) (*Draft, error) {
	d, err := t.open(name, func(*alike, string, *Draft) error { return nil }, stale)
	switch {
	case err != nil:
		return nil, err
	case d.After != nil:
		return d, nil
	case d.Before != nil:
		return nil, fmt.Errorf("%s was deleted or moved by an earlier change of this call", name)
	}
	return nil, d.tree.notFound(name, d.at)
}

// Overwrite replaces the complete content of d. If the transaction has a ledger,
// the model must have read all of an existing file first, so that no content of
// the user is lost by accident.
func (t *Transaction) Overwrite(d *Draft, content []byte) error {
	if err := t.checkRead(d); err != nil {
		return err
	}
	d.After, d.whole = content, true
	d.keepEncoding()
	return nil
}

// checkRead returns an error if the model has not read all of d before the change.
func (t *Transaction) checkRead(d *Draft) error {
	if t.known == nil || len(d.Before) == 0 {
		return nil
	}
	unseen := t.known.unseen(d.Path, d.Before)
	if unseen == 0 {
		return nil
	}
	size := fmt.Sprintf("%s, %s", phrase.Count(CountLines(d.Before), "line"), phrase.Bytes(int64(len(d.Before))))
	if _, _, _, read := t.known.lookup(d.Path); !read {
		return advice.Add(fmt.Errorf("%s exists (%s) and was not read in this conversation", d.Path, size),
			"Read it before you replace its content, or use edit to change a part")
	}
	return advice.Add(fmt.Errorf("%s (%s) was not read completely in this conversation", d.Path, size),
		"Read it from line %d before you replace its content, or use edit to change a part", unseen)
}

// Add sets the content of d and adds a warning if the file exists.
func (t *Transaction) Add(d *Draft, content []byte) error {
	if d.After != nil {
		t.warnings = append(t.warnings, d.Path+" exists and will be overwritten")
	}
	return t.Overwrite(d, content)
}

// Remove removes d, which the model calls name. It rejects the name of a symbolic
// link, because that would leave a dangling link, and a name that only looks the same.
func (t *Transaction) Remove(d *Draft, name string) error {
	if exact, ok := t.exact[name]; ok {
		return advice.Add(fmt.Errorf("%s does not exist, but a file whose name looks the same does: %s", name, exactName(exact)),
			"To delete or move that file, give its exact name")
	}
	if spelled := t.work.spelling(name, d.Path); spelled != "" {
		if info, err := os.Lstat(t.work.absolute(spelled)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return advice.Add(fmt.Errorf("%s is a symbolic link to %s", name, d.Path), "Give the path of that file, or use shell to remove the link")
		}
	}
	d.After = nil
	return nil
}

// Move moves the new content of d, which the model calls name, to newName, with
// its mode and attributes.
func (t *Transaction) Move(d *Draft, name, newName string) error {
	to, err := t.Open(newName)
	if err != nil {
		return err
	}
	if to == d {
		return advice.Add(fmt.Errorf("%s is the path of the file already", newName), "Remove the move")
	}
	if err := t.Add(to, d.After); err != nil {
		return err
	}
	to.After, to.Converted, to.whole = d.After, d.Converted, d.whole
	to.encoding, to.attributesOf, to.Notes, d.Notes, d.MovedTo, to.Source = d.encoding, d.attributesOf, d.Notes, nil, to.Path, d.Path
	return t.Remove(d, name)
}

// Changes returns the drafts that change a file, in the order of Open, and
// warnings for the user. It returns an error if there are none.
func (t *Transaction) Changes() (changed []*Draft, warnings []string, err error) {
	warnings = slices.Clone(t.warnings)
	for _, d := range t.drafts {
		if (d.Before == nil) == (d.After == nil) && bytes.Equal(d.Before, d.After) {
			continue
		}
		if _, err := d.encoded(); err != nil {
			return nil, nil, err
		}
		changed = append(changed, d)
		if d.Before != nil && d.After != nil {
			warnings = append(warnings, d.replaceWarnings()...)
		} else if d.Unlinks() {
			warnings = append(warnings, fmt.Sprintf("%s has %d hard links, not all of them in the workspace, so undo cannot restore this one", d.Path, linkCount(d.info)))
		}
	}
	if changed == nil {
		return nil, nil, errors.New("the change leaves every file as it is: nothing to do")
	}
	return changed, warnings, nil
}

// Commit writes the approved changes, all or none, if every file is still as Open
// saw it. Approved maps paths to new contents; nil removes the file, and drafts
// without an entry are skipped. Commit returns the written drafts. If it also
// returns an error, cleaning up failed.
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
			// Its content would be lost.
		default:
			as := *d
			as.After = after
			if as.disk, err = as.encoded(); err != nil {
				return nil, err
			}
			if after == nil {
				removals = append(removals, &as)
			} else {
				writes = append(writes, &as)
			}
		}
	}
	all := append(writes, removals...) // writes first, so that moved content always exists somewhere
	if len(all) == 0 {
		return nil, errors.New("no change was approved, so nothing was written")
	}
	return t.work.commit(ctx, all, t.Keep)
}

// CountLines returns the number of lines of b, including a last line without a
// newline.
func CountLines(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
