package text

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Call is a call that a reply prints.
type Call struct {
	Tool      string
	Arguments string // a JSON object
}

// Printed returns the calls of a reply that is calls and nothing else, in a form in which
// models with native tool calls print calls by mistake. It is strict: it returns nil for a
// reply with other text, or with arguments that are not a JSON object. Whether the calls may
// run is for the caller to decide.
func Printed(reply string) []Call {
	s := unfenced(strings.TrimSpace(reply))
	for _, form := range []*regexp.Regexp{harmony, harmonyStripped} {
		if m := form.FindStringSubmatch(s); m != nil {
			return printed(m[1], m[2])
		}
	}
	for _, g := range groups {
		if rest, found := strings.CutPrefix(s, g.open); found {
			s = strings.TrimSpace(strings.TrimSuffix(rest, g.end))
			break
		}
	}
	p := &parser{s}
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") && !strings.HasPrefix(s, mistralTag) {
		return printedJSON(s)
	}
	var all []Call
	for p.rest != "" {
		calls := p.calls()
		if calls == nil {
			return nil
		}
		all = append(all, calls...)
	}
	return all
}

// unfenced returns the content of s if s is one code fence of a language in which calls are
// printed, otherwise s.
func unfenced(s string) string {
	run := fence(s)
	head, body, found := strings.Cut(s, "\n")
	if run == "" || !found || !slices.Contains(fenced, strings.TrimSpace(head[len(run):])) {
		return s
	}
	body, ended := strings.CutSuffix(body, run)
	if !ended {
		return s
	}
	return strings.TrimSpace(body)
}

// fenced are the languages of code fences that may hold calls.
var fenced = []string{"", "json", "xml", "tool_call"}

// Calls of the harmony format, complete and as they remain if a server removes the special
// tokens: the reasoning before them is not part of the call.
var (
	harmony = regexp.MustCompile(`(?s)^(?:<\|start\|>assistant)?(?:<\|channel\|>analysis<\|message\|>[^<]*<\|end\|>(?:<\|start\|>assistant)?)?` +
		`(?:<\|channel\|>(?:commentary|analysis) )? ?to=(?:functions\.)?([\w.-]+) ?(?:<\|channel\|>(?:commentary|analysis))? ?(?:<\|constrain\|>)?(?:json|code)? ?<\|message\|>(\{.*\})(?:<\|call\|>|<\|end\|>)?$`)
	harmonyStripped = regexp.MustCompile(`(?s)^(?:assistant)?(?:commentary|analysis) ?to=functions\.([\w.-]+?) ?(?:code|json)? ?(\{.*\})$`)
)

// printed returns a call if its arguments are an object.
func printed(tool, arguments string) []Call {
	var object map[string]json.RawMessage
	if tool == "" || json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
		return nil
	}
	return []Call{{tool, arguments}}
}

// printedJSON returns the calls that are written as an object, as a list of objects, or as
// {"tool_calls": […]}.
func printedJSON(s string) (all []Call) {
	var list []json.RawMessage
	var field struct {
		Calls []json.RawMessage `json:"tool_calls"`
	}
	switch {
	case strings.HasPrefix(s, "["):
		if json.Unmarshal([]byte(s), &list) != nil {
			return nil
		}
	case strictJSON(s, &field) && field.Calls != nil:
		list = field.Calls
	default:
		return printedObject(s)
	}
	for _, e := range list {
		calls := printedObject(string(e))
		if calls == nil {
			return nil
		}
		all = append(all, calls...)
	}
	return all
}

// strictJSON decodes s, which must have only known fields, into v. It reports whether it could.
func strictJSON(s string, v any) bool {
	d := json.NewDecoder(strings.NewReader(s))
	d.DisallowUnknownFields()
	return json.Valid([]byte(s)) && d.Decode(v) == nil
}

// printedObject returns a call written as {"name": …, "arguments": {…}}.
func printedObject(s string) []Call {
	var c struct {
		ID         string          `json:"id"`
		Type       string          `json:"type"`
		Name       string          `json:"name"`
		Tool       string          `json:"tool"`
		ToolName   string          `json:"tool_name"`
		Function   json.RawMessage `json:"function"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
		Args       json.RawMessage `json:"args"`
		Input      json.RawMessage `json:"input"`
	}
	if !strings.HasPrefix(s, "{") || !strictJSON(s, &c) || !slices.Contains([]string{"", "function", "tool_use"}, c.Type) {
		return nil
	}
	var named string
	inner := bytes.HasPrefix(c.Function, []byte("{"))
	if c.Function != nil && !inner && json.Unmarshal(c.Function, &named) != nil {
		return nil
	}
	names := slices.DeleteFunc([]string{c.Name, c.Tool, c.ToolName, named}, func(s string) bool { return s == "" })
	arguments := slices.DeleteFunc([]json.RawMessage{c.Arguments, c.Parameters, c.Args, c.Input}, func(m json.RawMessage) bool { return m == nil })
	if inner {
		var nested struct{ Function json.RawMessage }
		if len(names) > 0 || len(arguments) > 0 || json.Unmarshal(c.Function, &nested) != nil || bytes.HasPrefix(nested.Function, []byte("{")) {
			return nil
		}
		return printedObject(string(c.Function))
	}
	if len(names) != 1 || len(arguments) != 1 {
		return nil
	}
	text := string(arguments[0])
	var inside string // some models encode the arguments as a JSON string
	if json.Unmarshal(arguments[0], &inside) == nil {
		text = inside
	}
	return printed(names[0], text)
}

// MayBePrinted reports whether a reply that begins with text may be one in which Printed
// finds calls.
func MayBePrinted(text string) bool {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if run := fence(text); run != "" {
		head, body, found := strings.Cut(text[len(run):], "\n")
		if !found {
			return slices.ContainsFunc(fenced, func(language string) bool { return strings.HasPrefix(language, strings.TrimSpace(head)) })
		}
		return slices.Contains(fenced, strings.TrimSpace(head)) && mayBegin(strings.TrimLeftFunc(body, unicode.IsSpace))
	}
	return strings.HasPrefix("```", text) || strings.HasPrefix("~~~", text) || mayBegin(text)
}

// mayBegin reports whether text, which begins with no space, may begin with a call.
func mayBegin(text string) bool {
	if list, isList := strings.CutPrefix(text, "["); isList {
		list = strings.TrimLeft(list, " \t\r\n")
		if list == "" {
			return true
		}
		if list[0] == '{' {
			text = list
		}
	}
	if object, isObject := strings.CutPrefix(text, "{"); isObject {
		object = strings.TrimLeft(object, " \t\r\n")
		return slices.ContainsFunc([]string{
			`"name"`, `"type"`, `"function"`, `"arguments"`, `"parameters"`, `"id"`, `"tool"`, `"tool_name"`, `"tool_calls"`, `"args"`, `"input"`,
		}, func(key string) bool { return begins(object, key) })
	}
	for _, g := range groups {
		if begins(text, g.open) {
			return true
		}
	}
	return slices.ContainsFunc([]string{
		openTag, functionTag, invokeTag, mistralTag, "<|tool_call_begin|>", "<｜tool▁call▁begin｜>",
		"<|start|>", "<|channel|>", "commentary to=", "analysis to=", "assistantcommentary to=", "assistantanalysis to=",
	}, func(mark string) bool { return begins(text, mark) })
}

// begins reports whether text begins with mark, or may as soon as it is longer.
func begins(text, mark string) bool {
	return strings.HasPrefix(text, mark) || strings.HasPrefix(mark, text)
}
