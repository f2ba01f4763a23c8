package llm_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

// reading is a decoded response in the format of the external cases.
type reading struct {
	Text, Thinking string
	Calls          []callReading
	Finish, Error  string
	Usage          usageReading
	Complete       bool
}

type callReading struct {
	ID, Name  string
	Arguments any
}

type usageReading struct{ Input, Output, Cached int }

// wireCase is one external case.
type wireCase struct {
	meta struct {
		Dialect string
		Status  int
		Stream  *bool
	}
	want reading
	body []byte
}

// caseRules are the differences of a dialect's cases.
type caseRules struct {
	few     bool                                 // there may be no cases
	prepare func(c *wireCase)                    // corrects a case
	read    func(r *reading, a *wiretest.Answer) // converts a response to the format of the cases
}

// TestWireCases decodes the recordings in the directory wire below AGENT_CASES.
func TestWireCases(t *testing.T) {
	root := os.Getenv("AGENT_CASES")
	if root == "" {
		t.Skip("AGENT_CASES is not set")
	}
	files, err := filepath.Glob(filepath.Join(root, "wire", "*", "*.meta.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases below %s: %v", root, err)
	}
	eachDialect(t, func(t *testing.T, d dialect) {
		ran := 0
		for _, file := range files {
			c := loadCase(t, strings.TrimSuffix(file, ".meta.json"))
			if c.meta.Dialect != d.name {
				continue
			}
			ran++
			if d.cases.prepare != nil {
				d.cases.prepare(c)
			}
			name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".meta.json")
			t.Run(name, func(t *testing.T) { c.check(t, d) })
		}
		if ran == 0 && !d.cases.few {
			t.Errorf("none of %d cases is of this dialect", len(files))
		}
	})
}

func (c *wireCase) check(t *testing.T, d dialect) {
	if c.meta.Status >= http.StatusBadRequest {
		if got := d.read(d.serve(t, c.meta.Status, "application/json", c.body)); got.Error != c.want.Error {
			t.Errorf("got error %q, want %q", got.Error, c.want.Error)
		}
		return
	}
	for how, r := range wiretest.Variants(c.body) {
		if diff := gocmp.Diff(d.read(d.answer(r)), c.want); diff != "" {
			t.Errorf("%s: got, want:\n%s", how, diff)
		}
	}
	marker := d.last("", c.body)
	for i := range 20 {
		if a := d.answer(bytes.NewReader(c.body[:max(marker, 0)*i/20])); marker > 0 && a.Err == nil {
			t.Errorf("cut at %d of %d it passes for complete", marker*i/20, len(c.body))
		}
	}
	if got := d.read(d.serve(t, http.StatusOK, "text/event-stream", c.body)); d.name != "openai" || c.meta.Stream != nil && *c.meta.Stream {
		if diff := gocmp.Diff(got, c.want); diff != "" {
			t.Errorf("through a server: got, want:\n%s", diff)
		}
	}
}

// loadCase reads the three files of a case.
func loadCase(t *testing.T, path string) *wireCase {
	t.Helper()
	c := &wireCase{}
	var want struct {
		Text, Thinking, Refusal string
		Calls                   []callReading
		Finish, Error           *string
		Usage                   struct{ Input, Output, Cached *int }
		Complete                bool
	}
	for suffix, to := range map[string]any{".meta.json": &c.meta, ".expect.json": &want} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, to); err != nil {
			t.Fatalf("%s%s: %v", path, suffix, err)
		}
	}
	body, err := os.ReadFile(path + ".response.sse")
	if err != nil {
		if body, err = os.ReadFile(path + ".response.json"); err != nil {
			t.Fatal(err)
		}
	}
	c.body = body
	zero := new(int)
	c.want = reading{
		Text: want.Text + want.Refusal, Thinking: want.Thinking, Calls: want.Calls, Complete: want.Complete,
		Finish: *cmp.Or(want.Finish, new(string)), Error: *cmp.Or(want.Error, new(string)),
		Usage: usageReading{*cmp.Or(want.Usage.Input, zero), *cmp.Or(want.Usage.Output, zero), *cmp.Or(want.Usage.Cached, zero)},
	}
	if len(c.want.Calls) == 0 {
		c.want.Calls = nil
	}
	return c
}

// read converts a response to the format of the cases.
func (d dialect) read(a *wiretest.Answer) reading {
	r := reading{Finish: a.Finish.Raw, Complete: a.Err == nil,
		Usage: usageReading{a.Finish.Usage.Input, a.Finish.Usage.Output, a.Finish.Usage.Cached}}
	if a.Err != nil {
		r.Error = a.Err.Message
	}
	for _, m := range a.Messages {
		switch m.Kind {
		case llm.Assistant:
			r.Text += m.Text
		case llm.Thinking:
			r.Thinking += m.Text
		case llm.ToolCall:
			r.Calls = append(r.Calls, callReading{m.ID, m.Name, parsed(cmp.Or(m.Raw, string(m.Input)))})
		}
	}
	if d.cases.read != nil {
		d.cases.read(&r, a)
	}
	return r
}

// parsed returns the decoded arguments of a call, or the text if it is not
// JSON.
func parsed(arguments string) any {
	var v any
	if json.Unmarshal([]byte(cmp.Or(arguments, "{}")), &v) != nil {
		return arguments
	}
	return v
}

// usageOfComplete drops the token counts of an incomplete response: they come
// with the Finish.
func usageOfComplete(c *wireCase) {
	if !c.want.Complete {
		c.want.Usage = usageReading{}
	}
}

// uncachedInput counts input tokens like Anthropic: without cached ones.
func uncachedInput(r *reading, a *wiretest.Answer) {
	r.Usage.Input -= a.Finish.Usage.Cached + a.Finish.Usage.CacheWrite
}

// failedFinish drops the finish reason of a failed response: errors have none.
func failedFinish(r *reading, a *wiretest.Answer) {
	r.Complete = false // not recorded in the cases of this dialect
	if a.Err != nil && a.Err.Kind != llm.ErrCut {
		r.Finish = "failed"
	}
}

// lastResponse keeps the last response of a recording, and adds the parts to
// the case that its final event leaves out: refusals, and everything if its
// output is empty. They are in the items that the stream marked as done.
func lastResponse(c *wireCase) {
	if i := bytes.LastIndex(c.body, []byte(`"response.created"`)); i > 0 {
		c.body = c.body[bytes.LastIndex(c.body[:i], []byte("\n\n"))+1:]
	}
	c.want.Complete = false
	if len(c.want.Text)+len(c.want.Thinking)+len(c.want.Calls) > 0 {
		return
	}
	for line := range bytes.Lines(c.body) {
		var e struct {
			Type string
			Item struct {
				Type, Name, Arguments string
				ID                    string `json:"call_id"`
				Content               []struct{ Text, Refusal string }
			}
		}
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok || json.Unmarshal(data, &e) != nil || e.Type != "response.output_item.done" {
			continue
		}
		for _, p := range e.Item.Content {
			c.want.Text += p.Text + p.Refusal
		}
		if e.Item.Type == "function_call" {
			c.want.Calls = append(c.want.Calls, callReading{e.Item.ID, e.Item.Name, parsed(e.Item.Arguments)})
		}
	}
}
