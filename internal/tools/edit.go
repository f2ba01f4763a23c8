package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/edit"
	"agent/internal/tools/intake"
	"agent/internal/tools/workspace"
)

//go:embed edit.md
var editText string

// editArgs holds one edit, or several in Edits. The schema does not show Edits, but
// models know it from other assistants.
type editArgs struct {
	Path       string    `json:"path,omitempty" schema:"required"`
	Old        string    `json:"old,omitempty" schema:"required"`
	New        string    `json:"new,omitempty" schema:"required"`
	ReplaceAll bool      `json:"replace_all,omitempty"`
	Edits      []oneEdit `json:"edits,omitempty" schema:"hidden"`
}

// oneEdit is one of several edits. An empty Path is that of the call.
type oneEdit struct {
	Path       string `json:"path,omitempty"`
	Old        string `json:"old"`
	New        string `json:"new"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
}

// list returns the edits of a call, each with its path.
func (a editArgs) list() ([]oneEdit, error) {
	if len(a.Edits) == 0 {
		a.Edits = []oneEdit{{Old: a.Old, New: a.New, ReplaceAll: a.ReplaceAll}}
	}
	out := make([]oneEdit, len(a.Edits))
	for i, e := range a.Edits {
		if e.Path == "" {
			e.Path = a.Path
		}
		if e.Path == "" {
			return nil, errors.New("path is missing; give the file to change, for the call or in each of edits")
		}
		out[i] = e
	}
	return out, nil
}

func editTool(w *workspace.Workspace, known *workspace.Ledger, format Formatter) Tool {
	return New("edit", editText, func(ctx context.Context, a editArgs) (Call, error) {
		edits, err := a.list()
		if err != nil {
			return Call{}, err
		}
		t := w.Begin(known)
		places := map[*workspace.Draft]*editLog{}
		for i, e := range edits {
			d, r, err := applyEdit(ctx, t, e)
			if ctx.Err() != nil {
				return Call{}, ctx.Err()
			}
			if err != nil && len(edits) > 1 {
				err = fmt.Errorf("%w (edit %d of %d; no edit was applied)", err, i+1, len(edits))
			}
			if err != nil {
				return Call{}, err
			}
			if places[d] == nil {
				places[d] = &editLog{}
			}
			places[d].add(e, r)
		}
		for d, p := range places {
			d.Notes = append(p.notes(), staleNote(d)...)
		}
		return changeCall(ctx, t, format, "edit", 1)
	}, editForm(w))
}

// editors returns the tools that view, create or edit a file, depending on their
// command.
func editors() []string {
	return []string{"str_replace_editor", "str_replace_based_edit_tool", "text_editor"}
}

func editForm(w *workspace.Workspace) intake.Form {
	one := intake.Form{
		Aliases: map[string][]string{
			"path":        intake.FileAliases(),
			"old":         {"old_string", "old_str", "old_text", "old_code", "search", "find"},
			"new":         {"new_string", "new_str", "new_text", "new_code", "replace", "replacement"},
			"replace_all": {"allow_multiple"},
			"edits":       {"replacements", "changes"},
		},
		Paths: []string{"path"}, Exists: exists(w),
	}
	all := one
	all.Names = append([]string{"replace", "str_replace", "search_replace", "edit_file", "file_edit", "multi_edit", "replace_in_file", "replace_string_in_file", "multi_replace_string_in_file"}, editors()...)
	all.Harmless = []string{"dry_run=false"}
	all.Elements = map[string]intake.Form{"edits": one}
	all.Rewrite = rewriteEdit
	return all
}

// rewriteEdit routes an editor's command to its tool, and replaces a list of one edit
// with that edit.
func rewriteEdit(a *intake.Args) error {
	if a.Called(editors()...) {
		var command string
		a.Take("command", &command)
		tool, ok := map[string]string{"view": "read", "create": "write", "str_replace": "edit"}[command]
		switch {
		case command == "" && a.Has("old"):
		case !ok:
			return advice.Add(fmt.Errorf("there is no editor command %q", phrase.Clip(command, maxQuotedCommand)), "Call edit with path, old and new, read or write")
		case tool != "edit" && a.Route(tool):
			return nil
		}
	}
	if err := a.Flatten("edits"); err != nil {
		return err
	}
	edits := a.List("edits")
	switch {
	case len(edits) == 0:
		a.Remove("edits")
		a.Need("path", "old", "new")
	case a.Text("old") != "" || a.Text("new") != "":
		return errors.New("edit takes old and new, or edits, not both; put every edit into edits")
	default:
		a.Remove("old", "new")
	}
	return nil
}

// maxQuotedCommand limits the command that an error quotes, in bytes.
const maxQuotedCommand = 30

// applyEdit applies one edit to its draft.
func applyEdit(ctx context.Context, t *workspace.Transaction, e oneEdit) (*workspace.Draft, edit.Result, error) {
	open := t.OpenText
	if e.Old == "" {
		open = t.Open
	}
	d, err := open(e.Path)
	if err != nil {
		return nil, edit.Result{}, err
	}
	if err := d.CheckEditable(); err != nil {
		return nil, edit.Result{}, err
	}
	r, err := edit.ReplaceListed(ctx, d.After, []byte(e.Old), []byte(e.New), e.ReplaceAll)
	if d.Stale != nil && ctx.Err() == nil && (err != nil || r.Fit != edit.Exact || r.Numbered || e.ReplaceAll) {
		return nil, r, d.Stale
	}
	if err != nil {
		return nil, r, fmt.Errorf("edit %s: %w", d.Path, err)
	}
	d.After = r.After
	return d, r, nil
}

// staleNote returns a note for the model if a file had changed since the model last saw it.
func staleNote(d *workspace.Draft) []string {
	if d.Stale == nil {
		return nil
	}
	return []string{d.Stale.Note()}
}

// editLog records the edits of one file: their lines, and how they matched.
type editLog struct {
	lines []int
	edits int
	fits  []edit.Fit
	// numbered is whether line numbers were ignored.
	numbered bool
}

func (p *editLog) add(e oneEdit, r edit.Result) {
	if e.Old == "" {
		return
	}
	p.edits++
	p.lines = append(p.lines, r.Lines...)
	p.numbered = p.numbered || r.Numbered
	if r.Fit != edit.Exact && !slices.Contains(p.fits, r.Fit) {
		p.fits = append(p.fits, r.Fit)
	}
}

// notes returns notes for the model on where the edits were made and which did
// not match exactly.
func (p *editLog) notes() []string {
	var out []string
	switch {
	case len(p.lines) == 1:
		out = append(out, fmt.Sprintf("Replaced 1 occurrence, on line %d.", p.lines[0]))
	case p.edits == 1:
		out = append(out, fmt.Sprintf("Replaced %d occurrences, the first on line %d.", len(p.lines), p.lines[0]))
	case p.edits > 1:
		out = append(out, fmt.Sprintf("Replaced %d occurrences.", len(p.lines)))
	}
	for _, f := range p.fits {
		out = append(out, f.String())
	}
	if p.numbered {
		out = append(out, "The line numbers in old and new were ignored; omit them.")
	}
	return out
}
