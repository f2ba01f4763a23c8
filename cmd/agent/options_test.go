package main

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/keys"
	"agent/cmd/agent/tool"
)

// takes checks the options that a command parses from args, except its streams.
func takes[O any](t *testing.T, newCmd func(command.RunFunc[O]) *cobra.Command, want O, args ...string) {
	t.Helper()
	var got O
	cmd := newCmd(func(_ context.Context, opts *O) error {
		got = *opts
		return nil
	})
	cmd.SetArgs(args)
	if err := cmd.ExecuteContext(context.Background()); err != nil {
		t.Errorf("%q: %v", args, err)
	}
	if d := cmp.Diff(got, want, cmpopts.IgnoreTypes(command.IO{}, &flags{}), cmpopts.IgnoreUnexported(want)); d != "" {
		t.Errorf("%q: %s", args, d)
	}
}

func TestOptionsOfCommands(t *testing.T) {
	t.Parallel()
	f, o := &command.Factory{}, &flags{}
	run := func(r command.RunFunc[runOptions]) *cobra.Command { return newCmdRun(f, o, nil, r) }
	takes(t, run, runOptions{Input: "text", Prompt: []string{"hello", "there"}, Output: "text"}, "hello", "there")
	takes(t, run, runOptions{Input: "text", Prompt: []string{}, Output: "json", Schema: "s.json", Images: []string{"a.png", "b.png"}},
		"-o", "json", "--schema", "s.json", "--image", "a.png", "--image", "b.png")
	single := func(r command.RunFunc[tool.Options]) *cobra.Command { return tool.NewCmd(f, tool.Source{}, nil, r) }
	takes(t, single, tool.Options{Args: []string{}, Output: "text"})
	takes(t, single, tool.Options{Args: []string{"read", "-"}, Yes: true, Output: "json"}, "-y", "--output", "json", "read", "-")
	models := func(r command.RunFunc[modelsOptions]) *cobra.Command { return newCmdModels(f, o, r) }
	takes(t, models, modelsOptions{})
	takes(t, models, modelsOptions{Provider: "groq", JSON: true}, "groq", "--json")
	demo := func(r command.RunFunc[demoOptions]) *cobra.Command { return newCmdDemo(f, o, nil, r) }
	takes(t, demo, demoOptions{Plain: true}, "--plain")
	bindings := func(r command.RunFunc[keys.Options]) *cobra.Command { return keys.NewCmd(f, r) }
	takes(t, bindings, keys.Options{})
}

// TestExitCode derives the exit code from the type of an error.
func TestExitCode(t *testing.T) {
	t.Parallel()
	said := errors.New("said")
	for _, c := range []struct {
		err     error
		code    int
		message error
	}{
		{nil, exit.Done, nil},
		{said, exit.Failed, said},
		{command.Usage("wrong: %w", said), exit.Usage, errors.New("wrong: said")},
		{errors.Join(command.Usage("wrong")), exit.Usage, errors.New("wrong")},
		{&exit.Error{Code: exit.Interrupted}, exit.Interrupted, nil},
		{&exit.Error{Code: exit.Hangup, Err: said}, exit.Hangup, said},
	} {
		code, message := exit.CodeOf(c.err)
		if code != c.code || errorText(message) != errorText(c.message) {
			t.Errorf("%v: got %d, %v, want %d, %v", c.err, code, message, c.code, c.message)
		}
	}
}
