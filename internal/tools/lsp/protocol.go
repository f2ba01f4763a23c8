package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// The types of the Language Server Protocol 3.17 that this client uses, with the fields
// that it reads.

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // in units of the encoding of the server
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

// location is a Location or a LocationLink.
type location struct {
	URI         string    `json:"uri"`
	Range       textRange `json:"range"`
	TargetURI   string    `json:"targetUri"`
	TargetRange textRange `json:"targetSelectionRange"`
}

// place returns the file and the position of l; an empty file if it is none.
func (l location) place() (file string, at position) {
	if l.TargetURI != "" {
		return fileOf(l.TargetURI), l.TargetRange.Start
	}
	return fileOf(l.URI), l.Range.Start
}

// locations decodes one location, a list, or null.
type locations []location

func (l *locations) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte("{")) {
		*l = make(locations, 1)
		return json.Unmarshal(b, &(*l)[0])
	}
	return json.Unmarshal(b, (*[]location)(l))
}

// symbol is a DocumentSymbol or a SymbolInformation.
type symbol struct {
	Name     string    `json:"name"`
	Detail   string    `json:"detail"`
	Kind     int       `json:"kind"`
	Range    textRange `json:"selectionRange"`
	Location *location `json:"location"`
	Children []symbol  `json:"children"`
}

// kinds are the names of the values of SymbolKind, from 1.
var kinds = strings.Fields("file module namespace package class method property field constructor enum interface function variable constant " +
	"string number boolean array object key null enum-member struct event operator type-parameter")

// markup is MarkupContent, a MarkedString or a list of MarkedString.
type markup string

func (m *markup) UnmarshalJSON(b []byte) error {
	var one struct{ Value string }
	var list []markup
	switch {
	case json.Unmarshal(b, (*string)(m)) == nil:
	case json.Unmarshal(b, &one) == nil:
		*m = markup(one.Value)
	case json.Unmarshal(b, &list) == nil:
		for _, part := range list {
			*m += part + "\n"
		}
	default:
		return fmt.Errorf("unknown form of a text: %.40s", b)
	}
	return nil
}

// diagnostic is a finding of a server in a file.
type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"` // 1 is an error, and so is 0, which means unknown
	Message  string    `json:"message"`
	Source   string    `json:"source"`
}

// workspaceEdit is a change of several files. Changes is an older form of Documents.
type workspaceEdit struct {
	Changes   map[string][]textEdit `json:"changes"`
	Documents []documentEdit        `json:"documentChanges"`
}

// documentEdit is the change of one file. Kind is set for the creation, renaming or
// deletion of a file.
type documentEdit struct {
	Kind     string `json:"kind"`
	Document struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

// capabilities are the abilities of a server that decide what this client sends.
type capabilities struct {
	Encoding   string          `json:"positionEncoding"`
	Diagnostic json.RawMessage `json:"diagnosticProvider"`
	Rename     json.RawMessage `json:"renameProvider"`
}

// has reports whether a server offers an ability.
func has(provider json.RawMessage) bool {
	return len(provider) > 0 && string(provider) != "false" && string(provider) != "null"
}

// uriOf returns the URI of an absolute path.
func uriOf(file string) string {
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") { // a drive of Windows
		file = "/" + file
	}
	return (&url.URL{Scheme: "file", Path: file}).String()
}

// fileOf returns the absolute path of a URI; empty if it is not that of a file.
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	name := u.Path
	if runtime.GOOS == "windows" {
		name = strings.TrimPrefix(name, "/")
	}
	return filepath.Clean(filepath.FromSlash(name))
}

// languages are the identifiers of languages that differ from the extensions of their files.
var languages = map[string]string{
	".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
	".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
	".py": "python", ".pyi": "python", ".rs": "rust", ".cc": "cpp", ".cxx": "cpp", ".h": "cpp", ".hpp": "cpp",
	".rb": "ruby", ".sh": "shellscript", ".md": "markdown", ".yml": "yaml", ".cs": "csharp", ".kt": "kotlin",
}

// languageOf returns the identifier of the language of a file.
func languageOf(file string) string {
	ext := path.Ext(filepath.ToSlash(file))
	if id, ok := languages[ext]; ok {
		return id
	}
	return strings.TrimPrefix(ext, ".")
}

// column returns the column of a byte offset in line, in units of the encoding of a server:
// bytes or UTF-16 code units.
func column(line string, offset int, inBytes bool) int {
	if inBytes {
		return offset
	}
	n := 0
	for _, r := range line[:offset] {
		n += units(r)
	}
	return n
}

// offset returns the byte offset of a column of column, at most the length of line.
func offset(line string, col int, inBytes bool) int {
	if inBytes {
		return max(0, min(col, len(line)))
	}
	for i, r := range line {
		if col <= 0 {
			return i
		}
		col -= units(r)
	}
	return len(line)
}

// units returns the number of UTF-16 code units of r.
func units(r rune) int {
	if r >= 0x10000 && r <= utf8.MaxRune {
		return 2
	}
	return 1
}
