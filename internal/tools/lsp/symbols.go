package lsp

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
	"agent/internal/tools/lsp/protocol"
)

//go:embed symbols.md
var symbolsText string

const (
	maxLocations = 100
	maxSymbols   = 300
	maxHover     = 8 << 10 // bytes
	maxLine      = 200     // bytes of a line that a result shows
	maxOffered   = 20      // lines that an error names
	nearby       = 5       // lines in which a name is searched around the one given
)

type symbolsArgs struct {
	Op   string `json:"op" enum:"definition,references,outline,hover" jsonschema:"what to find"`
	Path string `json:"path" jsonschema:"file with the symbol, relative to the working directory"`
	Line int    `json:"line,omitempty" jsonschema:"number of a line that contains the symbol, from 1 (default: the first line of the file that contains it)"`
	Name string `json:"name,omitempty" jsonschema:"the symbol, as it is written in the file: not a column"`
}

// Tools returns the tools symbols and rename. Files that rename changes are checked against
// what an agent knows of them.
func (p *Pool) Tools(known *Ledger) []tools.Tool {
	form := intake.Form{Aliases: map[string][]string{
		"path": {"file_path", "file", "filename", "uri"}, "name": {"symbol", "symbol_name", "identifier", "old_name"}, "line": {"line_number"}, "op": {"operation", "action", "command"},
		"to": {"new_name", "newName"},
	}, Paths: []string{"path"}}
	reads := form
	reads.Names, reads.ReadOnly = []string{"lsp", "language_server"}, true
	reads.Values = map[string]map[string]string{"op": {
		"find_definition": "definition", "go_to_definition": "definition", "goto_definition": "definition",
		"find_references": "references", "find_usages": "references", "usages": "references",
		"document_symbol": "outline", "document_symbols": "outline", "symbols": "outline", "type": "hover", "documentation": "hover",
	}}
	form.Names = []string{"rename_symbol"}
	return []tools.Tool{
		tools.New("symbols", symbolsText, p.prepareSymbols, reads),
		tools.New("rename", renameText, func(ctx context.Context, a renameArgs) (tools.Call, error) { return p.prepareRename(ctx, known, a) }, form),
	}
}

func (p *Pool) prepareSymbols(_ context.Context, a symbolsArgs) (tools.Call, error) {
	at, err := p.o.Workspace.Find(a.Path)
	if err != nil {
		return tools.Call{}, err
	}
	name, err := p.o.Workspace.Resolve(a.Path)
	if err != nil {
		return tools.Call{}, err
	}
	if _, err := p.find(name); err != nil {
		return tools.Call{}, err
	}
	title := map[string]string{"definition": "find the definition of ", "references": "find references to ", "hover": "look up "}[a.Op] + a.Name + " in " + name
	if a.Op == "outline" {
		title = "outline " + name
	} else if a.Name == "" {
		return tools.Call{}, fmt.Errorf("%s needs name: the symbol as it is written in the file; a column is not used", a.Op)
	}
	return tools.Call{
		Title: title, Effect: tools.Read, Targets: []tools.Target{{Kind: tools.Path, Value: at.Name(), Spelled: at.Spelled}},
		Run: func(ctx context.Context, _ tools.Approved) (tools.Result, error) {
			r, err := p.runSymbols(ctx, a, name)
			if at.Note != "" && err == nil {
				r.Text = strings.TrimSuffix(r.Text, "\n") + "\n[" + at.Note + "]\n"
			}
			return r, err
		},
	}, nil
}

func (p *Pool) runSymbols(ctx context.Context, a symbolsArgs, name string) (tools.Result, error) {
	r, err := p.use(ctx, name)
	if err != nil {
		return tools.Result{}, err
	}
	params := protocol.About(p.file(name))
	if a.Op == "outline" {
		var all []protocol.Symbol
		if _, err := r.request(ctx, "textDocument/documentSymbol", params, &all); err != nil {
			return tools.Result{}, err
		}
		return outline(name, all), nil
	}
	at, note, err := p.position(r, name, a.Line, a.Name)
	if err != nil {
		return tools.Result{}, err
	}
	params.Position = &at
	if a.Op == "references" {
		params.Context = &protocol.ReferenceContext{Declaration: true}
	}
	var hover protocol.Hover
	var places protocol.Locations
	found := any(&places)
	if a.Op == "hover" {
		found = &hover
	}
	partial, err := r.request(ctx, "textDocument/"+a.Op, params, found)
	if err != nil {
		return tools.Result{}, err
	}
	result := p.list(places)
	if text := strings.TrimSpace(string(hover.Contents)); text != "" {
		result = tools.Result{Text: phrase.Clip(text, maxHover) + "\n", Summary: "ok"}
	} else if a.Op == "hover" {
		result.Text = "The language server knows nothing about " + a.Name + " there.\n"
	}
	if result.Text = note + result.Text; partial {
		result.Text += "[" + r.server.Name + " is still loading the project: the answer may be incomplete]\n"
	}
	return result, nil
}

