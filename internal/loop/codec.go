package loop

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ModelRecord is the type of the record that a ModelSet makes.
const ModelRecord = "model"

// typeOf returns what the log and stream-json call an event; empty if it has
// no record.
func typeOf(e Durable) string {
	switch e.(type) {
	case *UserSaid:
		return "user"
	case *Partial:
		return "partial"
	case *MessageDone:
		return "message"
	case *Decided:
		return "decision"
	case *ToolStart:
		return "tool_start"
	case *ToolEnd:
		return "tool_end"
	case *StepEnd:
		return "step_end"
	case *TurnEnd:
		return "turn_end"
	case *ModelSet:
		return ModelRecord
	case *ModeSet:
		return "mode"
	case *TodoSet:
		return "todo"
	case *Renamed:
		return "rename"
	case *Rewound:
		return "rewind"
	case *Compacted:
		return "compact"
	case *ShellStart:
		return "shell_start"
	case *ShellEnd:
		return "shell_end"
	case *ShellTold:
		return "shell_told"
	}
	return ""
}

// eventOf returns an empty event of the type that typeOf names, nil if there is
// none.
func eventOf(typ string) Durable {
	switch typ {
	case "user":
		return &UserSaid{}
	case "partial":
		return &Partial{}
	case "message":
		return &MessageDone{}
	case "decision":
		return &Decided{}
	case "tool_start":
		return &ToolStart{}
	case "tool_end":
		return &ToolEnd{}
	case "step_end":
		return &StepEnd{}
	case "turn_end":
		return &TurnEnd{}
	case ModelRecord:
		return &ModelSet{}
	case "mode":
		return &ModeSet{}
	case "todo":
		return &TodoSet{}
	case "rename":
		return &Renamed{}
	case "rewind":
		return &Rewound{}
	case "compact":
		return &Compacted{}
	case "shell_start":
		return &ShellStart{}
	case "shell_end":
		return &ShellEnd{}
	case "shell_told":
		return &ShellTold{}
	}
	return nil
}

// Encode returns e as one flat JSON object that begins with its type. It is a
// record of the log and a line of stream-json.
func Encode(e Durable) ([]byte, error) {
	typ := typeOf(e)
	if typ == "" {
		return nil, fmt.Errorf("encode %T: no record has this type", e)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type":%q,`, typ)
	head := b.Len()
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("encode %s: %w", typ, err)
	}
	out := bytes.TrimRight(b.Bytes(), "\n")
	return append(out[:head], out[head+1:]...), nil // without the object's own brace
}

// Decode returns the event of a record. It is nil for a type that this program
// does not know, which a later one may have written.
func Decode(record []byte) (Durable, error) {
	typ, err := typeIn(record)
	if err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	e := eventOf(typ)
	if e == nil {
		return nil, nil
	}
	if err := json.Unmarshal(record, e); err != nil {
		return nil, fmt.Errorf("decode %s record: %w", typ, err)
	}
	return e, nil
}

// typeIn returns the type of a record, without reading the rest of it where it
// begins as Encode writes it.
func typeIn(record []byte) (string, error) {
	if rest, ok := bytes.CutPrefix(record, []byte(`{"type":"`)); ok {
		if typ, _, ok := bytes.Cut(rest, []byte(`"`)); ok && eventOf(string(typ)) != nil {
			return string(typ), nil
		}
	}
	var t struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(record, &t)
	return t.Type, err
}
