package secrets_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/mask"
	"agent/internal/loop/event"
	"agent/internal/loop/secrets"
)

const secret = "a secret value of a test, 1"

func masker() *secrets.Masker {
	m := mask.New(nil)
	m.Add("TEST_KEY", secret)
	return secrets.New(m, nil)
}

// names are the fields whose strings are names or hashes, as a list apart from the one
// in the program.
var names = []string{"id", "reply", "agent", "call", "session", "hash", "basis", "sum", "seal", "model"}

// fill sets every string in v to text, except names, and makes every slice and pointer
// hold one element.
func fill(v reflect.Value, name, text string) {
	switch v.Kind() {
	case reflect.String:
		for _, n := range names {
			if strings.EqualFold(n, name) {
				return
			}
		}
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(text)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, text)
	case reflect.Slice:
		switch v.Type() {
		case reflect.TypeFor[json.RawMessage]():
			v.SetBytes([]byte(`{"text":"` + text + `"}`))
		case reflect.TypeFor[[]byte]():
		default:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), name, text)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() || v.Type() == reflect.TypeFor[llm.Opaque]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), v.Type().Field(i).Name, text)
			}
		}
	}
}

// No stored event keeps a secret in any of its fields, and masking does not change the
// event that was given.
func TestEventsHoldNoSecrets(t *testing.T) {
	stored := []string{"user", "partial", "message", "decision", "tool_start", "tool_end", "step_end", "turn_end", "model", "mode", "prefix",
		"todo", "rename", "rewind", "compact", "shell_start", "shell_end", "shell_told", "delegate_start", "delegate_end", "plan"}
	for _, name := range stored {
		e := event.Blank(name)
		if e == nil {
			t.Fatalf("there is no event %s", name)
		}
		fill(reflect.ValueOf(e).Elem(), "", "x "+secret+" y")
		before, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		masked, ok := masker().Event(e).(event.Durable)
		if !ok {
			t.Fatalf("%s is no stored event any more", name)
		}
		record, err := event.Encode(masked)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(record, []byte(secret)) {
			t.Errorf("%s: %s", name, record)
		}
		if _, err := event.Decode(record); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := event.Encode(e); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the event itself was changed: %s, %v", name, after, err)
		}
	}
}

// A request in a trace has no secrets. What only the user sees keeps them.
func TestPreviews(t *testing.T) {
	m := masker()
	done := m.Event(event.RequestDone{Error: secret, New: []llm.Message{{Kind: llm.User, Text: secret}}, Reply: []llm.Message{{Kind: llm.Assistant, Text: secret}}})
	if text, err := json.Marshal(done); err != nil || bytes.Contains(text, []byte(secret)) {
		t.Errorf("%s, %v", text, err)
	}
	if p := m.Event(event.Progress{ID: "1", Text: secret}).(event.Progress); p.Text != secret {
		t.Errorf("progress: %q", p.Text)
	}
}

// Reasoning is sent back as it was signed, and stored without the secret and the
// signature.
func TestSignedReasoning(t *testing.T) {
	m := masker()
	signed := llm.Message{Kind: llm.Thinking, Text: secret, Opaque: &llm.Opaque{Dialect: "d", Model: "m", Data: json.RawMessage(`{"signature":"s"}`)}}
	if got := m.Message(signed); got.Text != secret || got.Opaque == nil {
		t.Errorf("sent: %+v", got)
	}
	stored := m.Event(&event.MessageDone{Message: signed}).(*event.MessageDone)
	if stored.Message.Opaque != nil || strings.Contains(stored.Message.Text, secret) {
		t.Errorf("stored: %+v", stored.Message)
	}
	signed.Text = "no secret"
	if stored := m.Event(&event.MessageDone{Message: signed}).(*event.MessageDone); stored.Message.Opaque == nil {
		t.Error("reasoning without a secret has lost its signature")
	}
}

// A standing permission whose command has a secret is not stored.
func TestGrantOfASecret(t *testing.T) {
	m := masker()
	for command, kept := range map[string]bool{"make": true, "curl -H " + secret: false} {
		d := m.Event(&event.Decided{Note: secret, Grant: &event.Grant{Value: command, Seal: "00"}}).(*event.Decided)
		if (d.Grant != nil) != kept || strings.Contains(d.Note, secret) {
			t.Errorf("%s: %+v, note %q", command, d.Grant, d.Note)
		}
	}
}
