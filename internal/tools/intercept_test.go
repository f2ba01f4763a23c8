package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
)

// spy implements all three interfaces and records the order of its calls.
type spy struct {
	name string
	log  *[]string
	err  error // of Check
}

func (s spy) Arguments(_ context.Context, in tools.Info, args json.RawMessage) (json.RawMessage, error) {
	*s.log = append(*s.log, s.name+" arguments of "+in.ID)
	return json.RawMessage(strings.Replace(string(args), "!", "!"+s.name, 1)), nil
}

func (s spy) Check(_ context.Context, _ tools.Info, c *tools.Call) error {
	*s.log = append(*s.log, s.name+" checks")
	c.Warnings = append(c.Warnings, s.name)
	return s.err
}

func (s spy) Run(ctx context.Context, _ tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	*s.log = append(*s.log, s.name+" before")
	r, err := next(ctx, c, ok)
	*s.log = append(*s.log, s.name+" after "+r.Text)
	r.Text += s.name
	return r, err
}

func TestInterceptorsNestInTheirOrder(t *testing.T) {
	type args struct {
		Text string `json:"text"`
	}
	echo := tools.New("echo", "a tool", func(_ context.Context, a args) (tools.Call, error) {
		return tools.Call{Title: a.Text, Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			return tools.Result{Text: "ran"}, nil
		}}, nil
	})
	var log []string
	is := tools.Intercept(spy{"a", &log, nil}, spy{"b", &log, nil})
	in := tools.Info{ID: "c1", Tool: "echo", Args: json.RawMessage(`{"text":"!"}`)}
	c, err := is.Prepare(t.Context(), in, echo)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []any{c.Title, c.Warnings}, []any{"!ba", []string{"a", "b"}})
	r, err := is.Run(t.Context(), in, c, tools.Approved{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, r.Text, "ranba")
	equal(t, log, []string{"a arguments of c1", "b arguments of c1", "a checks", "b checks", "a before", "b before", "b after ran", "a after ranb"})

	log = nil
	is = tools.Intercept(spy{"a", &log, errors.New("not this one")}, spy{"b", &log, nil})
	if _, err := is.Prepare(t.Context(), in, echo); err == nil || err.Error() != "not this one" {
		t.Errorf("got %v", err)
	}
	equal(t, log, []string{"a arguments of c1", "b arguments of c1", "a checks"})
}

func TestInterceptPanicsForNothing(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it did not panic")
		}
	}()
	tools.Intercept("a string")
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
