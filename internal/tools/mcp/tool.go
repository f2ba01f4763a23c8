package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
)

// maxArguments limits the arguments of a call, in bytes.
const maxArguments = 1 << 20

// tool is a tool of a server as a tool of the model.
type tool struct {
	Tool
	connections *Connections
	remote      bool
}

// Spec returns the definition in the form that all providers accept.
func (t tool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.portable}
}

// Accepts returns how calls may be written: see simplified.
func (t tool) Accepts() intake.Tool {
	form := intake.Form{Names: []string{t.Server + "__" + t.Tool.Tool, t.Server + "/" + t.Tool.Tool, t.Server + "." + t.Tool.Tool}}
	return intake.Tool{Name: t.Name, Form: form, Schema: func() *jsonschema.Schema { return parseSchema(t.Schema) }}
}

// Prepare returns the call of the tool.
func (t tool) Prepare(_ context.Context, args json.RawMessage) (tools.Call, error) {
	understood, err := t.Accepts().Read(args)
	if err != nil {
		return tools.Call{}, err
	}
	if len(understood.Arguments) > maxArguments {
		return tools.Call{}, advice.Add(fmt.Errorf("the arguments of %s have %s", t.Name, phrase.Bytes(int64(len(understood.Arguments)))),
			"Send at most %s", phrase.Bytes(maxArguments))
	}
	effect := tools.Execute
	if t.remote {
		effect = tools.Network
	}
	input := understood.Arguments
	var indented bytes.Buffer
	if err := json.Indent(&indented, input, "", "  "); err != nil {
		return tools.Call{}, err
	}
	name := t.Server + "/" + t.Tool.Tool
	return tools.Call{
		Title:   "call " + name + brief(input),
		Effect:  effect,
		Targets: []tools.Target{{Kind: tools.MCP, Value: name, Input: indented.String()}},
		Instead: insteadOfCall,
		Run: func(ctx context.Context, ok tools.Approved) (tools.Result, error) {
			return t.connections.Call(ctx, t.Server, t.Tool.Tool, input, ok)
		},
	}, nil
}

const insteadOfCall = "Continue without it, or describe the call in your answer. The user leaves the mode to allow it"

// maxBrief is how many bytes of the arguments a title shows.
const maxBrief = 120

// brief returns the arguments for the title of a call; empty if there are none.
func brief(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, args) != nil || b.String() == "{}" {
		return ""
	}
	return " " + phrase.Clip(b.String(), maxBrief)
}

// parseSchema returns the part of a schema that says how to repair the arguments of a call.
// It leaves out everything that the intake does not understand, such as alternatives and
// limits: the server itself checks the arguments.
func parseSchema(raw json.RawMessage) *jsonschema.Schema {
	var s map[string]any
	_ = json.Unmarshal(raw, &s) // nil has no properties
	out := simplified(s, 0)
	out.Type = "object"
	return out
}

// maxDepth limits how deep the intake looks into arguments.
const maxDepth = 8

func simplified(s map[string]any, depth int) *jsonschema.Schema {
	out := &jsonschema.Schema{}
	for _, key := range []string{"$ref", "oneOf", "anyOf", "allOf", "not", "const"} {
		if s[key] != nil && depth > 0 {
			return out
		}
	}
	if out.Type = kindOf(s["type"]); out.Type == "" && depth > 0 || depth > maxDepth {
		return &jsonschema.Schema{}
	}
	if depth > 0 && out.Type == "string" {
		out.Enum = stringsOf(s["enum"])
	}
	if items, ok := s["items"].(map[string]any); ok {
		out.Items = simplified(items, depth+1)
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		if out.Properties == nil {
			out.Properties = map[string]*jsonschema.Schema{}
		}
		object, _ := p.(map[string]any) // true and false are schemas, too
		out.Properties[name] = simplified(object, depth+1)
	}
	for _, name := range stringsOf(s["required"]) {
		out.Required = append(out.Required, name.(string))
	}
	if s["additionalProperties"] == false {
		out.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	return out
}

// kindOf returns the only type that is not null; empty if there are several or none.
func kindOf(t any) (kind string) {
	if name, ok := t.(string); ok {
		return name
	}
	list, _ := t.([]any)
	for _, e := range list {
		name, _ := e.(string)
		switch {
		case name == "null":
		case kind != "":
			return ""
		default:
			kind = name
		}
	}
	return kind
}

// stringsOf returns the elements of a list; nil if one of them is not a string.
func stringsOf(list any) []any {
	all, _ := list.([]any)
	for _, e := range all {
		if _, ok := e.(string); !ok {
			return nil
		}
	}
	return all
}

// words returns the text in which a search for a tool looks.
func (t Tool) words() string {
	names := ""
	for name := range parseSchema(t.Schema).Properties {
		names += " " + name
	}
	return t.Server + " " + t.Tool + " " + t.Description + names
}
