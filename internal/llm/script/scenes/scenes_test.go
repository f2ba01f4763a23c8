package scenes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/llm/script/scenes"
)

func copySample(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := scenes.CopySample(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSampleBuilds(t *testing.T) {
	dir := copySample(t)
	for _, args := range [][]string{{"vet", "./..."}, {"build", "-o", os.DevNull, "."}, {"run", ".", "-list"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %v: %v\n%s", args, err, out)
		}
	}
	if err := scenes.CopySample(dir); err == nil {
		t.Error("the sample was copied over files that were there")
	}
}

// TestScenes plays the replies of each scene, and checks that the calls fit the
// sample project unless they are meant to fail.
func TestScenes(t *testing.T) {
	dir := copySample(t)
	tools := []string{"read", "search", "list", "edit"}
	var wrongTools, missing []string
	for _, s := range scenes.Scenes() {
		if s.Title == "" || s.Explain == "" || s.Prompt == "" {
			t.Errorf("scene %q is not told whole", s.Title)
		}
		for i, calls := range play(t, s) {
			last := i == len(s.Replies)-1
			if (len(calls) == 0) != last {
				t.Errorf("%s: reply %d of %d has %d calls", s.Title, i+1, len(s.Replies), len(calls))
			}
			for _, c := range calls {
				if !slices.Contains(tools, c.Name) {
					wrongTools = append(wrongTools, c.Name)
					continue
				}
				var args struct{ Path, Old string }
				if err := json.Unmarshal(c.Input, &args); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(filepath.Join(dir, args.Path))
				if os.IsNotExist(err) {
					missing = append(missing, args.Path)
				}
				if c.Name == "edit" && bytes.Count(text, []byte(args.Old)) != 1 {
					t.Errorf("%s: %q does not stand in %s exactly once", s.Title, args.Old, args.Path)
				}
			}
		}
		if s.MaxSteps > 0 && len(s.Replies) <= s.MaxSteps {
			t.Errorf("%s: %d replies do not reach the guard at %d", s.Title, len(s.Replies), s.MaxSteps)
		}
	}
	if diff := cmp.Diff(wrongTools, []string{"inspect_file"}); diff != "" {
		t.Errorf("unknown tools (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(missing, []string{"tea/table.go"}); diff != "" {
		t.Errorf("missing files (-got +want):\n%s", diff)
	}
}

// play returns the calls of each reply of s.
func play(t *testing.T, s scenes.Scene) [][]llm.Message {
	t.Helper()
	p := script.New(s.Replies...)
	var out [][]llm.Message
	for range s.Replies {
		reply := llm.NewReply("r")
		for d, err := range p.Stream(context.Background(), llm.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			reply.Add(d)
		}
		var calls []llm.Message
		for _, m := range reply.Messages() {
			if m.Raw != "" || m.Cut {
				t.Errorf("%s: not whole: %+v", s.Title, m)
			}
			if m.Kind == llm.ToolCall {
				calls = append(calls, m)
			}
		}
		out = append(out, calls)
	}
	return out
}

// TestPromptBetweenReplies sends a message after a result, as a user does who interrupted the
// scene: another provider answers it, and notes of the program are no such message.
func TestPromptBetweenReplies(t *testing.T) {
	scene := scenes.Scenes()[0]
	msgs := []llm.Message{
		{Kind: llm.User, Text: scene.Prompt}, {Kind: llm.User, Text: "the situation", Note: true},
		{Kind: llm.ToolCall, Reply: "a", ID: "1", Name: "read"}, {Kind: llm.ToolResult, Reply: "a", ID: "1"},
		{Kind: llm.User, Text: "a note", Note: true},
	}
	other := script.New(script.Say("other"))
	p := scenes.NewPlayer(other)
	for _, more := range [][]llm.Message{nil, {{Kind: llm.User, Text: "hello"}}} {
		reply := llm.NewReply("b")
		for d, err := range p.Stream(t.Context(), llm.Request{Messages: append(msgs, more...)}) {
			if err != nil {
				t.Fatal(err)
			}
			reply.Add(d)
		}
		got := reply.Messages()
		if byOther := len(got) == 1 && got[0].Text == "other"; byOther != (more != nil) {
			t.Errorf("after %d more messages: %+v", len(more), got)
		}
	}
}
