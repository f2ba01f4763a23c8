package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Encode returns a durable event as one flat JSON object that begins with its
// type. It is a record of the log and a line of stream-json.
func Encode(e Durable) ([]byte, error) { return encode(durables, e) }

// EncodePreview returns a preview as Encode does a durable event. No log holds
// one.
func EncodePreview(e Event) ([]byte, error) { return encode(previews, e) }

// EncodeCommand returns a command as Encode does a durable event.
func EncodeCommand(c Command) ([]byte, error) { return encode(commands, c) }

// Decode returns the event of a record. It is nil for a type that this program
// does not know, which a later version may have written.
func Decode(record []byte) (Durable, error) {
	v, err := decode(durables, record)
	if v == nil || err != nil {
		return nil, err
	}
	return v.(Durable), nil
}

// DecodePreview returns the preview that EncodePreview wrote. It is nil for a
// type that this program does not know.
func DecodePreview(line []byte) (Event, error) {
	v, err := decode(previews, line)
	if v == nil || err != nil {
		return nil, err
	}
	return reflect.ValueOf(v).Elem().Interface().(Event), nil
}

// NameOf returns the type name of a durable event.
func NameOf(e Durable) string { return nameOf(durables, e) }

// NameIn returns the type name in a record. It reads the rest of the record only
// if the type is not where Encode writes it.
func NameIn(record []byte) (string, error) { return nameIn(durables, record) }

func encode(rows []row, v any) ([]byte, error) {
	name := nameOf(rows, v)
	if name == "" {
		return nil, fmt.Errorf("encode %T: it is not in the table of events", v)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type":%q`, name)
	head := b.Len()
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	out := bytes.TrimRight(b.Bytes(), "\n")
	if string(out[head:]) == "{}" {
		return append(out[:head], '}'), nil
	}
	out[head] = ',' // in place of the object's own brace
	return out, nil
}

func decode(rows []row, text []byte) (any, error) {
	name, err := nameIn(rows, text)
	if err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	v := blank(rows, name)
	if v == nil {
		return nil, nil
	}
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fmt.Errorf("decode %s record: %w", name, err)
	}
	return v, nil
}

func nameIn(rows []row, text []byte) (string, error) {
	if rest, ok := bytes.CutPrefix(text, []byte(`{"type":"`)); ok {
		if name, _, ok := bytes.Cut(rest, []byte(`"`)); ok && blank(rows, string(name)) != nil {
			return string(name), nil
		}
	}
	var t struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(text, &t)
	return t.Type, err
}

// Blank returns an empty durable event of the type called name; nil if this
// program does not know it.
func Blank(name string) Durable {
	e, _ := blank(durables, name).(Durable)
	return e
}
