package tools

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools/workspace"
)

// changeCall returns the call that commits t. The first so many files are named
// in its title.
func changeCall(t *workspace.Transaction, verb string, named int) (Call, error) {
	drafts, warnings, err := t.Changes()
	if err != nil {
		return Call{}, err
	}
	c := Call{Effect: Write, Warnings: warnings}
	var paths []string
	for _, d := range drafts {
		paths = append(paths, d.Path)
		c.Targets = append(c.Targets, Target{Kind: Path, Value: d.Path, Spelled: d.Spelled})
		c.Changes = append(c.Changes, Change{Path: d.Path, Before: d.Before, After: d.After})
	}
	c.Title = verb + " " + strings.Join(paths[:min(named, len(paths))], ", ")
	if rest := len(paths) - named; rest > 0 {
		c.Title += " and " + phrase.Count(rest, "more file")
	}
	c.Run = func(ctx context.Context, ok Approved) (Result, error) {
		approved := map[string][]byte{}
		for _, ch := range ok.Changes {
			approved[ch.Path] = ch.After
		}
		written, err := t.Commit(ctx, approved)
		if written == nil {
			return Result{}, err
		}
		return changed(drafts, written), err
	}
	return c, nil
}

// changed is the result of changes that were made, perhaps fewer or others than
// were asked for.
func changed(asked, written []*workspace.Draft) Result {
	r := Result{Summary: phrase.Count(len(written), "file")}
	var lines []string
	for _, d := range asked {
		i := slices.IndexFunc(written, func(w *workspace.Draft) bool { return w.Path == d.Path })
		if i < 0 {
			lines = append(lines, d.Path+" is as it was: the person did not approve that change.")
			continue
		}
		w := written[i]
		r.Changes = append(r.Changes, Change{Path: w.Path, Before: w.Before, After: w.After})
		text, summary := outcomeOf(w)
		switch {
		case !bytes.Equal(w.After, d.After):
			text += " The person approved only a part of the change or another one: read the file before going on."
		case w.After != nil:
			text = strings.Join(append([]string{text}, w.Notes...), " ")
			r.Reads = append(r.Reads, workspace.NewReading(w.Path, w.After))
		}
		lines = append(lines, text)
		if len(asked) == 1 {
			r.Summary = summary
		}
	}
	r.Text = strings.Join(lines, "\n")
	return r
}

// outcomeOf says what has become of a file, to the model and to the user.
func outcomeOf(d *workspace.Draft) (text, summary string) {
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
	return fmt.Sprintf("%s %s: it has %s now, %s.", verb, d.Path, lines, phrase.Bytes(int64(len(d.After)))), lines
}
