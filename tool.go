package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"agent/internal/tools"
)

// Tool is a function that the model may call: see Func.
type Tool struct {
	name string
	tool tools.Tool
}

// ToolCall is a call that the model made.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage // a JSON object
}

// ToolResult is what the model gets for a call.
type ToolResult struct {
	Text     string
	IsError  bool
	Duration time.Duration // of the function; 0 if it did not run
}

// Func returns a tool that calls f. The JSON schema of its arguments is derived from the
// struct In: json tags name them, omitempty makes them optional, jsonschema tags describe
// them, and enum tags list values ("a,b"). Arguments that do not match are answered with an
// error before f is called. The model gets the text or the error of f. When ctx ends, f
// should return soon. Func panics if In has no schema.
func Func[In any](name, description string, f func(ctx context.Context, in In) (string, error)) Tool {
	t := tools.New(name, description, func(_ context.Context, in In) (tools.Call, error) {
		return tools.Call{Title: name, Effect: tools.Read, Alone: true, Run: func(ctx context.Context, _ tools.Approved) (tools.Result, error) {
			text, err := f(ctx, in)
			return tools.Result{Text: text}, err
		}}, nil
	})
	t.Spec() // panics if there is no schema
	return Tool{name: name, tool: t}
}

// toolName matches the names that all providers accept.
var toolName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// toolsOf returns the tools of the loop, and their names, which are never nil.
func toolsOf(own []Tool) (all []tools.Tool, names []string, err error) {
	names = []string{}
	for _, t := range own {
		switch {
		case !toolName.MatchString(t.name):
			return nil, nil, fmt.Errorf("the tool name %q is not valid: use up to 64 letters, digits, _ and -", t.name)
		case slices.Contains(names, t.name):
			return nil, nil, fmt.Errorf("two tools are called %s", t.name)
		}
		all, names = append(all, t.tool), append(names, t.name)
	}
	return all, names, nil
}
