package responses

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

// reading is what an answer says, in the words of the outside cases.
type reading struct {
	Text, Thinking string
	Calls          []callReading
	Finish, Error  string
	Usage          usageReading
}

type callReading struct {
	ID, Name  string
	Arguments any
}

type usageReading struct{ Input, Output, Cached int }

// wireCase is a row of the outside cases.
type wireCase struct {
	meta struct{ Dialect string }
	want reading
	body []byte
}

// TestWireCases reads recorded answers that nobody here wrote: those of this
// dialect in the folder wire below AGENT_CASES, which may be none.
func TestWireCases(t *testing.T) {
	root := os.Getenv("AGENT_CASES")
	if root == "" {
		t.Skip("AGENT_CASES is not set")
	}
	files, err := filepath.Glob(filepath.Join(root, "wire", "*", "*.meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		path := strings.TrimSuffix(file, ".meta.json")
		c := &wireCase{}
		load(t, file, &c.meta)
		if c.meta.Dialect != dialect {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(path), func(t *testing.T) {
			c.load(t, path)
			c.check(t)
		})
	}
}

func (c *wireCase) check(t *testing.T) {
	for how, d := range variants(c.body) {
		if diff := gocmp.Diff(c.read(d), c.want); diff != "" {
			t.Errorf("%s: got, want:\n%s", how, diff)
		}
	}
	if diff := gocmp.Diff(c.read(serveOnce(t, c.body)), c.want); diff != "" {
		t.Errorf("through the provider: got, want:\n%s", diff)
	}
	marker := finalEvent(c.body)
	for i := range 20 {
		if d := decode(bytes.NewReader(c.body[:marker*i/20])); d.Err == nil {
			t.Errorf("cut at %d of %d it passes for whole", marker*i/20, len(c.body))
		}
	}
}

// load reads what the answer is and what it means. Of a recording that holds
// several answers one after another, the last is what is meant.
func (c *wireCase) load(t *testing.T, path string) {
	t.Helper()
	var want struct {
		Text, Thinking, Refusal string
		Calls                   []callReading
		Finish, Error           *string
		Usage                   struct{ Input, Output, Cached *int }
	}
	load(t, path+".expect.json", &want)
	body, err := os.ReadFile(path + ".response.sse")
	if err != nil {
		t.Fatal(err)
	}
	if i := bytes.LastIndex(body, []byte(`"response.created"`)); i > 0 {
		body = body[bytes.LastIndex(body[:i], []byte("\n\n"))+1:]
	}
	c.body = body
	zero := new(int)
	c.want = reading{
		Text: want.Text + want.Refusal, Thinking: want.Thinking, Calls: want.Calls,
		Finish: *cmp.Or(want.Finish, new(string)), Error: *cmp.Or(want.Error, new(string)),
		Usage: usageReading{*cmp.Or(want.Usage.Input, zero), *cmp.Or(want.Usage.Output, zero), *cmp.Or(want.Usage.Cached, zero)},
	}
	c.complete()
	if len(c.want.Calls) == 0 {
		c.want.Calls = nil
	}
}

// complete adds to what is wanted what the final event, from which the cases
// were read, leaves out: refusals always, and everything where its output is
// empty. It stands in the items that the stream said were done.
func (c *wireCase) complete() {
	whole := len(c.want.Text)+len(c.want.Thinking)+len(c.want.Calls) > 0
	for line := range bytes.Lines(c.body) {
		var e struct {
			Type string
			Item struct {
				Type, Name, Arguments, CallID string
				ID                            string `json:"call_id"`
				Content                       []struct{ Text, Refusal string }
			}
		}
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok || json.Unmarshal(data, &e) != nil || e.Type != "response.output_item.done" || whole {
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

// read returns what d says in the words of the cases.
func (c *wireCase) read(d *wiretest.Answer) reading {
	r := reading{Finish: d.Finish.Raw, Usage: usageReading{d.Finish.Usage.Input, d.Finish.Usage.Output, d.Finish.Usage.Cached}}
	if d.Err != nil {
		r.Error = d.Err.Message
		if d.Err.Kind != llm.ErrCut {
			r.Finish = "failed" // an error has no word for how it ended
		}
	}
	for _, m := range d.Messages {
		switch m.Kind {
		case llm.Assistant:
			r.Text += m.Text
		case llm.Thinking:
			r.Thinking += m.Text
		case llm.ToolCall:
			r.Calls = append(r.Calls, callReading{m.ID, m.Name, parsed(cmp.Or(m.Raw, string(m.Input)))})
		}
	}
	return r
}

func parsed(arguments string) any {
	var v any
	if json.Unmarshal([]byte(cmp.Or(arguments, "{}")), &v) != nil {
		return arguments
	}
	return v
}

func load(t *testing.T, file string, to any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, to); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// finalEvent returns where the event begins that ends body, its length if there
// is none.
func finalEvent(body []byte) int {
	for _, typ := range []string{"completed", "incomplete", "failed"} {
		if i := bytes.Index(body, []byte(`"response.`+typ+`"`)); i >= 0 {
			return bytes.LastIndex(body[:i], []byte("\ndata:"))
		}
	}
	return len(body)
}
