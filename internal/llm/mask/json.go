package mask

import (
	"bytes"
	"encoding/json"
)

// JSON returns a JSON text with the secrets in its strings replaced by placeholders.
// Invalid JSON is masked like plain text.
func (m *Masker) JSON(text json.RawMessage) json.RawMessage {
	if m == nil {
		return text
	}
	out, err := mapStrings(text, func(s string) (string, error) { return m.Text(s), nil })
	if err != nil {
		return json.RawMessage(m.Text(string(text)))
	}
	return out
}

// RestoreJSON returns a JSON text with the placeholders in its strings replaced by their
// secrets. If check is not nil, RestoreJSON calls it with each placeholder and its
// secret, and returns its error. An unknown placeholder causes an *UnknownError.
func (m *Masker) RestoreJSON(text json.RawMessage, check func(placeholder, secret string) error) (json.RawMessage, error) {
	if m == nil {
		return text, nil
	}
	return mapStrings(text, func(s string) (string, error) { return m.restore(s, check) })
}

// mapStrings returns a JSON text with each string replaced by the result of change. All
// other bytes are kept.
func mapStrings(text []byte, change func(string) (string, error)) ([]byte, error) {
	if !json.Valid(text) {
		var v any
		return nil, json.Unmarshal(text, &v)
	}
	var out []byte
	last := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		start := i
		for i++; text[i] != '"'; i++ {
			if text[i] == '\\' {
				i++
			}
		}
		var before string
		if err := json.Unmarshal(text[start:i+1], &before); err != nil {
			return nil, err
		}
		after, err := change(before)
		if err != nil {
			return nil, err
		}
		if after == before {
			continue
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(after); err != nil {
			return nil, err
		}
		out = append(append(out, text[last:start]...), bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
		last = i + 1
	}
	if out == nil {
		return text, nil
	}
	return append(out, text[last:]...), nil
}
