package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Editor has files of the workspace open, with text that may not be saved. Paths are
// absolute. An Editor is safe for concurrent use and answers within a few seconds.
type Editor interface {
	// Text returns the text of a file as the editor has it. It reports false if the editor
	// does not know the file or does not answer.
	Text(ctx context.Context, path string) (string, bool)
	// Replace replaces the text of a file in the editor, which saves it.
	Replace(ctx context.Context, path, text string) error
}

// UseEditor sets the editor that has files of the workspace open. The path rules come first:
// the editor is asked only about text files that tools may read. Call UseEditor before any
// tool runs.
func (w *Workspace) UseEditor(e Editor) { w.main.editor = e }

// errUnsaved rejects changing a file whose text in the editor differs from what its draft
// saw.
const errUnsaved = staleError("its text in the editor has changed since the call was prepared")

// Unsaved returns the text of p in the editor if it has changes that are not saved.
func (p Place) Unsaved(ctx context.Context) ([]byte, bool) {
	if p.tree.editor == nil || !p.Info.Mode().IsRegular() || p.Info.Size() > MaxEdit {
		return nil, false
	}
	f, _, err := p.Open()
	if err != nil {
		return nil, false
	}
	defer f.Close()
	saved, err := readAll(f)
	if err != nil {
		return nil, false
	}
	return p.tree.unsaved(ctx, p.Path, saved)
}

// unsaved returns the text of the file at in the editor if it differs from the saved
// content. Editors hold text with plain line ends and may leave out the last one: the
// result has those of the saved content. Only UTF-8 text is compared.
func (t *tree) unsaved(ctx context.Context, at string, saved []byte) ([]byte, bool) {
	if t.editor == nil || !utf8.Valid(saved) || bytes.IndexByte(saved, 0) >= 0 {
		return nil, false
	}
	text, ok := t.editor.Text(ctx, filepath.Join(t.dir, filepath.FromSlash(at)))
	if !ok || len(text) > MaxEdit || !utf8.ValidString(text) {
		return nil, false
	}
	if plainText(text) == plainText(string(saved)) {
		return nil, false
	}
	return likeSaved(text, string(saved)), true
}

// plainText returns text as editors hold it, for a comparison.
func plainText(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.TrimSuffix(text, "\n")
}

// likeSaved returns text with the byte order mark, the line ends and the last newline of
// the saved content.
func likeSaved(text, saved string) []byte {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasSuffix(saved, "\n") && text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if crlf := strings.Count(saved, "\r\n"); crlf > 0 && crlf == strings.Count(saved, "\n") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	if strings.HasPrefix(saved, "\ufeff") {
		text = "\ufeff" + text
	}
	return []byte(text)
}

// useUnsaved makes d a draft of the text in the editor if that has changes that are not
// saved. The saved content is kept to check that the file on disk is unchanged.
func (d *Draft) useUnsaved(t *tree) {
	if text, ok := t.unsaved(context.Background(), d.at, d.Before); ok { // the Editor has a time limit
		d.saved, d.Before, d.After = d.Before, text, text
	}
}

// onDisk returns the content of the file on disk; nil if it does not exist.
func (d *Draft) onDisk() []byte {
	if d.saved != nil {
		return d.saved
	}
	return d.Before
}

// checkUnsaved returns an error if the text of d in the editor differs from what d saw.
func (t *tree) checkUnsaved(ctx context.Context, d *Draft) error {
	if t.editor == nil || d.info == nil || d.After == nil || d.encoding.Converts() {
		return nil
	}
	text, unsaved := t.unsaved(ctx, d.at, d.onDisk())
	if unsaved != (d.saved != nil) || unsaved && !bytes.Equal(text, d.Before) {
		return errUnsaved
	}
	return nil
}

// tellEditor gives the editor the new text of the written files. It returns an error only
// for files with changes that were not saved: the editor notices changes of other files.
func tellEditor(ctx context.Context, files []*Draft) error {
	var errs []error
	for _, d := range files {
		t := d.tree
		if t.editor == nil || d.After == nil || d.IsEncoded() || !isText(d.After) || len(d.After) > MaxEdit {
			continue
		}
		err := t.editor.Replace(ctx, filepath.Join(t.dir, filepath.FromSlash(d.at)), string(d.After))
		if err != nil && d.saved != nil {
			errs = append(errs, fmt.Errorf("the editor still has its unsaved text of %s: %w", d.Path, err))
		}
	}
	return errors.Join(errs...)
}
