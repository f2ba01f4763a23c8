package text

import (
	"encoding/json"
	"regexp"
	"strings"
)

// The marks that begin calls, besides openTag.
const (
	functionTag = "<function="
	invokeTag   = `<invoke name="`
	mistralTag  = "[TOOL_CALLS]"
)

// groups are the marks around all calls of a reply.
var groups = []struct{ open, end string }{
	{"<|python_tag|>", ""},
	{"<|tool_call|>", "<|/tool_call|>"},
	{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"},
	{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"},
	{"<minimax:tool_call>", "</minimax:tool_call>"},
	{"<function_calls>", "</function_calls>"},
	{"<tools>", "</tools>"},
}

// marks are those of a call that is written as a name and an object.
type marks struct{ open, between, end string }

var marked = []marks{
	{mistralTag, "[ARGS]", ""},
	{mistralTag, "", ""},
	{"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"},
	{"<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "```json", "```<｜tool▁call▁end｜>"},
	{"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"},
}

// markedName matches the name of a marked call.
var markedName = regexp.MustCompile(`^(?:functions\.)?([\w.-]+)(?::\d+)?`)

// parameterMarks are those of a call that is written as a list of parameters.
type parameterMarks struct{ key, keyEnd, value, valueEnd, end string }

var (
	functionMarks = parameterMarks{"<parameter=", ">", "", "</parameter>", "</function>"}
	invokeMarks   = parameterMarks{`<parameter name="`, `">`, "", "</parameter>", "</invoke>"}
	argumentMarks = parameterMarks{"<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", closeTag}
)

// parser reads calls between marks. Its methods return nil or false for other text.
type parser struct{ rest string }

// skip skips a mark and the space around it. It reports whether the mark was there.
func (p *parser) skip(mark string) bool {
	rest, found := strings.CutPrefix(strings.TrimSpace(p.rest), mark)
	if found {
		p.rest = strings.TrimSpace(rest)
	}
	return found
}

// until returns the text before a mark, and skips both.
func (p *parser) until(mark string) (text string, found bool) {
	text, rest, found := strings.Cut(p.rest, mark)
	if found {
		p.rest = rest
	}
	return text, found
}

// isJSON reports whether an object or a list may follow.
func (p *parser) isJSON() bool {
	return strings.HasPrefix(p.rest, "{") || strings.HasPrefix(p.rest, "[")
}

// value reads a JSON value.
func (p *parser) value() string {
	d := json.NewDecoder(strings.NewReader(p.rest))
	var v json.RawMessage
	if d.Decode(&v) != nil {
		return ""
	}
	p.rest = strings.TrimSpace(p.rest[d.InputOffset():])
	return string(v)
}

// calls reads one call, or the calls between two tags.
func (p *parser) calls() []Call {
	switch {
	case p.skip(openTag):
		return p.tagged()
	case p.skip(functionTag):
		calls := p.function()
		p.skip(closeTag) // some models leave out the first tag
		return calls
	case p.skip(invokeTag):
		name, _ := p.until(`">`)
		return p.parameters(name, invokeMarks)
	}
	return p.marked()
}

// tagged reads what follows openTag, with closeTag.
func (p *parser) tagged() (calls []Call) {
	switch {
	case p.isJSON():
		calls = printedJSON(p.value())
	case p.skip(functionTag):
		calls = p.function()
	default:
		name := p.rest[:max(0, strings.IndexByte(p.rest, '<'))]
		p.rest = p.rest[len(name):]
		return p.parameters(name, argumentMarks)
	}
	if !p.skip(closeTag) && p.rest != "" { // the last one may be missing
		return nil
	}
	return calls
}

// function reads what follows functionTag: an object or a list of parameters.
func (p *parser) function() []Call {
	name, _ := p.until(">")
	p.skip("")
	if !strings.HasPrefix(p.rest, "{") {
		return p.parameters(name, functionMarks)
	}
	arguments := p.value()
	if !p.skip("</function>") {
		return nil
	}
	return printed(strings.TrimSpace(name), arguments)
}

// parameters reads the parameters of a call and its end.
func (p *parser) parameters(name string, m parameterMarks) []Call {
	values := map[string]string{}
	for !p.skip(m.end) {
		if !p.skip(m.key) {
			return nil
		}
		key, hasKey := p.until(m.keyEnd)
		if m.value != "" {
			p.rest = strings.TrimLeft(p.rest, " \t\r\n")
		}
		rest, hasValue := strings.CutPrefix(p.rest, m.value)
		p.rest = rest
		value, hasEnd := p.until(m.valueEnd)
		if _, twice := values[key]; !hasKey || !hasValue || !hasEnd || twice {
			return nil
		}
		values[key] = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
	}
	arguments, err := json.Marshal(values)
	if err != nil {
		return nil
	}
	return printed(strings.TrimSpace(name), string(arguments))
}

// marked reads a call that is written as a name and an object, or as an object after
// mistralTag.
func (p *parser) marked() []Call {
	for _, m := range marked {
		q := *p
		if !q.skip(m.open) {
			continue
		}
		if m.open == mistralTag && q.isJSON() {
			calls := printedJSON(q.value())
			*p = q
			return calls
		}
		name := markedName.FindStringSubmatch(q.rest)
		if name == nil {
			continue
		}
		q.rest = q.rest[len(name[0]):]
		if !q.skip(m.between) || !strings.HasPrefix(q.rest, "{") {
			continue
		}
		arguments := q.value()
		if arguments == "" || !q.skip(m.end) && q.rest != "" {
			continue
		}
		*p = q
		return printed(name[1], arguments)
	}
	return nil
}
