package tools

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/tools/edit"
	"agent/internal/tools/intake"
	"agent/internal/tools/workspace"
)

//go:embed patch.md
var patchText string

// patchGrammar is the format of a patch, for models that can write it as plain text.
//
//go:embed patch.lark
var patchGrammar string

// maxTitled is how many files the title of a patch names.
const maxTitled = 3

type patchArgs struct {
	Patch string `json:"patch" jsonschema:"from *** Begin Patch to *** End Patch"`
}

func patchTool(w *workspace.Workspace, known *workspace.Ledger, format Formatter) Tool {
	return freeform{argument: "patch", grammar: patchGrammar, Tool: New("patch", patchText, func(ctx context.Context, a patchArgs) (Call, error) {
		actions, err := edit.ParsePatch(a.Patch)
		if err != nil {
			return Call{}, fmt.Errorf("%w (nothing was changed)", err)
		}
		t := w.Begin(known)
		for _, action := range actions {
			err := applyAction(ctx, t, action)
			if ctx.Err() != nil {
				return Call{}, ctx.Err()
			}
			if err != nil {
				return Call{}, fmt.Errorf("%s %s: %w (nothing was changed)", verbOf(action), action.Path, err)
			}
		}
		return changeCall(ctx, t, format, "patch", maxTitled)
	}, intake.Form{
		Names:   []string{"apply_patch"},
		Aliases: map[string][]string{"patch": {"input", "patch_text", "diff"}},
		Bare:    func(text string) bool { return strings.HasPrefix(text, patchBegin) },
		Rewrite: barePatch,
	})}
}

// freeform is a tool whose only argument may be written as plain text.
type freeform struct {
	Tool
	argument, grammar string
}

func (f freeform) Spec() llm.ToolSpec {
	spec := f.Tool.Spec()
	spec.Freeform = &llm.Freeform{Argument: f.argument, Grammar: f.grammar}
	return spec
}

// patchBegin is the first line of a patch.
const patchBegin = "*** Begin Patch"

// barePatch removes a code fence or a here-document around a patch.
func barePatch(a *intake.Args) error {
	text := a.Text("patch")
	if inner, ok := hereDocument(text); ok {
		text = inner
	} else if inner, ok := strings.CutPrefix(strings.TrimSpace(text), "```"); ok {
		_, inner, _ = strings.Cut(inner, "\n")
		if inner, ok = strings.CutSuffix(inner, "```"); ok {
			text = strings.TrimSuffix(inner, "\n")
		}
	}
	if text != a.Text("patch") {
		a.Set("patch", text)
	}
	return nil
}

// hereDocument returns the patch in the command `apply_patch <<'EOF'`.
func hereDocument(command string) (patch string, ok bool) {
	first, rest, _ := strings.Cut(strings.TrimSpace(command), "\n")
	word, ok := strings.CutPrefix(first, "apply_patch <<")
	end := strings.Trim(word, `'" `)
	patch, closed := strings.CutSuffix(rest, "\n"+end)
	return patch, ok && closed && end != "" && strings.HasPrefix(patch, patchBegin)
}

// onlyInserts reports whether a hunk has no text that the file must have.
func onlyInserts(h edit.Hunk) bool {
	return !slices.ContainsFunc(h.Lines, func(l edit.Line) bool { return l.Op != edit.Insert && strings.TrimSpace(l.Text) != "" })
}

func verbOf(a edit.FileAction) string {
	switch a.Kind {
	case edit.Add:
		return "add"
	case edit.Delete:
		return "delete"
	}
	return "update"
}

// applyAction applies one action of a patch to t.
func applyAction(ctx context.Context, t *workspace.Transaction, a edit.FileAction) error {
	if a.Kind == edit.Add {
		d, err := t.Open(a.Path)
		if err != nil {
			return err
		}
		return t.Add(d, a.Content)
	}
	open := t.OpenExisting
	if len(a.Hunks) > 0 && a.MoveTo == "" {
		open = t.OpenText
	}
	d, err := open(a.Path)
	if err != nil {
		return err
	}
	if a.Kind == edit.Delete {
		return t.Remove(d, a.Path)
	}
	if len(a.Hunks) > 0 {
		if err := d.CheckEditable(); err != nil {
			return err
		}
		r, err := edit.ApplyHunks(ctx, d.After, a.Hunks)
		if d.Stale != nil && ctx.Err() == nil && (err != nil || r.Fit != edit.Exact || slices.ContainsFunc(a.Hunks, onlyInserts)) {
			return d.Stale
		}
		if err != nil {
			return err
		}
		d.After, d.Notes = r.After, append(d.Notes, staleNote(d)...)
		if r.Fit != edit.Exact {
			d.Notes = append(d.Notes, r.Fit.String())
		}
	}
	if a.MoveTo == "" {
		return nil
	}
	return t.Move(d, a.Path, a.MoveTo)
}
