//go:build unix

package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/strict"
	"agent/internal/tools"
)

// Chat templates of local models fail on a list of types, as strict mode needs it.
func TestSchemasHaveSimpleTypesAndAStrictForm(t *testing.T) {
	ws, _ := newWorkspace(t, nil)
	for _, tool := range append(tools.Files(ws, nil), tools.Commands{Workspace: ws}.Tools(tools.NewJobs())...) {
		if s := tool.Spec(); bytes.Contains(s.Schema, []byte(`"type":[`)) || bytes.Contains(s.Schema, []byte("null")) {
			t.Errorf("%s: %s", s.Name, s.Schema)
		} else if !strict.Fits(s.Strict) {
			t.Errorf("%s has no strict form: %s", s.Name, s.Strict)
		}
	}
}

func TestSchemaListsTheValuesOfAnArgument(t *testing.T) {
	type inner struct {
		State string `json:"state" enum:"on,off"`
	}
	type arguments struct {
		List []inner `json:"list"`
		Kind string  `json:"kind,omitempty" enum:"a,b" schema:"required"`
		More *inner  `json:"more,omitempty" schema:"hidden"`
	}
	calls := 0
	tool := tools.New("x", "", func(context.Context, arguments) (tools.Call, error) {
		calls++
		return tools.Call{}, nil
	})
	const want = `{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"state":{"type":"string","enum":["on","off"]}},"required":["state"],"additionalProperties":false}},` +
		`"kind":{"type":"string","enum":["a","b"]}},"required":["list","kind"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(tool.Spec().Schema)); diff != "" {
		t.Error(diff)
	}
	for args, ok := range map[string]bool{
		`{"list":[{"state":"on"}],"kind":"b"}`:         true,
		`{"list":[],"more":{"state":"off"}}`:           true,
		`{"list":[{"state":1}],"kind":"a"}`:            false,
		`{"list":[],"kind":"a","more":{"status":"?"}}`: false,
		`{"list":[],"kind":"a","other":"an argument"}`: false,
	} {
		before := calls
		if _, err := tool.Prepare(t.Context(), json.RawMessage(args)); (err == nil) != ok || calls-before != map[bool]int{true: 1}[ok] {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestEditTakesSeveralEditsThatItsSchemaDoesNotShow(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"a.txt": "one\ntwo\n"})
	if s := string(tool(t, ws, "edit").Spec().Schema); strings.Contains(s, "edits") || !strings.Contains(s, `"required":["path","old","new"]`) {
		t.Error(s)
	}
	edits := []obj{{"old": "one", "new": "1"}, {"old": "two", "new": "2"}}
	if _, err := call(t, ws, "edit", obj{"path": "a.txt", "edits": edits}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(t, dir), map[string]string{"a.txt": "1\n2\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}
