package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"agent/internal/llm/wire"
	"agent/internal/loop/event"
)

// The name and version of the JSON format. The version changes if readers of the old
// one would misread it.
const (
	FormatName    = "agent-session"
	FormatVersion = "1"
	format        = FormatName + "/" + FormatVersion
)

// JSON writes a session in the format that the package comment describes. Hidden characters
// are escapes.
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
	fmt.Fprintf(out, `{"format":%q,"header":%s,"title":%s,"events":[`, format, wire.Visible(header), wire.Visible(title))
	comma := "\n"
	for _, e := range s.Events {
		body, err := event.Encode(e)
		if err != nil {
			return err
		}
		out.WriteString(comma)
		out.Write(wire.Visible(body))
		comma = ",\n"
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}
