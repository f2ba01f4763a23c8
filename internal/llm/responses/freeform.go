package responses

import (
	"encoding/json"
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// freeform returns the arguments that are written as plain text, by tool.
func freeform(tools []llm.ToolSpec) map[string]string {
	var arguments map[string]string
	for _, t := range tools {
		if t.Freeform == nil {
			continue
		}
		if arguments == nil {
			arguments = map[string]string{}
		}
		arguments[t.Name] = t.Freeform.Argument
	}
	return arguments
}

// withoutFreeform returns tools with JSON arguments only.
func withoutFreeform(tools []llm.ToolSpec) []llm.ToolSpec {
	tools = slices.Clone(tools)
	for i := range tools {
		tools[i].Freeform = nil
	}
	return tools
}

// plainText returns the argument of a call as plain text.
func plainText(m llm.Message, argument string) string {
	if m.Raw != "" {
		return m.Raw
	}
	var arguments map[string]json.RawMessage
	var text string
	if json.Unmarshal(m.Input, &arguments) == nil && len(arguments) == 1 && json.Unmarshal(arguments[argument], &text) == nil {
		return text
	}
	return string(wire.Arguments(m))
}

// quoted returns a piece of a text as it is inside a JSON string.
func quoted(text string) string {
	b, err := wire.Marshal(text)
	if err != nil || len(b) < 2 {
		return ""
	}
	return string(b[1 : len(b)-1])
}
