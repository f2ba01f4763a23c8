package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
)

// DecodeCommand returns the command in a line of another program, as EncodeCommand writes
// it. It rejects unknown types and fields, missing fields, wrong values and commands that
// only the program itself sends. The error is for the author of the other program.
func DecodeCommand(line []byte) (Command, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil || fields == nil {
		return nil, notAnObject(err)
	}
	var name string
	if err := json.Unmarshal(fields["type"], &name); err != nil || name == "" {
		return nil, errors.New(`"type" is missing: each line needs one, as in {"type":"prompt","text":"hello"}`)
	}
	at := slices.IndexFunc(commands, func(r row) bool { return r.name == name && !r.internal })
	if at < 0 {
		return nil, unknownType(name)
	}
	delete(fields, "type")
	for _, need := range required(commands[at].typ) {
		if _, ok := fields[need]; !ok {
			return nil, fmt.Errorf("%s: %q is missing", name, need)
		}
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	v := reflect.New(commands[at].typ)
	dec := json.NewDecoder(bytes.NewReader(rest))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v.Interface()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, plainError(err))
	}
	c := v.Elem().Interface().(Command)
	if err := valid(c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// unknownType returns the error for a type that no command has.
func unknownType(name string) error {
	var names []string
	for _, r := range commands {
		if !r.internal {
			names = append(names, r.name)
		}
	}
	if near := phrase.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown type %q: did you mean %q?", clip(name), near)
	}
	return fmt.Errorf("unknown type %q. To list the types: agent help protocol", clip(name))
}

// notAnObject is the error of a line that holds no JSON object.
func notAnObject(err error) error {
	if err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
		return errors.New("the line is not a JSON object")
	}
	return fmt.Errorf("the line is not valid JSON: %w", err)
}

// plainError returns an error of encoding/json in the words of JSON.
func plainError(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%q must be %s, not %s", strings.TrimPrefix(wrong.Field, "Ref."), kindOf(wrong.Type), wrong.Value)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the line ends too early")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// kindOf names the JSON type of values of t.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "a string in base64"
		}
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// clip returns the beginning of text from another program, for a message.
func clip(text string) string {
	const most = 100
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// required returns the names of the fields of a struct that are always written.
func required(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && !strings.Contains(options, "omit") { // a Ref has no name
			names = append(names, name)
		}
	}
	return names
}

// valid checks the values of a command whose types are right.
func valid(c Command) error {
	switch c := c.(type) {
	case Prompt:
		if strings.TrimSpace(c.Text) == "" && len(c.Images) == 0 {
			return errors.New(`"text" is empty`)
		}
	case Answer:
		if c.Mode != "" {
			if err := oneOf("mode", c.Mode, Modes); err != nil {
				return err
			}
		}
		return oneOf("decision", c.Decision, Decisions())
	case SetMode:
		return oneOf("mode", c.Mode, Modes)
	case SetModel:
		if c.Model == "" {
			return errors.New(`"model" is empty: use PROVIDER/NAME`)
		}
	case RunShell:
		if strings.TrimSpace(c.Line) == "" {
			return errors.New(`"line" is empty`)
		}
	case Rewind:
		if c.Keep < 0 {
			return errors.New(`"keep" must be at least 0`)
		}
	case EditContext:
		return oneOf("step", c.Step, []CompactStep{CompactEdit, CompactUndo, CompactPin, CompactUnpin, CompactDrop})
	case SetBudget:
		for limit := range c.Limits {
			if err := oneOf("limits", limit, Limits()); err != nil {
				return err
			}
		}
	}
	return nil
}

func oneOf[T ~string](field string, value T, all []T) error {
	if slices.Contains(all, value) {
		return nil
	}
	var b strings.Builder
	for i, v := range all {
		switch {
		case i > 0 && i == len(all)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return fmt.Errorf("%q must be %s, not %q", field, b.String(), clip(string(value)))
}
