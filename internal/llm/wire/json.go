package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
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

// Word is text that some servers send as a number, an object or null.
type Word string

// UnmarshalJSON takes what is no string for text as it stands.
func (w *Word) UnmarshalJSON(b []byte) error {
	switch {
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(w))
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
