package tools

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/workspace"
)

// Formatter formats the new text of a file that a tool changes. By is the name of the
// program that does it; empty if there is none for the file. With an error the text stays
// as it is.
type Formatter interface {
	Format(ctx context.Context, path string, text []byte) (formatted []byte, by string, err error)
}

// changeCall returns the call that commits t, with formatted texts if format is not nil.
// Its title names at most named files.
func changeCall(ctx context.Context, t *workspace.Transaction, format Formatter, verb string, named int) (Call, error) {
	drafts, _, err := t.Changes()
	if err != nil {
		return Call{}, err
	}
	if err := checkCopied(drafts); err != nil {
		return Call{}, err
	}
	remarks, err := formatDrafts(ctx, format, drafts)
	if err != nil {
		return Call{}, err
	}
	drafts, warnings, err := t.Changes()
	if err != nil {
		return Call{}, fmt.Errorf("after formatting, %w", err)
	}
	var paths []string
	for _, d := range drafts[:min(named, len(drafts))] {
		paths = append(paths, d.Path)
	}
	title := verb + " " + strings.Join(paths, ", ")
	if rest := len(drafts) - named; rest > 0 {
		title += " and " + phrase.Count(rest, "more file")
	}
	c := commitCall(t, title, drafts, warnings)
	c.Remarks = append(c.Remarks, remarks...)
	return c, nil
}

// formatDrafts formats the new texts of drafts, and returns what went wrong. Its error is
// that of ctx.
func formatDrafts(ctx context.Context, format Formatter, drafts []*workspace.Draft) (problems []string, err error) {
	if format == nil {
		return nil, nil
	}
	for _, d := range drafts {
		if d.After == nil || filepath.IsAbs(d.Path) || d.IsEncoded() {
			continue
		}
		formatted, by, err := format.Format(ctx, d.Path, d.After)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			problems = append(problems, err.Error())
			d.Notes = append(d.Notes, "It is not formatted: "+err.Error()+".")
		case by != "":
			d.Format(formatted, by)
		}
	}
	return problems, nil
}

// Commit returns a call that commits t.
func Commit(t *workspace.Transaction, title string) (Call, error) {
	drafts, warnings, err := t.Changes()
	if err != nil {
		return Call{}, err
	}
	return commitCall(t, title, drafts, warnings), nil
}

const insteadOfChange = "Describe the change and why you would make it, then end your answer. The user leaves the mode to allow edits"

// commitCall returns the call that commits t, which holds drafts.
func commitCall(t *workspace.Transaction, title string, drafts []*workspace.Draft, warnings []string) Call {
	c := Call{Title: title, Effect: Write, Warnings: warnings, Instead: insteadOfChange}
	for _, d := range drafts {
		if d.Converted != "" {
			c.Remarks = append(c.Remarks, d.Path+": "+d.Converted)
		}
		c.Targets = append(c.Targets, Target{Kind: Path, Value: d.Path, Spelled: d.Spelled})
		c.Changes = append(c.Changes, Change{Path: d.Path, Before: d.Before, After: d.After, Moved: d.Moved(), Unlinks: d.Unlinks()})
	}
	c.Run = func(ctx context.Context, ok Approved) (Result, error) {
		approved := map[string][]byte{}
		for _, ch := range ok.Changes {
			approved[ch.Path] = ch.After
		}
		t.Keep = ok.Keep
		written, err := t.Commit(ctx, approved)
		if written == nil {
			return Result{}, err
		}
		return changeResult(drafts, written), err
	}
	return c
}

// checkCopied returns an error if a change adds a note that stands for truncated
// text, because the text would be lost.
func checkCopied(drafts []*workspace.Draft) error {
	var known [][]byte
	for _, d := range drafts {
		known = append(known, d.Before)
	}
	for _, d := range drafts {
		if note := marker.Copied(d.After, known...); note != "" {
			return copiedError("the new text of "+d.Path, note)
		}
	}
	return nil
}

func copiedError(where, note string) error {
	return advice.Add(fmt.Errorf("%s contains %q, which stands for text that was truncated", where, phrase.Clip(note, 80)),
		"Read that text, and give all of it. Nothing was done")
}

// changeResult returns the result of a commit. written may differ from asked: the
// user may approve only some changes, or edit them.
func changeResult(asked, written []*workspace.Draft) Result {
	r := Result{Summary: phrase.Count(len(written), "file")}
	var lines []string
	for _, d := range asked {
		i := slices.IndexFunc(written, func(w *workspace.Draft) bool { return w.Path == d.Path })
		if i < 0 {
			lines = append(lines, d.Path+" is unchanged: the user did not approve this change.")
			continue
		}
		w := written[i]
		r.Changes = append(r.Changes, Change{Path: w.Path, Before: w.Before, After: w.After, Moved: w.Moved()})
		text, summary := describeWritten(w)
		switch {
		case !bytes.Equal(w.After, d.After):
			text += " The user approved a different change than you requested. Read the file before you continue."
		case w.After != nil:
			for _, note := range w.Notes {
				if !strings.HasSuffix(text, "\n") { // a diff ends with one
					text += " "
				}
				text += note
			}
			text = strings.TrimSuffix(text, "\n")
			r.Reads = append(r.Reads, w.Reading())
		}
		if w.Alike != "" {
			text += " " + w.Alike
		}
		if w.Converted != "" {
			text += " Note: " + w.Converted + "."
		}
		lines = append(lines, strings.Join(append([]string{text}, w.Outcome...), " "))
		if len(asked) == 1 {
			r.Summary = summary
		}
	}
	r.Text = strings.Join(lines, "\n")
	return r
}

// describeWritten describes a written file for the model and for the user.
func describeWritten(d *workspace.Draft) (text, summary string) {
	switch {
	case d.After == nil && d.MovedTo != "":
		return fmt.Sprintf("moved %s to %s.", d.Path, d.MovedTo), "removed"
	case d.After == nil:
		return fmt.Sprintf("removed %s.", d.Path), "removed"
	}
	verb := "changed"
	if d.Before == nil {
		verb = "created"
	}
	lines := phrase.Count(workspace.CountLines(d.After), "line")
	return fmt.Sprintf("%s %s: it now has %s, %s.", verb, d.Path, lines, phrase.Bytes(d.Size())), lines
}
