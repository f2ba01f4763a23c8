package protocol_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/lsp/protocol"
)

// Columns count bytes or UTF-16 code units. A column outside the line means its nearest end.
func TestColumns(t *testing.T) {
	const line = "ä𝄞z\xff"
	for _, c := range []struct {
		encoding       protocol.Encoding
		offset, column int
	}{{"utf-8", 6, 6}, {"utf-16", 0, 0}, {"utf-16", 2, 1}, {"utf-16", 6, 3}, {"utf-16", 7, 4}, {"", 8, 5}} {
		if got := c.encoding.Column(line, c.offset); got != c.column {
			t.Errorf("%q: byte %d is column %d, want %d", c.encoding, c.offset, got, c.column)
		}
		if got := c.encoding.Offset(line, c.column); got != c.offset {
			t.Errorf("%q: column %d is byte %d, want %d", c.encoding, c.column, got, c.offset)
		}
	}
	for _, encoding := range []protocol.Encoding{"utf-8", "utf-16"} {
		if first, last := encoding.Offset(line, -1), encoding.Offset(line, 99); first != 0 || last != len(line) {
			t.Errorf("%s: wrong columns are the bytes %d and %d", encoding, first, last)
		}
	}
}

// Edits apply to the original text, in any order, and beyond its end.
func TestApply(t *testing.T) {
	edit := func(line, from, toLine, to int, text string) protocol.TextEdit {
		return protocol.TextEdit{Range: protocol.Range{Start: protocol.Position{Line: line, Character: from}, End: protocol.Position{Line: toLine, Character: to}}, NewText: text}
	}
	got, err := protocol.Encoding("utf-16").Apply(t.Context(), "𝄞 one\r\ntwo\n", []protocol.TextEdit{edit(9, 0, 9, 0, "end"), edit(1, 0, 1, 99, "2"), edit(0, 3, 0, 6, "1")})
	if want := "𝄞 1\r\n2\nend"; got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := protocol.Encoding("").Apply(stopped, "one", []protocol.TextEdit{edit(0, 0, 0, 9, "")}); err != context.Canceled {
		t.Errorf("the error of an interrupted change is %v", err)
	}
	for name, edits := range map[string][]protocol.TextEdit{
		"overlap":   {edit(0, 0, 0, 2, ""), edit(0, 1, 0, 3, "")},
		"backwards": {edit(0, 2, 0, 1, "")},
	} {
		if _, err := protocol.Encoding("utf-8").Apply(t.Context(), "one", edits); err == nil {
			t.Errorf("%s: there is no error", name)
		}
	}
}

// Servers send a type in several forms.
func TestForms(t *testing.T) {
	type forms struct {
		Places protocol.Locations
		Hover  protocol.Hover
		Symbol protocol.Symbol
		Can    protocol.Capabilities
		Edit   protocol.WorkspaceEdit
	}
	describe := func(text string) string {
		var f forms
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			return err.Error()
		}
		var all []string
		for _, l := range f.Places {
			file, at := l.Place()
			all = append(all, file, string(rune('0'+at.Line)))
		}
		if f.Symbol.Name != "" {
			all = append(all, f.Symbol.KindName(), f.Symbol.Name, string(rune('0'+f.Symbol.Line())))
		}
		if f.Can.Rename {
			all = append(all, "renames")
		}
		edits, err := f.Edit.Files()
		if err != nil {
			return err.Error()
		}
		for _, d := range edits {
			all = append(all, d.Document.URI, string(rune('0'+d.Document.Version)), d.Edits[0].NewText)
		}
		return strings.Join(append(all, string(f.Hover.Contents)), " ")
	}
	const at2 = `{"start":{"line":2}}`
	for text, want := range map[string]string{
		`{"places":null}`: "",
		`{"places":{"uri":"file:///a","range":` + at2 + `}}`:                                                           "/a 2 ",
		`{"places":[{"targetUri":"file:///b%20c","targetSelectionRange":` + at2 + `}]}`:                                "/b c 2 ",
		`{"places":[{"uri":"untitled:x"}]}`:                                                                            " 0 ",
		`{"hover":{"contents":"text"}}`:                                                                                "text",
		`{"hover":{"contents":{"kind":"markdown","value":"text"}}}`:                                                    "text",
		`{"hover":{"contents":["a",{"language":"go","value":"b"}]}}`:                                                   "a\nb\n",
		`{"hover":{"contents":[["a"]]}}`:                                                                               `unknown form of a text: ["a"]`,
		`{"hover":{"contents":1}}`:                                                                                     "unknown form of a text: 1",
		`{"symbol":{"name":"f","kind":12,"selectionRange":` + at2 + `}}`:                                               "function f 2 ",
		`{"symbol":{"name":"f","kind":99,"location":{"range":` + at2 + `}}}`:                                           "symbol f 2 ",
		`{"can":{"renameProvider":true}}`:                                                                              "renames ",
		`{"can":{"renameProvider":{"prepareProvider":false}}}`:                                                         "renames ",
		`{"can":{"renameProvider":false}}`:                                                                             "",
		`{"can":{"renameProvider":null}}`:                                                                              "",
		`{"edit":{"changes":{"file:///b":[{"newText":"2"}],"file:///a":[{"newText":"1"}]}}}`:                           "file:///a 0 1 file:///b 0 2 ",
		`{"edit":{"documentChanges":[{"textDocument":{"uri":"file:///a","version":null},"edits":[{"newText":"1"}]}]}}`: "file:///a 0 1 ",
		`{"edit":{"documentChanges":[{"kind":"create","uri":"file:///a"}]}}`:                                           "the language server wants to create a file, which is not supported",
		`{"edit":{"changes":{"http://host/a":[{"newText":"1"}]}}}`:                                                     `the language server sent an edit of "http://host/a", which is not a file`,
	} {
		if runtime.GOOS == "windows" && strings.Contains(text, "places") {
			continue // paths have backslashes
		}
		if diff := cmp.Diff(want, describe(text)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// A path is the same after the conversion to a URI and back.
func TestURIs(t *testing.T) {
	files := map[string]string{"/a b/ä#?%.go": "file:///a%20b/%C3%A4%23%3F%25.go"}
	if runtime.GOOS == "windows" {
		files = map[string]string{`C:\a b\c.go`: "file:///C:/a%20b/c.go"}
	}
	for file, uri := range files {
		if got := protocol.URIOf(file); got != uri || protocol.FileOf(got) != file {
			t.Errorf("%s is %s, which is %s", file, got, protocol.FileOf(got))
		}
	}
	for file, want := range map[string]string{"a.tsx": "typescriptreact", "a.go": "go", "Makefile": ""} {
		if got := protocol.LanguageOf(file); got != want {
			t.Errorf("the language of %s is %q", file, got)
		}
	}
}
