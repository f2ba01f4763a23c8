package loop_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/tools"
)

// reader returns a tool whose calls tell of a reading, or where the text begins
// with "stale" refuse with one.
func reader() tools.Tool {
	return tools.New("look", "a tool for tests", func(_ context.Context, a textArgs) (tools.Call, error) {
		reads := []tools.Reading{{Path: a.Text, Sum: "1", First: 1, Last: 9, Content: []byte("content")}}
		if strings.HasPrefix(a.Text, "stale") {
			return tools.Call{}, &tools.ChangedError{Path: a.Text, Step: 1, What: "It is new.", Reads: reads}
		}
		return tools.Call{Title: "look " + a.Text, Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			switch a.Text {
			case "gone":
				return tools.Result{Reads: reads}, errors.New("no such file")
			case "seen":
				return tools.Result{Text: "ok", Images: []llm.Image{{MediaType: "image/png", Data: []byte("png")}}}, nil
			}
			return tools.Result{Text: "ok", Reads: reads}, nil
		}}, nil
	})
}

// What the model gets to know of files is on record, without their content.
func TestReadings(t *testing.T) {
	p := script.New(
		script.Reply{}.Call("c1", "look", args("a")).Call("c2", "look", args("gone")).Call("c3", "look", args("stale")).Call("c4", "look", args("seen")).Calls(),
		script.Say("done"))
	got := map[string][]tools.Reading{}
	for _, e := range play(t, options(p, reader()), []string{"go"}, nil) {
		if end, ok := e.(*loop.ToolEnd); ok {
			got[end.Result.ID] = end.Reads
		}
	}
	of := func(path string) []tools.Reading { return []tools.Reading{{Path: path, Sum: "1", First: 1, Last: 9}} }
	if d := cmp.Diff(got, map[string][]tools.Reading{"c1": of("a"), "c2": nil, "c3": of("stale"), "c4": nil}); d != "" {
		t.Error(d)
	}
	msgs := p.Requests()[1].Messages
	if last := msgs[len(msgs)-1]; len(last.Images) != 1 {
		t.Errorf("got %+v, want its image told", last)
	}
}
