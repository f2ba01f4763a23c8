package loop

import "encoding/json"

// PromptIn returns what the person said in a record; false for a record of
// anything else, which is not read further than its type.
func PromptIn(record []byte) (string, bool) {
	if typ, err := typeIn(record); err != nil || typ != typeOf(&UserSaid{}) {
		return "", false
	}
	var said UserSaid
	if err := json.Unmarshal(record, &said); err != nil || said.Text == "" {
		return "", false
	}
	return said.Text, true
}
