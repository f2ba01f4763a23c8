package session

import (
	"encoding/json"

	"agent/internal/loop/event"
)

// PromptIn returns what the person said in a record; false for a record of
// anything else, which is not read further than its type.
func PromptIn(record []byte) (string, bool) {
	if typ, err := event.NameIn(record); err != nil || typ != event.NameOf(&event.UserSaid{}) {
		return "", false
	}
	var said event.UserSaid
	if err := json.Unmarshal(record, &said); err != nil || said.Text == "" {
		return "", false
	}
	return said.Text, true
}
