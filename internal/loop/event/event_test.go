package event

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm"
)

var update = flag.Bool("update", false, "write the schema")

// fill sets every field of v.
func fill(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text \"" + string(rune('a'+n%26)) + "\" é\n")
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n + 1))
	case reflect.Float64:
		v.SetFloat(float64(n) + 0.25)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		switch v.Type() {
		case reflect.TypeFor[json.RawMessage]():
			v.Set(reflect.ValueOf(json.RawMessage(`{"a":[1]}`)))
		case reflect.TypeFor[[]byte]():
			v.SetBytes([]byte{0, 1, 255})
		default:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), n)
			fill(v.Index(1), n+1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 3, 9, 0, n, 500, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), n+i)
		}
	case reflect.Interface:
		if v.NumMethod() == 0 { // any JSON value
			v.Set(reflect.ValueOf("a value"))
			return
		}
		if v.Type() == reflect.TypeFor[Event]() {
			v.Set(reflect.ValueOf(&UserSaid{Text: "said"}))
			return
		}
		if v.Type() == reflect.TypeFor[any]() { // any JSON value
			v.Set(reflect.ValueOf("value"))
			return
		}
		v.Set(reflect.ValueOf(llm.TextDelta{Index: 1, Text: "piece"}))
	}
}

// filled returns a value of a row's type with every field set.
func filled(r row) reflect.Value {
	v := reflect.New(r.typ)
	fill(v.Elem(), 3)
	return v
}

func TestEverythingInTheTableRoundTrips(t *testing.T) {
	for _, r := range durables {
		e, ok := filled(r).Interface().(Durable)
		if !ok {
			t.Fatalf("%s is no durable event", r.name)
		}
		text, err := Encode(e)
		check(t, r.name, text, err)
		got, err := Decode(text)
		same(t, r.name, got, e, err)
	}
	for _, r := range previews {
		e, ok := filled(r).Elem().Interface().(Preview)
		if !ok {
			t.Fatalf("%s is no preview", r.name)
		}
		text, err := EncodePreview(e)
		check(t, r.name, text, err)
		got, err := DecodePreview(text)
		same[Event](t, r.name, got, e, err)
	}
	for _, r := range commands {
		c, ok := filled(r).Elem().Interface().(Command)
		if !ok {
			t.Fatalf("%s is no command", r.name)
		}
		c = withValues(c)
		text, err := EncodeCommand(c)
		check(t, r.name, text, err)
		got, err := DecodeCommand(text)
		if r.internal {
			if err == nil {
				t.Errorf("%s is accepted from another program", r.name)
			}
			continue
		}
		same(t, r.name, got, c, err)
	}
}

// withValues returns c with values in the fields that accept only some.
func withValues(c Command) Command {
	switch c := c.(type) {
	case Answer:
		c.Decision, c.Mode = Always, ModePlan
		return c
	case SetMode:
		c.Mode = ModeAuto
		return c
	case EditContext:
		c.Step = CompactPin
		return c
	case SetBudget:
		c.Limits = Budget{LimitCost: 0.5}
		return c
	}
	return c
}

func check(t *testing.T, name string, text []byte, err error) {
	t.Helper()
	if err != nil || !json.Valid(text) || !bytes.HasPrefix(text, []byte(`{"type":"`+name+`"`)) || bytes.ContainsRune(text, '\n') {
		t.Fatalf("%s: got %s, %v, want one line of JSON that begins with its type", name, text, err)
	}
}

func same[T any](t *testing.T, name string, got, want T, err error) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" || err != nil {
		t.Errorf("%s: %v, got (-), want (+):\n%s", name, err, d)
	}
}

