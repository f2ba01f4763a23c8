package text

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// Printed returns the tool and the arguments of a reply that is one call and nothing else,
// in a form in which models with native tool calls print calls by mistake. It is strict: a
// reply with other text, several calls or arguments that are not a JSON object is text.
// Whether the call may run is for the caller to decide.
func Printed(reply string) (tool, arguments string, ok bool) {
	s := strings.TrimSpace(reply)
	if m := harmony.FindStringSubmatch(s); m != nil {
		return printed(m[1], m[2])
	}
	if m := harmonyStripped.FindStringSubmatch(s); m != nil {
		return printed(m[1], m[2])
	}
	if rest, found := strings.CutPrefix(s, openTag); found {
		s = strings.TrimSpace(strings.TrimSuffix(rest, closeTag))
	} else if strings.HasPrefix(s, functionTag) {
		s = strings.TrimSpace(strings.TrimSuffix(s, closeTag)) // some models leave out the first tag
	} else if rest, found := strings.CutPrefix(s, mistralTag); found {
		rest = strings.TrimSpace(rest)
		if list, isList := strings.CutPrefix(rest, "["); isList {
			rest = strings.TrimSuffix(list, "]")
		}
		s = strings.TrimSpace(rest)
	} else {
		s = strings.TrimSpace(strings.TrimPrefix(s, llamaTag))
	}
	if strings.HasPrefix(s, functionTag) {
		return printedFunction(s)
	}
	return printedObject(s)
}

// The marks with which models begin calls, besides openTag.
const (
	functionTag = "<function="
	mistralTag  = "[TOOL_CALLS]"
	llamaTag    = "<|python_tag|>"
)

// Calls of the harmony format, complete and as they remain if a server removes the special
// tokens: the reasoning before them is not part of the call.
var (
	harmony = regexp.MustCompile(`(?s)^(?:<\|start\|>assistant)?(?:<\|channel\|>analysis<\|message\|>[^<]*<\|end\|>(?:<\|start\|>assistant)?)?` +
		`(?:<\|channel\|>(?:commentary|analysis) )? ?to=(?:functions\.)?([\w.-]+) ?(?:<\|channel\|>(?:commentary|analysis))? ?(?:<\|constrain\|>)?(?:json|code)? ?<\|message\|>(\{.*\})(?:<\|call\|>|<\|end\|>)?$`)
	harmonyStripped = regexp.MustCompile(`(?s)^(?:assistant)?(?:commentary|analysis) ?to=functions\.([\w.-]+?) ?(?:code|json)? ?(\{.*\})$`)
)

// printed returns a call if its arguments are an object.
func printed(tool, arguments string) (string, string, bool) {
	var object map[string]json.RawMessage
	if tool == "" || json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
		return "", "", false
	}
	return tool, arguments, true
}

// printedObject returns a call written as {"name": …, "arguments": {…}}.
func printedObject(s string) (tool, arguments string, ok bool) {
	var c struct {
		ID         string          `json:"id"`
		Type       string          `json:"type"`
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
		Function   json.RawMessage `json:"function"`
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.DisallowUnknownFields()
	if !strings.HasPrefix(s, "{") || !json.Valid([]byte(s)) || d.Decode(&c) != nil || c.Type != "" && c.Type != "function" {
		return "", "", false
	}
	if c.Function != nil {
		if c.Name != "" || c.Arguments != nil || c.Parameters != nil || !bytes.HasPrefix(c.Function, []byte("{")) {
			return "", "", false
		}
		var inner struct{ Function json.RawMessage }
		if json.Unmarshal(c.Function, &inner) != nil || inner.Function != nil {
			return "", "", false
		}
		return printedObject(string(c.Function))
	}
	if c.Arguments == nil {
		c.Arguments = c.Parameters
	} else if c.Parameters != nil {
		return "", "", false
	}
	text := string(c.Arguments)
	var inside string // some models encode the arguments as a JSON string
	if json.Unmarshal(c.Arguments, &inside) == nil {
		text = inside
	}
	return printed(c.Name, text)
}

// printedFunction returns a call written as <function=NAME>…</function>, whose body is an
// object or a list of <parameter=KEY>…</parameter>.
func printedFunction(s string) (tool, arguments string, ok bool) {
	head, body, found := strings.Cut(strings.TrimPrefix(s, functionTag), ">")
	body, ended := strings.CutSuffix(body, "</function>")
	if !found || !ended {
		return "", "", false
	}
	tool, body = strings.TrimSpace(head), strings.TrimSpace(body)
	if strings.HasPrefix(body, "{") {
		return printed(tool, body)
	}
	values := map[string]string{}
	for body != "" {
		rest, isParameter := strings.CutPrefix(body, "<parameter=")
		key, rest, hasKey := strings.Cut(rest, ">")
		value, rest, hasEnd := strings.Cut(rest, "</parameter>")
		if _, twice := values[key]; !isParameter || !hasKey || !hasEnd || twice {
			return "", "", false
		}
		values[key] = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
		body = strings.TrimSpace(rest)
	}
	b, err := json.Marshal(values)
	if err != nil {
		return "", "", false
	}
	return printed(tool, string(b))
}

// MayBePrinted reports whether a reply that begins with text may be one that Printed
// recognizes.
func MayBePrinted(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	if object, isObject := strings.CutPrefix(text, "{"); isObject {
		object = strings.TrimLeft(object, " \t\r\n")
		for _, key := range []string{`"name"`, `"type"`, `"function"`, `"arguments"`, `"parameters"`, `"id"`} {
			if begins(object, key) {
				return true
			}
		}
		return false
	}
	for _, mark := range []string{openTag, functionTag, mistralTag, llamaTag, "<|start|>", "<|channel|>", "commentary to=", "analysis to=", "assistantcommentary to=", "assistantanalysis to="} {
		if begins(text, mark) {
			return true
		}
	}
	return false
}

// begins reports whether text begins with mark, or may as soon as it is longer.
func begins(text, mark string) bool {
	return strings.HasPrefix(text, mark) || strings.HasPrefix(mark, text)
}
