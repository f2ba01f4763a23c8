package lsp

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
)

//go:embed symbols.md
var symbolsText string

const (
	maxLocations = 100
	maxSymbols   = 300
	maxHover     = 8 << 10 // bytes
	maxLine      = 200     // bytes of a line that a result shows
	nearby       = 5       // lines in which a name is searched around the one given
)

type symbolsArgs struct {
	Op   string `json:"op" enum:"definition,references,outline,hover" jsonschema:"what to find"`
	Path string `json:"path" jsonschema:"file with the symbol, relative to the working directory"`
	Line int    `json:"line,omitempty" jsonschema:"number of a line that contains the symbol, from 1"`
	Name string `json:"name,omitempty" jsonschema:"the symbol, as it is written on that line"`
}

// Tools returns the tools symbols and rename. Files that rename changes are checked against
// what an agent knows of them.
func (p *Pool) Tools(known *Ledger) []tools.Tool {
	form := intake.Form{Aliases: map[string][]string{
		"path": {"file_path", "file", "filename"}, "name": {"symbol", "symbol_name"}, "line": {"line_number"}, "op": {"operation", "action"},
		"to": {"new_name", "newName"},
	}, Paths: []string{"path"}}
	reads := form
	reads.ReadOnly = true
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
	} else if a.Name == "" || a.Line < 1 {
		return tools.Call{}, fmt.Errorf("%s needs name and line: the symbol, and a line that contains it", a.Op)
	}
	return tools.Call{
		Title: title, Effect: tools.Read, Targets: []tools.Target{{Kind: tools.Path, Value: at.Name(), Spelled: at.Spelled}},
		Run: func(ctx context.Context, _ tools.Approved) (tools.Result, error) { return p.runSymbols(ctx, a, name) },
	}, nil
}

func (p *Pool) runSymbols(ctx context.Context, a symbolsArgs, name string) (tools.Result, error) {
	r, err := p.use(ctx, name)
	if err != nil {
		return tools.Result{}, err
	}
	document := map[string]any{"uri": uriOf(p.file(name))}
	if a.Op == "outline" {
		var all []symbol
		if _, err := r.request(ctx, "textDocument/documentSymbol", map[string]any{"textDocument": document}, &all); err != nil {
			return tools.Result{}, err
		}
		return outline(name, all), nil
	}
	at, note, err := p.position(r, name, a.Line, a.Name)
	if err != nil {
		return tools.Result{}, err
	}
	params := map[string]any{"textDocument": document, "position": at}
	if a.Op == "references" {
		params["context"] = map[string]any{"includeDeclaration": true}
	}
	var hover struct{ Contents markup }
	var places locations
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

// position returns the position of a symbol on a line, from 1, or on one near it. The note
// says which, if it is another line.
func (p *Pool) position(r *running, name string, line int, symbol string) (at position, note string, err error) {
	text, err := p.read(p.file(name))
	if err != nil {
		return at, "", err
	}
	l := splitLines(text)
	// The last part is the symbol: pkg.Name, Type.Method.
	last := symbol[strings.LastIndexAny(symbol, ".:")+1:]
	for distance := range nearby + 1 {
		for _, i := range []int{line - 1 - distance, line - 1 + distance} {
			here := l.line(i)
			column0, whole := word(here, symbol)
			if !whole {
				if column0, whole = word(here, last); !whole {
					continue
				}
			} else {
				column0 += len(symbol) - len(last)
			}
			if distance > 0 {
				note = fmt.Sprintf("[%s is on line %d, not on line %d]\n", symbol, i+1, line)
			}
			return position{Line: i, Character: column(here, column0, r.bytes())}, note, nil
		}
	}
	return at, "", advice.Add(fmt.Errorf("%s:%d does not contain %s; the line is %q", name, line, symbol, phrase.Clip(l.line(line-1), maxLine)),
		"Read the file and give a line with the symbol")
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
func (p *Pool) list(found locations) tools.Result {
	if len(found) == 0 {
		return tools.Result{Text: "The language server found nothing.\n", Summary: "nothing"}
	}
	type place struct {
		file string
		at   position
	}
	var all []place
	for _, l := range found {
		if file, at := l.place(); file != "" {
			all = append(all, place{file, at})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return strings.Compare(a.file, b.file) })
	var out strings.Builder
	texts := map[string]lines{}
	for _, f := range all[:min(len(all), maxLocations)] {
		name, inside := p.name(f.file)
		fmt.Fprintf(&out, "%s:%d", name, f.at.Line+1)
		if inside && p.shows(name) {
			if _, read := texts[name]; !read {
				text, _ := p.read(f.file) // the place is useful without its line
				texts[name] = splitLines(text)
			}
			if line := strings.TrimSpace(texts[name].line(f.at.Line)); line != "" {
				out.WriteString(": " + phrase.Clip(line, maxLine))
			}
		}
		out.WriteByte('\n')
	}
	if len(all) > maxLocations {
		out.WriteString(marker.Note("%d of %d places", maxLocations, len(all)) + "\n")
	}
	return tools.Result{Text: out.String(), Summary: phrase.Count(len(all), "place")}
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
func outline(name string, all []symbol) tools.Result {
	var out strings.Builder
	n := 0
	var add func(all []symbol, depth int)
	add = func(all []symbol, depth int) {
		for _, s := range all {
			if n++; n > maxSymbols {
				continue
			}
			at := s.Range.Start
			if s.Location != nil {
				at = s.Location.Range.Start
			}
			kind := "symbol"
			if s.Kind >= 1 && s.Kind <= len(kinds) {
				kind = kinds[s.Kind-1]
			}
			fmt.Fprintf(&out, "%d: %s%s %s", at.Line+1, strings.Repeat("  ", min(depth, 10)), kind, phrase.Clip(s.Name, maxLine))
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