// position returns the position of a symbol on a line, from 1, or on one near it. Without a
// line, or if only one line has the symbol, it takes the first one that does not look like a
// comment. The note says which, if it is not the line that was given.
func (p *Pool) position(r *running, name string, line int, symbol string) (at protocol.Position, note string, err error) {
	text, err := p.read(p.file(name))
	if err != nil {
		return at, "", err
	}
	l := protocol.LinesOf(text)
	found := func(i int, note string) (protocol.Position, string, error) {
		offset, _ := offsetOf(l.Line(i), symbol)
		return protocol.Position{Line: i, Character: r.Abilities.Encoding.Column(l.Line(i), offset)}, note, nil
	}
	for distance := 0; line > 0 && distance <= nearby; distance++ {
		for _, i := range []int{line - 1 - distance, line - 1 + distance} {
			if _, ok := offsetOf(l.Line(i), symbol); !ok {
				continue
			}
			if distance > 0 {
				note = fmt.Sprintf("[%s is on line %d, not on line %d]\n", symbol, i+1, line)
			}
			return found(i, note)
		}
	}
	var all []string
	first := -1
	for i := range l {
		if _, ok := offsetOf(l.Line(i), symbol); ok {
			if all = append(all, strconv.Itoa(i+1)); first < 0 || isComment(l.Line(first)) {
				first = i
			}
		}
	}
	lines := strings.Join(all[:min(len(all), maxOffered)], ", ")
	switch {
	case len(all) == 0:
		return at, "", advice.Add(fmt.Errorf("%s does not contain %s; line %d is %q", name, symbol, max(line, 1), phrase.Clip(l.Line(max(line, 1)-1), maxLine)),
			"Search for the symbol, and give a file and a line that contain it")
	case line < 1 && len(all) > 1:
		return found(first, fmt.Sprintf("[%s on line %d; it is on the lines %s]\n", symbol, first+1, lines))
	case line < 1 || len(all) == 1:
		return found(first, fmt.Sprintf("[%s is on line %d]\n", symbol, first+1))
	}
	return at, "", advice.Add(fmt.Errorf("%s:%d does not contain %s", name, line, symbol), "It is on the lines %s: give one of them", lines)
}

// offsetOf returns the offset of a symbol in line: of its last part, if it is written as
// pkg.Name or Type.Method.
func offsetOf(line, symbol string) (int, bool) {
	last := symbol[strings.LastIndexAny(symbol, ".:")+1:]
	if offset, ok := word(line, symbol); ok {
		return offset + len(symbol) - len(last), true
	}
	return word(line, last)
}

// isComment reports whether a line begins like a comment in a usual language.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return slices.ContainsFunc([]string{"//", "/*", "*", "#", "--", `"""`}, func(mark string) bool { return strings.HasPrefix(line, mark) })
}

// word returns the offset of name in line as a whole word.
func word(line, name string) (int, bool) {
	if name == "" {
		return 0, false
	}
	for from := 0; ; {
		i := strings.Index(line[from:], name)
		if i < 0 {
			return 0, false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		after, _ := utf8.DecodeRuneInString(line[i+len(name):])
		if !isWord(before) && !isWord(after) {
			return i, true
		}
		from = i + len(name)
	}
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// list shows locations, with their lines if they are in the workspace.
func (p *Pool) list(found protocol.Locations) tools.Result {
	if len(found) == 0 {
		return tools.Result{Text: "The language server found nothing.\n", Summary: "nothing"}
	}
	var all []fileLine
	for _, l := range found {
		if file, at := l.Place(); file != "" {
			all = append(all, fileLine{file, at.Line})
		}
	}
	slices.SortStableFunc(all, func(a, b fileLine) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	all = slices.Compact(all)
	var out strings.Builder
	for rest := all[:min(len(all), maxLocations)]; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].file == rest[0].file {
			n++
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		p.show(&out, rest[:n], len(all) > 1)
		rest = rest[n:]
	}
	if len(all) > maxLocations {
		out.WriteString(marker.Note("%d of %d lines", maxLocations, len(all)) + "\n")
	}
	return tools.Result{Text: out.String(), Summary: phrase.Count(len(all), "line")}
}

// fileLine is a line of a file with an absolute path, from 0.
type fileLine struct {
	file string
	line int
}

// show writes lines of one file: grouped like those of the tool search, or as path:line.
func (p *Pool) show(out *strings.Builder, all []fileLine, grouped bool) {
	name, inside := p.name(all[0].file)
	var text protocol.Lines
	if inside && p.shows(name) {
		content, _ := p.read(all[0].file) // the place is useful without its line
		text = protocol.LinesOf(content)
	}
	if out.WriteString(name); grouped {
		out.WriteByte('\n')
	} else {
		out.WriteByte(':')
	}
	for _, l := range all {
		fmt.Fprint(out, l.line+1)
		if line := strings.TrimSpace(text.Line(l.line)); line != "" {
			out.WriteString(": " + phrase.Clip(line, maxLine))
		}
		out.WriteByte('\n')
	}
}

// shows reports whether the lines of a file may be shown without approval.
func (p *Pool) shows(name string) bool {
	at, err := p.o.Workspace.Find(name)
	if err != nil {
		return false
	}
	dir, done, err := at.Enter()
	if err != nil {
		return false
	}
	defer done()
	return dir.Withheld == nil || !dir.Withheld(at.Name())
}

// outline lists the symbols of a file.
func outline(name string, all []protocol.Symbol) tools.Result {
	var out strings.Builder
	n := 0
	var add func(all []protocol.Symbol, depth int)
	add = func(all []protocol.Symbol, depth int) {
		for _, s := range all {
			if n++; n > maxSymbols {
				continue
			}
			fmt.Fprintf(&out, "%d: %s%s %s", s.Line()+1, strings.Repeat("  ", min(depth, 10)), s.KindName(), phrase.Clip(s.Name, maxLine))
			if detail := firstLine(s.Detail); detail != "" {
				out.WriteString(" " + phrase.Clip(detail, maxLine))
			}
			out.WriteByte('\n')
			add(s.Children, depth+1)
		}
	}
	add(all, 0)
	if n == 0 {
		return tools.Result{Text: name + " has no symbols.\n", Summary: "nothing"}
	}
	if n > maxSymbols {
		out.WriteString(marker.Note("%d of %d symbols", maxSymbols, n) + "\n")
	}
	return tools.Result{Text: out.String(), Summary: phrase.Count(n, "symbol")}
}

var errNoRename = errors.New("the language server cannot rename symbols; use search and edit")
