package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"agent/internal/llm"
)

const taggedRules = `To call a tool, write this, with the first tag at the beginning of a line:
<tool_call>
{"name": "NAME", "arguments": {"KEY": "VALUE"}}
</tool_call>

- The arguments are one JSON object that matches the tool's schema. Escape quotes and line breaks inside its strings.
- You may write several calls one after another. Then stop. Each result comes in the next message, in the order of the calls, between <tool_response> and </tool_response>. Never write a <tool_response> yourself.
- A call inside a code fence is not run.
- When you need no more tools, answer without a call.`

const reactRules = `To call a tool, write these three lines, each word at the beginning of its line:
Thought: why you call it
Action: NAME
Action Input: {"KEY": "VALUE"}

- The input is one JSON object that matches the tool's schema. Escape quotes and line breaks inside its strings.
- Write one call, then stop. Its result comes in the next message and begins with "Observation:". Never write an observation yourself.
- A call inside a code fence is not run.
- When you need no more tools, answer without an Action.`

// prompt describes the tools of req and the format of calls for the model. The
// parts that may change between requests come last.
func prompt(req llm.Request, form Form) string {
	var b strings.Builder
	b.WriteString("# Tools\n\nYou can use these tools, one per line, with the JSON schema of their arguments:\n<tools>\n")
	for _, t := range req.Tools {
		var schema bytes.Buffer // on one line
		if json.Compact(&schema, t.Schema) != nil {
			schema.Reset()
			schema.WriteString(`{"type":"object","properties":{}}`)
		}
		fmt.Fprintf(&b, `{"name": %s, "description": %s, "parameters": %s}`+"\n", quote(t.Name), quote(t.Description), schema.Bytes())
	}
	b.WriteString("</tools>\n\n")
	if form == ReAct {
		b.WriteString(reactRules)
	} else {
		b.WriteString(taggedRules)
	}
	if len(req.Schema) > 0 {
		fmt.Fprintf(&b, "\n\nYour final answer, the one without a call, must be a single JSON value that matches this schema, and nothing else:\n%s", req.Schema)
	}
	switch req.ToolChoice.Mode {
	case llm.ChoiceRequired:
		b.WriteString("\n\nYour next reply must call a tool.")
	case llm.ChoiceTool:
		b.WriteString("\n\nYour next reply must call the tool " + req.ToolChoice.Name + ".")
	}
	return b.String()
}