func TestDeltasRoundTrip(t *testing.T) {
	for _, d := range []llm.Delta{
		llm.TextDelta{Index: 2, Text: "a"}, llm.ThinkingDelta{Text: "b"}, llm.CallDelta{Index: 1, ID: "c", Name: "read", Args: `{"`},
		llm.BlockEnd{Index: 3}, llm.BlockEnd{Opaque: &llm.Opaque{Dialect: "d", Model: "m", Data: json.RawMessage(`{}`)}},
		llm.Finish{Reason: llm.Stop, Raw: "end", Usage: llm.Usage{Input: 1, Output: 2}, Lost: 1},
	} {
		want := Streamed{Reply: "r", Delta: d}
		text, err := EncodePreview(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodePreview(text)
		same[Event](t, "delta", got, want, err)
	}
}

func TestUnknownTypesAreSkipped(t *testing.T) {
	record := []byte(`{"type":"hologram","text":"later"}`)
	if e, err := Decode(record); e != nil || err != nil {
		t.Errorf("got %v, %v", e, err)
	}
	if e, err := DecodePreview(record); e != nil || err != nil {
		t.Errorf("got %v, %v", e, err)
	}
	if _, err := Encode(nil); err == nil {
		t.Error("nothing was encoded")
	}
}

func TestNamesAreUnique(t *testing.T) {
	for _, rows := range [][]row{durables, previews, commands} {
		seen := map[string]bool{}
		for _, r := range rows {
			if seen[r.name] {
				t.Errorf("%s is in the table twice", r.name)
			}
			seen[r.name] = true
		}
	}
}

// Every name that another program sees has a description, and no other name has one.
func TestEveryNameIsDescribed(t *testing.T) {
	for _, list := range []struct {
		rows  []row
		about map[string]string
	}{{durables, aboutDurables}, {previews, aboutPreviews}, {commands, aboutCommands}} {
		seen := 0
		for _, d := range describe(list.rows, list.about) {
			if seen++; d.What == "" {
				t.Errorf("%s has no description in describe.go", d.Name)
			}
		}
		if len(list.about) != seen {
			t.Errorf("describe.go describes %d names, but %d exist", len(list.about), seen)
		}
	}
}

func TestBadCommands(t *testing.T) {
	for line, want := range map[string]string{
		`hello`:                                  "the line is not valid JSON: invalid character 'h' looking for beginning of value",
		`{"type":"prompt","text":"a`:             "the line is not valid JSON: unexpected end of JSON input",
		`[1]`:                                    "the line is not a JSON object",
		`null`:                                   "the line is not a JSON object",
		`{"text":"a"}`:                           `"type" is missing: each line needs one, as in {"type":"prompt","text":"hello"}`,
		`{"type":3}`:                             `"type" is missing: each line needs one, as in {"type":"prompt","text":"hello"}`,
		`{"type":"promt"}`:                       `unknown type "promt": did you mean "prompt"?`,
		`{"type":"found_model"}`:                 `unknown type "found_model". To list the types: agent help protocol`,
		`{"type":"prompt"}`:                      `prompt: "text" is missing`,
		`{"type":"prompt","text":" "}`:           `prompt: "text" is empty`,
		`{"type":"prompt","text":null}`:          `prompt: "text" is empty`,
		`{"type":"prompt","text":["a"]}`:         `prompt: "text" must be a string, not array`,
		`{"type":"prompt","text":"a","txt":"b"}`: `prompt: unknown field "txt"`,
		`{"type":"prompt","text":"","images":[{"media_type":"x","data":5}]}`: `prompt: "images.data" must be a string in base64, not number`,
		`{"type":"answer","id":"a","decision":"yes"}`:                        `answer: "decision" must be allow, always, refuse or answer, not "yes"`,
		`{"type":"answer","id":"a","decision":"allow","mode":"x"}`:           `answer: "mode" must be ask, edits, plan or all, not "x"`,
		`{"type":"answer","id":"a","decision":"allow","hunks":[{"pth":1}]}`:  `answer: unknown field "pth"`,
		`{"type":"set_mode","mode":"fast"}`:                                  `set_mode: "mode" must be ask, edits, plan or all, not "fast"`,
		`{"type":"set_model","model":""}`:                                    `set_model: "model" is empty: use PROVIDER/NAME`,
		`{"type":"rewind","keep":-1}`:                                        `rewind: "keep" must be at least 0`,
		`{"type":"rewind","keep":1.5}`:                                       `rewind: "keep" must be a whole number, not number 1.5`,
		`{"type":"stop_job","id":"1"}`:                                       `stop_job: "id" must be a whole number, not string`,
		`{"type":"set_budget","limits":{"money":1}}`:                         `set_budget: "limits" must be steps, tokens, cost or time, not "money"`,
	} {
		if c, err := DecodeCommand([]byte(line)); err == nil || err.Error() != want || c != nil {
			t.Errorf("%s: got %v, %v, want %q", line, c, err, want)
		}
	}
}

// The schema of commands is kept in the repository, and accepts what DecodeCommand does.
func TestCommandSchema(t *testing.T) {
	text, err := InputSchema()
	if err != nil {
		t.Fatal(err)
	}
	schema := keptSchema(t, "../../../testdata/commands.schema.json", text)
	for _, r := range commands {
		if r.internal {
			continue
		}
		line, err := EncodeCommand(withValues(filled(r).Elem().Interface().(Command)))
		check(t, r.name, line, err)
		accepts(t, schema, line)
	}
	for _, bad := range []string{`{"type":"found_model"}`, `{"type":"prompt"}`, `{"type":"prompt","text":"a","txt":"b"}`, `{"type":"set_mode","mode":"x"}`} {
		var v any
		if err := json.Unmarshal([]byte(bad), &v); err != nil || schema.Validate(v) == nil {
			t.Errorf("the schema accepts %s: %v", bad, err)
		}
	}
}

// keptSchema compares a schema with the one in file, or writes it with -update.
func keptSchema(t *testing.T, file string, got []byte) *jsonschema.Resolved {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), string(want)); d != "" {
		t.Errorf("got (-), want (+); go test ./internal/loop/event -update writes it:\n%s", d)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(got, &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// The schema is kept in the repository, and accepts every record that an earlier
// version wrote.
func TestSchema(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	schema := keptSchema(t, "../../../testdata/events.schema.json", text)
	for _, r := range durables {
		text, err := Encode(filled(r).Interface().(Durable))
		check(t, r.name, text, err)
		accepts(t, schema, text)
	}
	logs, err := filepath.Glob("../../../testdata/sessions/*.jsonl")
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	for _, log := range logs {
		if filepath.Base(log) == "damaged.jsonl" {
			continue
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if name, err := NameIn(line); err == nil && Blank(name) != nil && json.Valid(line) {
				accepts(t, schema, line)
			}
		}
	}
}

func accepts(t *testing.T, schema *jsonschema.Resolved, text []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%.200s: %v", text, err)
	}
}

func TestMetaOf(t *testing.T) {
	e := &TurnEnd{Meta: Meta{Agent: "a"}, Duration: math.MaxInt64}
	if MetaOf(e) != &e.Meta {
		t.Error("it is another Meta")
	}
}
