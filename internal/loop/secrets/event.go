package secrets

import (
	"encoding/json"
	"reflect"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Event returns e without its secrets if e is stored. Durable events are stored in the
// log, a RequestDone in a trace. Other events are unchanged: only the user sees them.
func (m *Masker) Event(e event.Event) event.Event {
	if _, ok := e.(event.RequestDone); !ok {
		if _, ok = e.(event.Durable); !ok {
			return e
		}
	}
	if _, ok := e.(*event.UserSaid); ok { // emitted before the conversation gets the prompt
		m.update()
	}
	v, changed := m.value(reflect.ValueOf(e))
	if !changed {
		return e
	}
	out := v.Interface().(event.Event)
	switch out := out.(type) {
	case *event.MessageDone:
		m.dropSignature(&out.Message, e.(*event.MessageDone).Message)
	case *event.Decided:
		before := e.(*event.Decided)
		if g := before.Grant; g != nil {
			if _, changed := m.value(reflect.ValueOf(*g)); changed {
				out.Grant = nil // its seal covers the secret, so the stored permission would be invalid
			}
		}
		out.More = slices.DeleteFunc(slices.Clone(before.More), func(g event.Grant) bool {
			_, changed := m.value(reflect.ValueOf(g))
			return changed
		})
	}
	return out
}

// dropSignature removes the signature of reasoning whose text was changed.
func (m *Masker) dropSignature(out *llm.Message, before llm.Message) {
	if out.Kind == llm.Thinking && out.Text != before.Text {
		out.Opaque = nil
	}
}

// Draft returns d without its secrets.
func (m *Masker) Draft(d event.Draft) event.Draft {
	v, _ := m.value(reflect.ValueOf(d))
	return v.Interface().(event.Draft)
}

// kept are the string fields that are not masked: names and IDs that the program or a
// provider chose, and hashes.
var kept = map[string]bool{
	"ID": true, "Reply": true, "Agent": true, "Call": true, "Session": true, "Hash": true, "Basis": true, "Sum": true, "Seal": true, "Model": true,
}

var (
	rawJSON = reflect.TypeFor[json.RawMessage]()
	opaque  = reflect.TypeFor[*llm.Opaque]()
	text    = reflect.TypeFor[string]()
)

// value returns v without the secrets in its strings, and whether it had any. It copies
// values before it changes them. It skips strings of named types, which hold
// constants such as a permission mode.
func (m *Masker) value(v reflect.Value) (out reflect.Value, changed bool) {
	switch {
	case v.Type() == text:
		if s := m.texts.Text(v.String()); s != v.String() {
			return reflect.ValueOf(s), true
		}
	case v.Type() == rawJSON:
		if masked := m.texts.JSON(v.Bytes()); string(masked) != string(v.Bytes()) {
			return reflect.ValueOf(masked), true
		}
	case v.Type() == opaque: // only the provider that wrote it can read it
	case v.Kind() == reflect.Pointer && !v.IsNil():
		if elem, changed := m.value(v.Elem()); changed {
			out := reflect.New(elem.Type())
			out.Elem().Set(elem)
			return out, true
		}
	case v.Kind() == reflect.Struct:
		return m.fields(v)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		return m.elements(v)
	}
	return v, false
}

func (m *Masker) fields(v reflect.Value) (out reflect.Value, changed bool) {
	out = v
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || f.Type == text && kept[f.Name] {
			continue
		}
		masked, differs := m.value(v.Field(i))
		if !differs {
			continue
		}
		if !changed {
			out, changed = reflect.New(v.Type()).Elem(), true
			out.Set(v)
		}
		out.Field(i).Set(masked)
	}
	return out, changed
}

func (m *Masker) elements(v reflect.Value) (out reflect.Value, changed bool) {
	out = v
	for i := range v.Len() {
		masked, differs := m.value(v.Index(i))
		if !differs {
			continue
		}
		if !changed {
			out, changed = reflect.MakeSlice(v.Type(), v.Len(), v.Len()), true
			reflect.Copy(out, v)
		}
		out.Index(i).Set(masked)
	}
	return out, changed
}
