package lsp

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/lsp/protocol"
	"agent/internal/tools/workspace"
)

//go:embed rename.md
var renameText string

// Ledger records what an agent has read.
type Ledger = workspace.Ledger

type renameArgs struct {
	Path string `json:"path" jsonschema:"file with the symbol, relative to the working directory"`
	Line int    `json:"line" jsonschema:"number of a line that contains the symbol, from 1"`
	Name string `json:"name" jsonschema:"the symbol, as it is written on that line"`
	To   string `json:"to" jsonschema:"new name"`
}

// prepareRename asks the server for the edits. They become changes like those of edit.
func (p *Pool) prepareRename(ctx context.Context, known *workspace.Ledger, a renameArgs) (tools.Call, error) {
	name, err := p.o.Workspace.Resolve(a.Path)
	if err != nil {
		return tools.Call{}, err
	}
	r, err := p.use(ctx, name)
	if err != nil {
		return tools.Call{}, err
	}
	if !r.Abilities.Rename {
		return tools.Call{}, errNoRename
	}
	at, _, err := p.position(r, name, a.Line, a.Name)
	if err != nil {
		return tools.Call{}, err
	}
	var found *protocol.WorkspaceEdit
	params := protocol.About(p.file(name))
	params.Position, params.NewName = &at, a.To
	partial, err := r.request(ctx, "textDocument/rename", params, &found)
	switch {
	case err != nil:
		return tools.Call{}, err
	case partial:
		return tools.Call{}, advice.Add(fmt.Errorf("%s is still loading the project, and the rename would not change all files", r.server.Name), "Try again later, or use search and edit")
	}
	if found == nil {
		return tools.Call{}, advice.Add(fmt.Errorf("the language server cannot rename %s there", a.Name), "Give a line where the symbol is defined or used")
	}
	all, err := found.Files()
	if err != nil {
		return tools.Call{}, err
	}
	t := p.o.Workspace.Begin(known)
	for _, d := range all {
		if err := p.edit(ctx, r, t, d); err != nil {
			return tools.Call{}, fmt.Errorf("%w (nothing was changed)", err)
		}
	}
	return tools.Commit(t, fmt.Sprintf("rename %s to %s in %s", a.Name, a.To, phrase.Count(len(all), "file")))
}

// edit applies the edits of one file to its draft.
func (p *Pool) edit(ctx context.Context, r *running, t *workspace.Transaction, d protocol.DocumentEdit) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	file := protocol.FileOf(d.Document.URI)
	name, inside := p.name(file)
	if !inside {
		return advice.Add(fmt.Errorf("the symbol is also in %s, outside the working directory", file), "Rename only symbols of this project")
	}
	draft, err := t.OpenExisting(name)
	if err != nil {
		return err
	}
	if draft.Path != name {
		return fmt.Errorf("%s is a symbolic link to %s", name, draft.Path)
	}
	if !r.Knows(file, d.Document.Version, string(draft.After)) {
		return advice.Add(fmt.Errorf("%s has changed while the language server worked", name), "Call rename again")
	}
	after, err := r.Abilities.Encoding.Apply(ctx, string(draft.After), d.Edits)
	if err != nil {
		return errors.Join(fmt.Errorf("edit %s", name), err)
	}
	draft.After = []byte(after)
	return nil
}
