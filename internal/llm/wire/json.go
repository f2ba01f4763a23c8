package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	fast "github.com/segmentio/encoding/json"
)

// Marshal is json.Marshal without escaping <, > and &, which are frequent in
// code.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Unquote returns the value of a JSON string. Strings without escapes, the
// common case, skip the JSON decoder: it would be most of the cost of a delta.
func Unquote(b []byte) (s string, err error) {
	if len(b) >= 2 {
		if in := b[1 : len(b)-1]; bytes.IndexByte(in, '\\') < 0 && utf8.Valid(in) {
			return string(in), nil
		}
	}
	err = json.Unmarshal(b, &s)
	return s, err
}

// Word is text that some servers send as a number, an object or null.
type Word string

// UnmarshalJSON takes a value that is not a string as its JSON text.
func (w *Word) UnmarshalJSON(b []byte) error {
	switch {
	case b[0] == '"':
		s, err := Unquote(b)
		*w = Word(s)
		return err
	case string(b) == "null":
		*w = ""
	default:
		*w = Word(b)
	}
	return nil
}

// Count is a number of tokens. Invalid values become 0, unknown.
type Count int

// UnmarshalJSON also accepts floats and quoted numbers.
func (c *Count) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || !(f >= 0 && f <= 1e9) {
		f = 0
	}
	*c = Count(f)
	return nil
}

// Unmarshal reads data into v. A field of an unexpected type counts as missing;
// invalid JSON is an error.
func Unmarshal(data []byte, v any) error {
	if fast.Unmarshal(data, v) == nil { // most of the cost of a delta
		return nil
	}
	err := json.Unmarshal(data, v)
	if _, ok := err.(*json.UnmarshalTypeError); ok {
		return nil
	}
	return err
}

// Scalar returns a JSON value as text, strings without their quotes.
func Scalar(b json.RawMessage) string {
	var w Word
	if len(b) == 0 || json.Unmarshal(b, &w) != nil {
		return ""
	}
	return string(w)
}
