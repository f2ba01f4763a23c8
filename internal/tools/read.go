package tools

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

//go:embed read.md
var readText string

type readArgs struct {
	Path   string `json:"path" jsonschema:"the file to read, relative to the working directory"`
	Offset int    `json:"offset,omitempty" jsonschema:"the first line to give, from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many lines to give; 2000 if it is not given"`
}

func (w *Workspace) readTool(known *Ledger) Tool {
	return New("read", readText, func(_ context.Context, a readArgs) (Call, error) {
		if a.Offset < 0 || a.Limit < 0 {
			return Call{}, errors.New("offset and limit must not be negative: lines are counted from 1")
		}
		if a.Path == "" {
			return Call{}, errors.New("the path is empty: give the file to read")
		}
		p, err := w.start(a.Path)
		if err != nil {
			return Call{}, err
		}
		span := span{first: max(a.Offset, 1), limit: maxLines}
		if a.Limit > 0 {
			span.limit = min(a.Limit, maxLines)
		}
		title := "read " + p
		if span.first > 1 {
			title += fmt.Sprintf(" from line %d", span.first)
		}
		return Call{
			Title:   title,
			Effect:  Read,
			Targets: []Target{{Path, p}},
			Run: func(ctx context.Context, _ Approved) (Result, error) {
				return w.read(ctx, p, span)
			},
		}, nil
	})
}

func (w *Workspace) read(ctx context.Context, p string, s span) (Result, error) {
	f, info, err := w.open(p, p)
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	if info.IsDir() {
		return w.list(ctx, p, 1)
	}
	in := newLineReader(ctx, f)
	if head := in.head(); bytes.IndexByte(head, 0) >= 0 {
		return Result{}, fmt.Errorf("%s is binary (%s, %s), so there are no lines to show: use a command in the shell that understands it",
			p, http.DetectContentType(head), size(info.Size()))
	}
	page, err := in.page(s, info.Size())
	if err != nil {
		return Result{}, failed(ctx, "read "+p, err)
	}
	if page.shown == 0 && s.first > 1 {
		return Result{}, fmt.Errorf("%s has %s: give an offset up to that", p, plural(page.total, "line"))
	}
	text := page.text.String() + page.note(s, info.Size())
	if page.total == 0 {
		text = "(the file is empty)\n"
	}
	return Result{Text: strings.ToValidUTF8(text, "\ufffd"), Summary: plural(page.shown, "line")}, nil
}

// note says what is not to be seen in the lines of a page.
func (p *page) note(s span, bytes int64) string {
	var b strings.Builder
	if p.lossy {
		b.WriteString("(some bytes are not valid UTF-8 and shown as \ufffd)\n")
	}
	if p.bom {
		b.WriteString("(the file begins with a byte order mark)\n")
	}
	if p.crlf > 0 {
		lines := fmt.Sprintf("%d of the lines", p.crlf)
		if p.crlf == p.shown {
			lines = "the lines"
		}
		fmt.Fprintf(&b, "(%s end in CRLF)\n", lines)
	}
	if p.cut > 0 {
		fmt.Fprintf(&b, "(%s cut after %d characters; use search to find something further on in one)\n", plural(p.cut, "line"), maxWidth)
	}
	last := s.first + p.shown - 1
	switch {
	case p.total < 0:
		fmt.Fprintf(&b, "(lines %d-%d of a file of %s; read on with offset %d)\n", s.first, last, size(bytes), last+1)
	case last < p.total:
		fmt.Fprintf(&b, "(lines %d-%d of %d; read on with offset %d)\n", s.first, last, p.total, last+1)
	case p.unended:
		b.WriteString("(no newline at the end of the file)\n")
	case s.first > 1:
		b.WriteString("(end of the file)\n")
	}
	return b.String()
}
