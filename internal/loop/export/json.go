package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"agent/internal/loop/event"
)

// format is what the JSON calls itself. The number changes when a reader of the
// old one would take it for something that it is not.
const (
	FormatName    = "agent-session"
	FormatVersion = "1"
	format        = FormatName + "/" + FormatVersion
)

// JSON writes a session as the package describes, every event as it is in the
// log.
func JSON(w io.Writer, s Session) error {
	out := bufio.NewWriter(w)
	header, err := json.Marshal(s.Header)
	if err != nil {
		return fmt.Errorf("write the header: %w", err)
	}
	title, err := json.Marshal(s.Title)
	if err != nil {
		return fmt.Errorf("write the title: %w", err)
	}
	fmt.Fprintf(out, `{"format":%q,"header":%s,"title":%s,"events":[`, format, header, title)
	comma := "\n"
	for _, e := range s.Events {
		body, err := event.Encode(e)
		if err != nil {
			return err
		}
		out.WriteString(comma)
		out.Write(body)
		comma = ",\n"
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}
