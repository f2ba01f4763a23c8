package tools

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"agent/internal/tools/advice"
	"agent/internal/tools/shell"
)

const (
	pdfProgram = "pdftotext" // of Poppler
	// pdfOptions end with standard input and output.
	pdfOptions = " -layout -enc UTF-8 -l 300 - -"
	pdfPages   = 300 // later pages are left out
	pdfTime    = 20 * time.Second
	maxPDFText = 2 << 20 // bytes
)

// PDFText returns the text of the first 300 pages of a PDF, with a line before each page,
// and their number. It runs pdftotext like a
// command of the model that cannot change the workspace or use the network. If it is not
// installed, the error says how to get it.
func (c Commands) PDFText(ctx context.Context, pdf []byte, ok Approved) (text string, pages int, err error) {
	program, err := exec.LookPath(pdfProgram)
	if err != nil {
		return "", 0, advice.Add(errors.New("the content is a PDF, and pdftotext is not installed"),
			"Ask the user to install poppler-utils (macOS: brew install poppler)")
	}
	c.MaxOutput = maxPDFText
	convert := customTool{commands: &shellTool{Commands: c, dir: "."}, Custom: Custom{
		Name: pdfProgram, Command: shell.Quote(program) + pdfOptions, Effect: Read, Limit: pdfTime,
	}}
	ok.Progress = nil
	r, err := convert.run(ctx, pdf, convert.commands.nextDir(), ok)
	switch {
	case err != nil:
		return "", 0, err
	case r.IsError:
		return "", 0, errors.New("cannot read the PDF: " + oneLine(r.Text))
	}
	var b strings.Builder
	for page := range strings.SplitSeq(strings.TrimRight(r.Text, "\f\n"), "\f") {
		pages++
		fmt.Fprintf(&b, "[page %d]\n%s\n", pages, strings.TrimRight(page, "\n"))
	}
	return b.String(), pages, nil
}
