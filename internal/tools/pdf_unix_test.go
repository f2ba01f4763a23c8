//go:build unix

package tools_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools"
	"agent/internal/tools/fetch"
	"agent/internal/tools/workspace"
)

// A PDF is converted by the pdftotext on PATH, which here is a script, for fetch and for
// read.
func TestPDF(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "%PDF-1.4\n%%EOF")
	}))
	defer server.Close()
	for name, c := range map[string]struct{ script, want, failed string }{
		"converted":     {"#!/bin/sh\n[ \"$*\" = '-layout -enc UTF-8 -l 300 - -' ] && grep -a PDF-1 && printf 'page 1\\fpage 2'\n", "[page 1]\n%PDF-1.4\npage 1\n[page 2]\npage 2\n", ""},
		"damaged":       {"#!/bin/sh\necho 'Syntax Error: no trailer' >&2; exit 1\n", "", "cannot read the PDF: Syntax Error: no trailer"},
		"not installed": {"", "", "pdftotext is not installed. Ask the user to install poppler-utils"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			path := bin
			if c.script != "" {
				path += ":" + os.Getenv("PATH")
				if err := os.WriteFile(filepath.Join(bin, "pdftotext"), []byte(c.script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", path)
			ws, err := workspace.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			here := func(a netip.AddrPort) bool { return a.Addr().IsLoopback() }
			tool := fetch.Tool(fetch.Options{Allow: here}, tools.Commands{Workspace: ws}.PDFText)
			call, err := tool.Prepare(t.Context(), json.RawMessage(`{"url":"`+server.URL+`/a.pdf"}`))
			if err != nil {
				t.Fatal(err)
			}
			got, err := call.Run(t.Context(), tools.Approved{})
			if got.Text != c.want || c.failed == "" && err != nil || c.failed != "" && (err == nil || !strings.Contains(err.Error(), c.failed)) {
				t.Errorf("got %q, %v; want %q, %q", got.Text, err, c.want, c.failed)
			}
			if err := os.WriteFile(filepath.Join(ws.Dir(), "a.pdf"), []byte("%PDF-1.4\n%%EOF"), 0o644); err != nil {
				t.Fatal(err)
			}
			call, err = tools.FormattedFiles(tools.Commands{Workspace: ws}, workspace.NewLedger(), nil)[0].Prepare(t.Context(), json.RawMessage(`{"path":"a.pdf","offset":3}`))
			if err != nil {
				t.Fatal(err)
			}
			got, err = call.Run(t.Context(), tools.Approved{})
			lines := "3\tpage 1\n4\t[page 2]\n5\tpage 2\n"
			if c.failed == "" && (err != nil || !strings.Contains(got.Text, lines) || got.Summary != "PDF, 2 pages") || c.failed != "" && (err == nil || !strings.Contains(err.Error(), c.failed)) {
				t.Errorf("read: got %q, %q, %v; want %q, %q", got.Text, got.Summary, err, lines, c.failed)
			}
		})
	}
}
