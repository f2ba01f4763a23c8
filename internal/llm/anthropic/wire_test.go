package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
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
	Finish         string
	Usage          usageReading
	Error          string
	Complete       bool
}

type callReading struct {
	ID, Name  string
	Arguments any
}

type usageReading struct{ Input, Output, Cached int }

// wireCase is a row of the outside cases.
type wireCase struct {
	meta struct {
		Dialect string
		Status  int
		Stream  bool
	}
	want reading
	body []byte
}

// TestWireCases reads recorded answers that nobody here wrote: the folder wire
// below AGENT_CASES.
func TestWireCases(t *testing.T) {
	root := os.Getenv("AGENT_CASES")
	if root == "" {
		t.Skip("AGENT_CASES is not set")
	}
	files, err := filepath.Glob(filepath.Join(root, "wire", "*", "*.meta.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases below %s: %v", root, err)
	}
	ran := 0
	for _, file := range files {
		c := loadCase(t, strings.TrimSuffix(file, ".meta.json"))
		if c.meta.Dialect != dialect {
			continue
		}
		ran++
		name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".meta.json")
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
	if ran == 0 {
		t.Errorf("none of %d cases is of this dialect", len(files))
	}
}

func (c *wireCase) check(t *testing.T) {
	if c.meta.Status >= 400 {
		got := read(serveOnce(t, c.meta.Status, "application/json", c.body))
		if got.Error != c.want.Error {
			t.Errorf("got error %q, want %q", got.Error, c.want.Error)
		}
		return
	}
	if !c.want.Complete {
		c.want.Usage = usageReading{} // it comes with a finish
	}
	for how, d := range variants(c.body) {
		if diff := gocmp.Diff(read(d), c.want); diff != "" {
			t.Errorf("%s: got, want:\n%s", how, diff)
		}
	}
	marker := bytes.Index(c.body, []byte(`"stop_reason":"`))
	for i := range 20 {
		if d := decode(bytes.NewReader(c.body[:max(marker, 0)*i/20])); marker > 0 && d.Err == nil {
			t.Errorf("cut at %d of %d it passes for whole", marker*i/20, len(c.body))
		}
	}
	if diff := gocmp.Diff(read(serveOnce(t, http.StatusOK, "text/event-stream", c.body)), c.want); diff != "" {
		t.Errorf("through a server: got, want:\n%s", diff)
	}
}

// loadCase reads the three files of a case.
func loadCase(t *testing.T, path string) *wireCase {
	t.Helper()
	c := &wireCase{}
	var want struct {
		Text, Thinking string
		Calls          []callReading
		Finish, Error  *string
		Usage          struct{ Input, Output, Cached *int }
		Complete       bool
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
		Text: want.Text, Thinking: want.Thinking, Calls: want.Calls, Complete: want.Complete,
		Finish: *cmp.Or(want.Finish, new(string)), Error: *cmp.Or(want.Error, new(string)),
		Usage: usageReading{*cmp.Or(want.Usage.Input, zero), *cmp.Or(want.Usage.Output, zero), *cmp.Or(want.Usage.Cached, zero)},
	}
	if len(c.want.Calls) == 0 {
		c.want.Calls = nil
	}
	return c
}

// read returns what d says in the words of the cases, which count of the input
// what was not cached.
func read(d *wiretest.Answer) reading {
	u := d.Finish.Usage
	r := reading{Finish: d.Finish.Raw, Complete: d.Err == nil, Usage: usageReading{u.Input - u.Cached - u.CacheWrite, u.Output, u.Cached}}
	if d.Err != nil {
		r.Error = d.Err.Message
	}
	for _, m := range d.Messages {
		switch m.Kind {
		case llm.Assistant:
			r.Text += m.Text
		case llm.Thinking:
			r.Thinking += m.Text
		case llm.ToolCall:
			r.Calls = append(r.Calls, callReading{m.ID, m.Name, parsed(m)})
		}
	}
	return r
}

func parsed(m llm.Message) any {
	if m.Raw != "" {
		return m.Raw
	}
	var v any
	if err := json.Unmarshal(m.Input, &v); err != nil {
		return fmt.Sprint(err)
	}
	return v
}
