package loop

import (
	"encoding/json"
	"errors"
	"fmt"
)

// notObject says why raw is no JSON object, with the place where there is one.
func notObject(raw string) error {
	var o map[string]json.RawMessage
	err := json.Unmarshal([]byte(raw), &o)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("%w at byte %d of %d", err, e.Offset, len(raw))
	}
	if err == nil {
		return errors.New("it is null")
	}
	return err
}
