package export

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
)

// Kind says what a file is that holds a session.
type Kind string

// The kinds of files. Their names are for people.
const (
	Own    Kind = "an export of agent"
	Log    Kind = "a session log of agent" // or its stream-json
	Claude Kind = "a session of Claude Code"
	Codex  Kind = "a session of Codex"
)

// ErrUnknown is the error for a file that is of no kind known here.
var ErrUnknown = errors.New("this is no session that can be imported: an export as JSON or a session log of agent, or a session file of Claude Code (~/.claude/projects/*/*.jsonl) or Codex (~/.codex/sessions/**/rollout-*.jsonl)")

// Imported is a session that was read. Nothing in it can be trusted: texts,
// names and the directory are what the file says.
type Imported struct {
	Kind Kind
	// Header tells of the session as far as the file does. An ID is that of an
	// export or a log; a session of another program has none here.
	Header history.Header
	Title  string // empty if the file has none
	Origin string // the ID of the session in the program it comes from
	// Events make up the session. They can be appended to a log: they begin
	// turns and end them, each call has one result, and they grant nothing to
	// whoever resumes it.
	Events []event.Durable
	// Verbatim are the events of an export or a log as they stand there, also
	// those that Events must not have. They are good for looking at them, never
	// for a log. Nil for sessions of other programs.
	Verbatim []event.Durable
	Notes    []string // what was left out or made up, for people
}

// How much of a file is looked at to tell its kind, and how long a line, or an
// event of an export, may be.
const (
	peekSize = 1 << 20
	maxLine  = 64 << 20
)

// detect tells of what kind the session is that in begins with. It is empty if
// it is of none. It reads nothing away.
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

// fieldsOf returns the fields of the object that text begins with, as far as
// they are there.
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
			fields[fmt.Sprint(name)] = nil // it begins here, and does not end
			break
		}
		fields[fmt.Sprint(name)] = value
	}
	return fields
}

// kindOf returns the kind of the file that has a line of these fields; empty if
// that does not tell.
func kindOf(fields map[string]json.RawMessage) Kind {
	has := func(names ...string) bool {
		for _, n := range names {
			if _, ok := fields[n]; !ok {
				return false
			}
		}
		return true
	}
	word := func(name string) string {
		var s string
		_ = json.Unmarshal(fields[name], &s)
		return s
	}
	typ := word("type")
	switch {
	case strings.HasPrefix(word("format"), formatName+"/"):
		return Own
	case typ == "header" && has("seq"), has("type", "time") && !has("timestamp"):
		return Log
	case has("type", "payload"), word("record_type") == "state",
		!has("type") && has("id", "timestamp") && (has("instructions") || has("git")):
		return Codex
	case has("sessionId"), has("parentUuid"), typ == "summary" && has("leafUuid"), typ == "file-history-snapshot":
		return Claude
	case typ == "message" && has("role", "content"), typ == "function_call" && has("call_id"):
		return Codex
	}
	return ""
}

// Import reads a session of any kind. What it cannot read it passes over and
// tells of in Notes; the error is ErrUnknown, that of r, or says that there is
// no conversation.
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
	case Own:
		err = m.readExport(in, left)
	case Log:
		err = m.readLog(in, left)
	case Claude:
		err = m.readClaude(in, left)
	case Codex:
		err = m.readCodex(in, left)
	default:
		return Imported{}, ErrUnknown
	}
	m.Notes = append(m.Notes, left.notes()...)
	if err == nil && !said(m.Events) {
		err = fmt.Errorf("%s without a conversation", kind)
		if len(m.Notes) > 0 {
			err = fmt.Errorf("%w (%s)", err, strings.Join(m.Notes, "; "))
		}
	}
	return *m, err
}

// said reports whether anybody said anything.
func said(events []event.Durable) bool {
	for _, e := range events {
		switch e.(type) {
		case *event.UserSaid, *event.MessageDone:
			return true
		}
	}
	return false
}
