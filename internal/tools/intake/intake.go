// Package intake understands tool calls as models write them: with the names of
// other assistants, in damaged JSON, with values of a similar type. It repairs only
// calls with one possible meaning; everything else is an error for the model, because
// a wrong guess is worse. Each tool declares in a Form the names and values that it
// accepts besides those of its schema. The package runs nothing and reads no file. Start reading at Tools.Read.
package intake

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
)

// FileAliases returns the usual aliases of an argument that names a file.
func FileAliases() []string {
	return []string{"file_path", "absolute_path", "relative_path", "file", "filename", "target_file"}
}

// Form lists the names and values that a tool accepts besides those of its schema. Names of tools and arguments are
// compared without case, "_" and "-".
type Form struct {
	// Names are other names of the tool.
	Names []string
	// Covers reports whether a call of an unknown tool with that name is a call of this tool,
	// with the arguments "tool" and "arguments"; nil if none is.
	Covers func(name string) bool
	// Unoffered are arguments that the tool accepts but does not describe to the model.
	Unoffered []string
	// Aliases are other names of each argument.
	Aliases map[string][]string
	// Values are other spellings of the values of an argument: spelling to value.
	Values map[string]map[string]string
	// Paths are the arguments that hold a path.
	Paths []string
	// Exists reports whether a path exists, so that the directory @types is not taken
	// for the mention of a file; nil if paths cannot be checked.
	Exists func(path string) bool
	// Ranges are the limits of numbers. More than the maximum becomes the maximum.
	Ranges map[string]Range
	// Harmless are unknown arguments that have no effect here, as "name" or
	// "name=value". They are dropped.
	Harmless []string
	// ReadOnly is set for tools that only read: all unknown arguments are dropped.
	ReadOnly bool
	// Bare recognizes text that stands for the only required argument without being
	// JSON; may be nil.
	Bare func(text string) bool
	// Elements are the forms of the objects in a list.
	Elements map[string]Form
	// Rewrite changes forms that no alias covers; may be nil. It is called once the
	// aliases are replaced, before the arguments are compared with the schema.
	Rewrite func(*Args) error
}

// Range is the smallest and largest value of a number.
type Range struct{ Min, Max int }

// Tool describes a tool and the calls that it accepts.
type Tool struct {
	Name string
	// Offered is the name by which the model knows the tool, for errors; empty if it
	// is Name, or if the model is not offered the tool.
	Offered string
	Schema  func() *jsonschema.Schema // of the arguments, an object
	Form    Form
}

// Call is a call as understood.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // an object
	Ignored   []string        `json:"ignored"`   // dropped arguments, as the model named them
	// Notes say how arguments were understood that have several meanings. The model gets
	// them with the result.
	Notes []string `json:"notes,omitempty"`
}

// Tools are the tools that can be called.
type Tools []Tool

// harmless are unknown arguments that no tool needs, in the form of Form.Harmless.
var harmless = []string{
	"description", "explanation", "instruction", "reason", "wait_for_previous", "format", "security_risk",
	"run_in_background=false", "is_background=false", "expected_replacements=1",
}

// Read returns the call of the tool name with the arguments raw, which may be
// damaged JSON. On an error, the call holds as much as was understood; its Tool or
// Arguments are empty if that is nothing. To read the returned call again changes
// nothing: it is stored, and read again before it runs.
func (all Tools) Read(name, raw string) (Call, error) {
	t, ok := all.Find(name)
	if !ok {
		i := slices.IndexFunc(all, func(t Tool) bool { return t.Form.Covers != nil && t.Form.Covers(cleanName(name)) })
		if i < 0 {
			return Call{}, all.unknown(name)
		}
		t, raw = all[i], string(encode(map[string]string{"tool": cleanName(name), "arguments": cmp.Or(strings.TrimSpace(raw), "{}")}))
	}
	c, err := t.read(name, raw, all)
	if err != nil {
		return c, err
	}
	t, _ = all.Find(c.Tool)
	again, err := t.read(c.Tool, string(c.Arguments), all)
	if err == nil && (again.Tool != c.Tool || !bytes.Equal(again.Arguments, c.Arguments)) {
		err = advice.Add(fmt.Errorf("the arguments of %s hold JSON inside text", c.Tool), "Send plain values")
	}
	return c, err
}

