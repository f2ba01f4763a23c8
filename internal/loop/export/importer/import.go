package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
)

// Kind is the format of a session file.
type Kind string

// The kinds of files. The values are for display.
const (
	Native Kind = "an export of agent"
	Log    Kind = "a session log of agent" // or its stream-json
)

// ErrUnknown is the error for a file of an unknown kind.
var ErrUnknown = errors.New("unknown file format: expected a JSON export, a session log or stream-json of agent")

// Imported is an imported session. Everything in it is untrusted.
type Imported struct {
	Kind   Kind
	Header history.Header
	Title  string // empty if the file has none
	// Events are valid in a log: turns are complete, each call has one result, and no
	// event grants a permission.
	Events []event.Durable
	// Verbatim are all events of the file, for display only: they must not be appended to
	// a log.
	Verbatim []event.Durable
	Notes    []string // about omitted and added entries, for the user
}

// Limits in bytes.
const (
	peekSize = 1 << 20  // read to detect the kind of a file
	maxLine  = 64 << 20 // of a line or an event
)

// detect returns the kind of the session in in, empty if it is unknown. It consumes
// nothing.
func detect(in *bufio.Reader) (Kind, error) {
	start, err := in.Peek(peekSize)
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("read the session: %w", err)
	}
	start = bytes.TrimPrefix(start, []byte("\ufeff"))
	const tries = 50 // lines of bookkeeping may come first
	for range tries {
		if k := kindOf(fieldsOf(start)); k != "" {
			return k, nil
		}
		_, rest, more := bytes.Cut(start, []byte("\n"))
		if start = rest; !more {
			break
		}
	}
	return "", nil
}

// fieldsOf returns the fields of the object at the beginning of text, which may be
// truncated.
func fieldsOf(text []byte) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			fields[fmt.Sprint(name)] = nil // truncated
			break
		}
		fields[fmt.Sprint(name)] = value
	}
	return fields
}

// kindOf returns the kind of a file with a line of these fields; empty if the fields
// do not determine it.
func kindOf(fields map[string]json.RawMessage) Kind {
	has := func(name string) bool { _, ok := fields[name]; return ok }
	word := func(name string) string {
		var s string
		_ = json.Unmarshal(fields[name], &s)
		return s
	}
	switch {
	case strings.HasPrefix(word("format"), export.FormatName+"/"):
		return Native
	case word("type") == "header" && has("seq"), has("type") && has("time") && !has("timestamp"):
		return Log
	}
	return ""
}

// Import reads a session of any kind. It skips unreadable entries and reports them in
// Notes. It returns ErrUnknown, an error of r, or an error if there is no
// conversation.
func Import(r io.Reader) (Imported, error) {
	in := bufio.NewReaderSize(r, peekSize)
	kind, err := detect(in)
	if err != nil {
		return Imported{}, err
	}
	if bom, _ := in.Peek(3); string(bom) == "\ufeff" {
		_, _ = in.Discard(len(bom))
	}
	m := &Imported{Kind: kind}
	left := &tally{}
	switch kind {
	case Native:
		err = m.readExport(in, left)
	case Log:
		err = m.readLog(in, left)
	default:
		return Imported{}, ErrUnknown
	}
	m.Notes = append(m.Notes, left.notes()...)
	if err == nil && !hasMessages(m.Events) {
		err = fmt.Errorf("%s has no conversation", kind)
		if len(m.Notes) > 0 {
			err = fmt.Errorf("%w (%s)", err, strings.Join(m.Notes, "; "))
		}
	}
	return *m, err
}

// hasMessages reports whether events contain a message.
func hasMessages(events []event.Durable) bool {
	for _, e := range events {
		switch e.(type) {
		case *event.UserSaid, *event.MessageDone:
			return true
		}
	}
	return false
}

// readExport reads the output of export.JSON.
func (m *Imported) readExport(in *bufio.Reader, left *tally) error {
	limited := &limited{r: in, left: maxLine}
	dec := json.NewDecoder(limited)
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("read the export: %w", err)
	}
	for dec.More() {
		limited.left = maxLine
		name, err := dec.Token()
		if err != nil {
			return fmt.Errorf("read the export: %w", err)
		}
		switch name {
		case "format":
			var f string
			err = dec.Decode(&f)
			if _, version, _ := strings.Cut(f, "/"); err == nil && version != export.FormatVersion {
				return fmt.Errorf("the export has a newer format (%q): import it with a newer version of agent", export.OneLine(f, 40))
			}
		case "header":
			err = dec.Decode(&m.Header)
		case "title":
			err = dec.Decode(&m.Title)
		case "events":
			err = m.readEvents(dec, limited, left)
		default:
			err = dec.Decode(new(json.RawMessage))
		}
		if err != nil {
			return fmt.Errorf("read the export: %w", err)
		}
	}
	m.setEvents(left)
	return nil
}

func (m *Imported) readEvents(dec *json.Decoder, limited *limited, left *tally) error {
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(err, errors.New("events is not a list"))
	}
	for dec.More() {
		limited.left = maxLine
		var body json.RawMessage
		if err := dec.Decode(&body); err != nil {
			return err
		}
		m.event(body, left)
	}
	_, err := dec.Token()
	return err
}

// event adds an event to Verbatim.
func (m *Imported) event(body []byte, left *tally) {
	e, err := event.Decode(body)
	switch {
	case err != nil:
		left.add("events that could not be read")
	case e == nil:
		left.add("events of unknown types")
	default:
		m.Verbatim = append(m.Verbatim, e)
	}
}

// readLog reads a session log or stream-json.
func (m *Imported) readLog(in *bufio.Reader, left *tally) error {
	for line, err := range objects(in, left) {
		if err != nil {
			return err
		}
		var head struct {
			Type string `json:"type"`
			history.Header
		}
		err := json.Unmarshal(line, &head)
		switch {
		case err != nil && head.Type == "":
			left.add(unreadable)
		case head.Type == "header":
			m.Header = head.Header
		default:
			m.event(line, left)
		}
	}
	m.setEvents(left)
	return nil
}

// setEvents sets Events from Verbatim.
func (m *Imported) setEvents(left *tally) {
	s := filter{left: left, seen: map[string]bool{}}
	for _, e := range withoutRewound(m.Verbatim) {
		s.handleEvent(e)
	}
	m.Events = s.events
}
