package tools

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/tools/charset"
	"agent/internal/tools/intake"
	"agent/internal/tools/page"
	"agent/internal/tools/read"
	"agent/internal/tools/workspace"
)

//go:embed read.md
var readText string

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line, from 1"`
	Limit  int    `json:"limit,omitempty"`
}

// reader implements the read tool.
type reader struct {
	known    *workspace.Ledger
	pdfText  pdfText    // nil if PDFs are not read
	decoding sync.Mutex // held while an image is decoded, to limit memory
}

func readTool(w *workspace.Workspace, known *workspace.Ledger, pdf pdfText, manual Manual) Tool {
	text := readText
	if manual != nil {
		text = withNote(text, manualNote)
	}
	r := &reader{known: known, pdfText: pdf}
	return New("read", text, func(_ context.Context, a readArgs) (Call, error) {
		if a.Path == "" {
			return Call{}, errors.New("the path is empty; give the file to read")
		}
		span := page.Span{First: max(a.Offset, 1), Limit: page.MaxLines}
		if a.Limit > 0 {
			span.Limit = a.Limit
		}
		from := ""
		if span.First > 1 {
			from = fmt.Sprintf(" from line %d", span.First)
		}
		if topic, ok := topicOf(a.Path); ok && manual != nil {
			return manual.call(topic, "read "+a.Path+from, span)
		}
		at, err := w.Find(a.Path)
		if err != nil {
			return Call{}, err
		}
		title := "read " + at.Name() + from
		return readCall(title, at, func(ctx context.Context, ok Approved) (Result, error) { return r.read(ctx, at, span, ok) }), nil
	}, intake.Form{
		Names: []string{"read_file", "view", "view_file", "view_image", "open", "open_file", "cat", "read_text_file", "read_many_files"},
		Aliases: map[string][]string{
			"path":   append(intake.FileAliases(), "notebook_path", "paths", "files", "file_paths"),
			"offset": {"start_line", "start_line_one_indexed", "line_start", "start"},
		},
		Paths: []string{"path"}, Exists: exists(w), Ranges: map[string]intake.Range{"offset": {Max: math.MaxInt32}, "limit": {Max: page.MaxLines}},
		ReadOnly: true, Rewrite: rewriteLines,
	})
}

func (r *reader) read(ctx context.Context, at workspace.Place, s page.Span, ok Approved) (Result, error) {
	f, info, err := at.Open()
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	if info.IsDir() {
		return list(ctx, at, 1)
	}
	// Interrupt a blocked read when ctx ends, if the system supports it.
	defer context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })()
	in := newSource(ctx, at.Name(), f, info, info.Size())
	text, unsaved := at.Unsaved(ctx)
	if unsaved {
		in = newSource(ctx, at.Name(), bytes.NewReader(text), info, int64(len(text)))
	}
	switch read.KindOf(in.name, in.sample()) {
	case read.Picture:
		return r.picture(ctx, in)
	case read.Notebook:
		return r.notebook(ctx, in, s)
	case read.PDF:
		return r.pdf(ctx, in, s, ok)
	}
	result, err := r.lines(ctx, in, s)
	if unsaved && err == nil {
		result.Text += unsavedNote
	}
	return result, err
}

// unsavedNote tells the model that commands see another text of a file.
const unsavedNote = "[The user's editor has changes of this file that are not saved. This is the text in the editor; commands and search see the saved file.]\n"

// lines returns the lines of a text file.
func (r *reader) lines(ctx context.Context, in *source, s page.Span) (Result, error) {
	e, err := in.text()
	if err != nil {
		return Result{}, err
	}
	p, err := page.Read(ctx, e.Decode(in.all()), in.decodedSize(e), s, in.countsLines())
	if err != nil {
		return Result{}, fmt.Errorf("read %s: %w", in.name, workspace.Cause(err))
	}
	if err := p.Err(in.name); err != nil {
		return Result{}, err
	}
	seen, as := in.reading()
	p.Damaged = as == charset.Damaged
	if p.Total == 0 {
		return Result{Text: "(the file is empty)\n", Summary: "0 lines", Reads: []workspace.Reading{seen}}, nil
	}
	seen.First, seen.Last = s.First, s.First+p.Shown-1
	if step, ok := r.known.Shown(seen); ok {
		return Result{
			Text: fmt.Sprintf("unchanged since step %d: lines %d-%d of %s are the same as shown there\n", step, seen.First, seen.Last, in.name) +
				p.Position(in.size),
			Summary: fmt.Sprintf("unchanged since step %d", step),
		}, nil
	}
	text := p.Text(e, in.size)
	return Result{Text: strings.ToValidUTF8(text, "\ufffd"), Summary: phrase.Count(p.Shown, "line"), Reads: []workspace.Reading{seen}}, nil
}