// Read returns the arguments raw of a call of t, like Tools.Read.
func (t Tool) Read(raw json.RawMessage) (Call, error) { return t.read(t.Name, string(raw), nil) }

func (t Tool) read(name, raw string, all Tools) (Call, error) {
	c := Call{Tool: t.Name, Ignored: []string{}}
	object, err := t.parse(raw)
	if err != nil {
		return c, err
	}
	c.Arguments = object
	a, err := newArgs(object)
	if err != nil {
		return c, fmt.Errorf("%s: %w", t.label(), err)
	}
	a.unwrap(t)
	a.name, a.tools, a.tool = fold(name), all, t
	for to := ""; a.tool.Name != to; { // a second time if Rewrite chose another tool
		to = a.tool.Name
		if err := a.adapt(); err != nil {
			return c, err
		}
	}
	c.Tool = a.tool.Name
	d := dropper{a.ignored}
	fitted, err := a.tool.fit(&d, a)
	if err != nil {
		return c, err
	}
	c.Arguments, c.Ignored, c.Notes = fitted, append(c.Ignored, d.names...), a.notes
	return c, nil
}

// label returns the name of t in errors.
func (t Tool) label() string { return cmp.Or(t.Offered, t.Name) }

// adapt replaces the aliases, then rewrites.
func (a *Args) adapt() error {
	if err := a.rename(a.tool.label(), a.tool.Schema(), a.tool.Form); err != nil || a.tool.Form.Rewrite == nil {
		return err
	}
	return a.tool.Form.Rewrite(a)
}

// Find returns the tool that name means, also if it is the name in another program.
func (all Tools) Find(name string) (Tool, bool) {
	name = cleanName(name)
	for _, match := range []func(Tool) bool{
		func(t Tool) bool { return t.Name == name },
		func(t Tool) bool { return fold(t.Name) == fold(name) },
		func(t Tool) bool { return slices.ContainsFunc(t.Form.Names, same(name)) },
	} {
		if i := slices.IndexFunc(all, match); i >= 0 {
			return all[i], true
		}
	}
	return Tool{}, false
}

// cleanName removes what some models add to the name of a tool: a namespace before
// it, a control token after it.
func cleanName(name string) string {
	name, _, _ = strings.Cut(name, "<|")
	for _, prefix := range []string{"functions.", "functions:", "tools.", "default_api.", "default_api:"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// maxNamed limits how many names an error lists.
const maxNamed = 16

// unknown returns the error for a name that means no tool.
func (all Tools) unknown(name string) error {
	var names, offered, ofServers []string
	for _, t := range all {
		names = append(names, t.Name)
		if t.Offered != "" {
			offered = append(offered, t.Offered)
		}
		if strings.Contains(t.Name, serverMark) {
			ofServers = append(ofServers, t.Name)
		}
	}
	if len(offered) > 0 {
		names = offered
	}
	err := errors.New("there is no tool " + quoted(name))
	if near := cmp.Or(nearest(name, names), nearest(name, ofServers)); near != "" {
		return advice.Add(err, "Did you mean %q?", near)
	}
	list := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return advice.Add(err, "The tools are: %s", list)
}

// serverMark precedes the own name of a tool in the name of a tool of an MCP server.
const serverMark = "__"

// nearest returns the one of names that a wrong name probably means; empty if there is none.
func nearest(name string, names []string) string {
	near := phrase.Nearest(name, names)
	if phrase.Distance(name, near) > max(1, len(name)/4) {
		near = ""
	}
	own := name
	if i := strings.LastIndex(name, serverMark); i >= 0 {
		own = name[i+len(serverMark):]
	}
	for _, n := range names {
		if strings.HasSuffix(n, serverMark+own) { // of another server, or without the prefix of one
			near = n
		}
	}
	return near
}

// fold returns the form in which names are compared.
func fold(name string) string {
	head := ""
	if strings.HasPrefix(name, "-") { // the option -i is not the argument i
		head, name = "-", name[1:]
	}
	return head + strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, name))
}

func same(name string) func(string) bool {
	name = fold(name)
	return func(other string) bool { return fold(other) == name }
}
