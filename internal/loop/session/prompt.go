package session

import (
	"encoding/json"

	"agent/internal/loop/event"
)

// PromptIn returns the text of the user's message in a record. It reports false for
// other records, and decodes only their type.
func PromptIn(record []byte) (string, bool) {
	if typ, err := event.NameIn(record); err != nil || typ != event.NameOf(&event.UserSaid{}) {
		return "", false
	}
	var said event.UserSaid
	if err := json.Unmarshal(record, &said); err != nil || said.Text == "" || said.Auto {
		return "", false
	}
	return said.Text, true
}
