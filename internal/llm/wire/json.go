package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Marshal is json.Marshal that leaves < and > as they are: code is full of them.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Unquote returns what a JSON string says. Most hold nothing that is escaped: to
// read those as they stand is a great part of what a delta would cost.
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

// UnmarshalJSON takes what is no string for text as it stands.
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

// Count is a number of tokens. What cannot be one is 0, not known.
type Count int

// UnmarshalJSON takes floats and numbers in quotes too.
func (c *Count) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || !(f >= 0 && f <= 1e9) {
		f = 0
	}
	*c = Count(f)
	return nil
}

// Unmarshal reads data into v. A field of an unexpected type is taken for
// missing; text that is not JSON is an error.
func Unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if _, ok := err.(*json.UnmarshalTypeError); ok {
		return nil
	}
	return err
}

// Scalar returns a JSON value as text, a string without its quotes.
func Scalar(b json.RawMessage) string {
	var w Word
	if len(b) == 0 || json.Unmarshal(b, &w) != nil {
		return ""
	}
	return string(w)
}
