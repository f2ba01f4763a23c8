package tools

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"agent/internal/tools/advice"
	"agent/internal/tools/shell"
)

const (
	pdfProgram = "pdftotext" // of Poppler
	// pdfOptions end with standard input and output. Later pages are left out.
	pdfOptions = " -layout -enc UTF-8 -l 300 - -"
	pdfTime    = 20 * time.Second
	maxPDFText = 2 << 20 // bytes
)

// PDFText returns the text of the first 300 pages of a PDF. It runs pdftotext like a
// command of the model that cannot change the workspace or use the network. If it is not
// installed, the error says how to get it.
func (c Commands) PDFText(ctx context.Context, pdf []byte, ok Approved) (string, error) {
	program, err := exec.LookPath(pdfProgram)
	if err != nil {
		return "", advice.Add(errors.New("the content is a PDF, and pdftotext is not installed"),
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
		return "", err
	case r.IsError:
		return "", errors.New("cannot read the PDF: " + oneLine(r.Text))
	}
	return strings.ReplaceAll(r.Text, "\f", "\n"), nil
}
