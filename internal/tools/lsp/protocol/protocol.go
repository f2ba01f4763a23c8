// Package protocol holds the part of the Language Server Protocol 3.17 that this program
// uses: messages about documents, positions in text, URIs, and edits. It has no state, and
// neither reads nor writes files. The source is
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/.
// Structs have only the fields that are used.
package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// Params are the parameters of messages about one document. Each message uses some of them.
type Params struct {
	Document TextDocument      `json:"textDocument"`
	Position *Position         `json:"position,omitempty"`
	Context  *ReferenceContext `json:"context,omitempty"`
	NewName  string            `json:"newName,omitempty"`
	Changes  []TextChange      `json:"contentChanges,omitempty"`
}

// About returns the parameters for a file with an absolute path.
func About(file string) Params { return Params{Document: TextDocument{URI: URIOf(file)}} }

// TextDocument identifies a document. The language and the text are sent when it is opened.
type TextDocument struct {
	URI      string  `json:"uri"`
	Version  int     `json:"version,omitempty"` // 0 if there is none
	Language string  `json:"languageId,omitempty"`
	Text     *string `json:"text,omitempty"`
}

// ReferenceContext selects the results of textDocument/references.
type ReferenceContext struct {
	Declaration bool `json:"includeDeclaration"`
}

// TextChange replaces the text of a document.
type TextChange struct {
	Text string `json:"text"`
}

// FileEvent is a change of a file on disk.
type FileEvent struct {
	URI  string `json:"uri"`
	Type int    `json:"type"` // Created or Deleted
}

// Values of FileEvent.Type.
const (
	Created = 1
	Deleted = 3
)

// WorkspaceFolder is a directory in which a server works.
type WorkspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// FolderOf returns the folder with an absolute path.
func FolderOf(dir string) WorkspaceFolder {
	uri := URIOf(dir)
	return WorkspaceFolder{uri, path.Base(uri)}
}

// Position is a place in a text.
type Position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // in units of an Encoding
}

// Range is a part of a text. End is exclusive.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a Location or a LocationLink of the protocol.
type Location struct {
	URI         string `json:"uri"`
	Range       Range  `json:"range"`
	TargetURI   string `json:"targetUri"`
	TargetRange Range  `json:"targetSelectionRange"`
}

// Place returns the file and the position of l. The file is empty if it is not on disk.
func (l Location) Place() (file string, at Position) {
	if l.TargetURI != "" {
		return FileOf(l.TargetURI), l.TargetRange.Start
	}
	return FileOf(l.URI), l.Range.Start
}

// Locations decodes one location, a list, or null.
type Locations []Location

// UnmarshalJSON implements json.Unmarshaler.
func (l *Locations) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte("{")) {
		b = bytes.Join([][]byte{[]byte("["), b, []byte("]")}, nil)
	}
	return json.Unmarshal(b, (*[]Location)(l))
}

// Symbol is a DocumentSymbol or a SymbolInformation of the protocol.
type Symbol struct {
	Name     string    `json:"name"`
	Detail   string    `json:"detail"`
	Kind     int       `json:"kind"`
	Range    Range     `json:"selectionRange"` // of a DocumentSymbol
	Location *Location `json:"location"`       // of a SymbolInformation
	Children []Symbol  `json:"children"`
}

// Line returns the line of s, from 0.
func (s Symbol) Line() int {
	if s.Location != nil {
		return s.Location.Range.Start.Line
	}
	return s.Range.Start.Line
}

// kinds are the names of the values of SymbolKind, from 1.
var kinds = strings.Fields("file module namespace package class method property field constructor enum interface function variable constant " +
	"string number boolean array object key null enum-member struct event operator type-parameter")

// KindName returns the kind of s in words; "symbol" for an unknown one.
func (s Symbol) KindName() string {
	if s.Kind < 1 || s.Kind > len(kinds) {
		return "symbol"
	}
	return kinds[s.Kind-1]
}

// Hover is the result of textDocument/hover.
type Hover struct {
	Contents Markup `json:"contents"`
}

// Markup decodes MarkupContent, a MarkedString or a list of MarkedString.
type Markup string

// UnmarshalJSON implements json.Unmarshaler.
func (m *Markup) UnmarshalJSON(b []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(b, &list) != nil {
		text, err := markedString(b)
		*m = Markup(text)
		return err
	}
	var all strings.Builder
	for _, part := range list {
		text, err := markedString(part)
		if err != nil {
			return err
		}
		all.WriteString(text + "\n")
	}
	*m = Markup(all.String())
	return nil
}

// markedString decodes MarkupContent or a MarkedString.
func markedString(b []byte) (text string, err error) {
	var one struct{ Value string }
	if json.Unmarshal(b, &text) == nil {
		return text, nil
	}
	if json.Unmarshal(b, &one) != nil {
		return "", fmt.Errorf("unknown form of a text: %.40s", b)
	}
	return one.Value, nil
}

// Published are the parameters of textDocument/publishDiagnostics.
type Published struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"` // 0 if there is none
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is a finding of a server in a file.
type Diagnostic struct {
	Range    Range  `json:"range"`
	Severity int    `json:"severity"` // 1 is an error, and so is 0, which means unknown
	Message  string `json:"message"`
}

// ClientCapabilities are the abilities of this program, as JSON. serverStatusNotification is
// an extension of rust-analyzer.
const ClientCapabilities = `{
	"general": {"positionEncodings": ["utf-8", "utf-16"]},
	"window": {"workDoneProgress": true},
	"experimental": {"serverStatusNotification": true},
	"workspace": {
		"configuration": true, "workspaceFolders": true, "workspaceEdit": {"documentChanges": true},
		"didChangeWatchedFiles": {"dynamicRegistration": true}
	},
	"textDocument": {
		"publishDiagnostics": {"versionSupport": true}, "diagnostic": {}, "rename": {}, "references": {},
		"definition": {"linkSupport": true}, "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
		"hover": {"contentFormat": ["plaintext", "markdown"]}, "synchronization": {"didSave": true}
	}
}`

// Capabilities are the abilities of a server that decide what a client sends.
type Capabilities struct {
	Encoding    Encoding `json:"positionEncoding"`
	Diagnostics Offer    `json:"diagnosticProvider"`
	Rename      Offer    `json:"renameProvider"`
}

// Offer decodes whether a server has an ability: options or true mean that it has.
type Offer bool

// UnmarshalJSON implements json.Unmarshaler.
func (o *Offer) UnmarshalJSON(b []byte) error {
	*o = string(b) != "false" && string(b) != "null"
	return nil
}

// URIOf returns the URI of an absolute path.
func URIOf(file string) string {
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") { // a drive of Windows
		file = "/" + file
	}
	return (&url.URL{Scheme: "file", Path: file}).String()
}

// FileOf returns the absolute path of a URI; empty if it is not that of a file.
func FileOf(uri string) string {
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

// LanguageOf returns the identifier of the language of a file, by its extension.
func LanguageOf(file string) string {
	ext := path.Ext(filepath.ToSlash(file))
	if id, ok := languages[ext]; ok {
		return id
	}
	return strings.TrimPrefix(ext, ".")
}
