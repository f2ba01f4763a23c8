//go:build unix

package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// orderSchema is a schema whose limits only a complete validator knows.
func orderSchema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "required": []any{"number"}, "properties": map[string]any{
		"number": map[string]any{"type": "integer", "minimum": 1}, "note": map[string]any{"type": "string"}, "state": map[string]any{"type": "string", "enum": []any{"new", "paid"}},
	}}
}

// customCall prepares a call of a tool with the schema of orders.
func customCall(t *testing.T, dir string, c tools.Custom, args string) (tools.Call, error) {
	t.Helper()
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	c.Name, c.Schema = "lookup", orderSchema()
	tool, err := tools.Commands{Workspace: ws}.Custom(c)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Prepare(t.Context(), json.RawMessage(args))
}

// The command gets the arguments as JSON, and its output is the result.
func TestCustomTool(t *testing.T) {
	dir := t.TempDir()
	call, err := customCall(t, dir, tools.Custom{Command: "cat; echo log >&2; touch ran", Effect: tools.Execute}, `{"number": "7", "note": "a\n# b"}`)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []any{call.Title, call.Effect, call.Targets[0].Value}, []any{
		`lookup {"number":7,"note":"a\n# b"}`, tools.Execute, "cat; echo log >&2; touch ran\n# standard input: {\"number\":7,\"note\":\"a\\n# b\"}",
	})
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran before it was approved")
	}
	got, err := call.Run(t.Context(), tools.Approved{})
	if err != nil || got.IsError || got.Text != "{\"number\":7,\"note\":\"a\\n# b\"}\n" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err != nil {
		t.Error(err)
	}
}

func TestCustomToolFails(t *testing.T) {
	for _, c := range []struct {
		command, args, want string
		limit               time.Duration
	}{
		{"echo part; echo 'no such order' >&2; exit 3", `{"number": 7}`, "part\nno such order\n[exit 3]\n", 0},
		{"exec sleep 100", `{"number": 7}`, "[stopped after 0.1 s, its time limit]\n", 100 * time.Millisecond},
		{"true", `{"number": 7}`, "[no output]\n", 0},
		{"true", `{"number": 0}`, "do not match its schema: validating /properties/number: minimum: 0 is less than 1", 0},
		{"true", `{}`, "number", 0},
		{"true", `{"number": 7, "state": "sent"}`, `"state" must be new or paid (you sent "sent")`, 0},
		{"true", `{"number": 7, "nots": "a"}`, `does not take "nots". Did you mean "note"?`, 0},
		{"true", `{"number": 7, "note": "` + strings.Repeat("x", 1<<20) + `"}`, "Send at most", 0},
		{"head -c 300000 /dev/zero | tr '\\0' 'x'", `{"number": 7}`, "xxx", 0},
	} {
		call, err := customCall(t, t.TempDir(), tools.Custom{Command: c.command, Effect: tools.Execute, Limit: c.limit}, c.args)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if err == nil {
			got, err := call.Run(t.Context(), tools.Approved{})
			if err != nil {
				t.Fatal(err)
			}
			text = got.Text
		}
		if !strings.Contains(text, c.want) || len(text) > 20_000 {
			t.Errorf("%s %.80s: %.300q, want %q", c.command, c.args, text, c.want)
		}
	}
}

// A type that JSON schemas do not have is an error. Values that are not schemas are not checked.
func TestCustomToolWithAnUnknownType(t *testing.T) {
	list := func(kind any) map[string]any {
		return map[string]any{"type": "object", "properties": map[string]any{
			"type": map[string]any{"type": "string", "enum": []any{"integr"}, "default": "integr"},
			"all":  map[string]any{"type": "array", "items": map[string]any{"anyOf": []any{map[string]any{"type": kind}}}},
		}}
	}
	for kind, want := range map[any]string{
		"integer": "<nil>",
		"integr":  `unknown type "integr". Types: object, array, string, number, integer, boolean, null`,
	} {
		_, err := tools.Commands{}.Custom(tools.Custom{Name: "x", Schema: list(kind)})
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%v: %s, want %s", kind, got, want)
		}
	}
	if _, err := (tools.Commands{}).Custom(tools.Custom{Name: "x", Schema: list([]any{"null", "text"})}); err == nil {
		t.Error("an unknown type in a list is accepted")
	}
}

// An interrupt ends the command with its children.
func TestInterruptEndsACustomTool(t *testing.T) {
	call, err := customCall(t, t.TempDir(), tools.Custom{Command: "echo begun; sleep 100", Effect: tools.Execute}, `{"number": 7}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	got, err := call.Run(ctx, tools.Approved{Progress: func(string) { stop() }})
	if !errors.Is(err, context.Canceled) || got.Text != "begun\n" {
		t.Errorf("%q, %v", got.Text, err)
	}
}

func TestCustomToolWithABadSchema(t *testing.T) {
	_, err := tools.Commands{}.Custom(tools.Custom{Name: "x", Schema: map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": 7}}}})
	if err == nil {
		t.Error("the schema was accepted")
	}
}

// The schema of a custom tool may have the forms of older versions of JSON Schema. Arguments
// must match it, and models get the form that all providers accept.
func TestCustomToolWithAnOldSchema(t *testing.T) {
	ws, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	add := func(schema string) (tools.Tool, error) {
		c := tools.Custom{Name: "old", Command: "cat", Effect: tools.Read}
		if err := json.Unmarshal([]byte(schema), &c.Schema); err != nil {
			t.Fatal(err)
		}
		return tools.Commands{Workspace: ws}.Custom(c)
	}
	tool, err := add(`{"properties": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": true}, "l": {"type": "array"}}, "required": null}`)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(tool.Spec().Schema), `{"properties":{"l":{"items":{},"type":"array"},"n":{"exclusiveMinimum":0,"type":"number"}},"type":"object"}`)
	if _, err := tool.Prepare(t.Context(), json.RawMessage(`{"n": 0}`)); err == nil || !strings.Contains(err.Error(), "do not match its schema") {
		t.Errorf("n = 0: %v", err)
	}
	if _, err := tool.Prepare(t.Context(), json.RawMessage(`{"n": 1, "l": ["a"]}`)); err != nil {
		t.Error(err)
	}
	for schema, want := range map[string]string{
		`{"properties": {"l": {"enum": []}}}`:                       "JSON Schema does not permit this value of properties.l.enum",
		`{"type": "object", "properties": {"l": {"minimum": "1"}}}`: "cannot unmarshal string",
		`{"type": "array"}`:                                         `its type is not "object"`,
		`{"properties": {"l": {"type": "int"}}}`:                    `unknown type "int"`,
	} {
		if _, err := add(schema); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", schema, err, want)
		}
	}
}
