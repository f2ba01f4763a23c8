package loop_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// speech is the server side of a dialect. Streams consist of complete events; indexes
// count the messages of a reply from 0.
type speech interface {
	name() string
	provider(at wire.Endpoint) provider
	// check returns why a strict server would reject a request.
	check(body []byte) error

	begin() string
	text(index int, pieces ...string) string
	call(index int, id, name string, pieces ...string) string
	more(index int, pieces ...string) string // more of the arguments of a call
	end(index int) string                    // of a message
	finish(reason llm.Reason, input, output string) string
	done() string
	failure(typ, message string) string // inside a stream
	document(text string) string        // an answer that is not streamed
}

// provider is an llm.Provider with persistent connections.
type provider interface {
	llm.Provider
	BaseURL() string
	Close()
}

func dialects() []speech { return []speech{chatCompletions{}, anthropicMessages{}} }

// ended returns the end of a stream with a finish reason.
func ended(d speech, reason llm.Reason) string { return d.finish(reason, "10", "5") + d.done() }

// said returns the stream of an answer.
func said(d speech, pieces ...string) string {
	return d.begin() + d.text(0, pieces...) + d.end(0) + ended(d, llm.Stop)
}

// called returns the stream of a reply with one call of look.
func called(d speech, id, arguments string) string {
	return d.begin() + d.call(0, id, "look", arguments) + d.end(0) + ended(d, llm.Calls)
}

// quoted returns s as a JSON string with minimal escaping.
func quoted(s string) string {
	b, err := wire.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// openCalls are the calls of the last reply whose results a strict server expects.
type openCalls map[string]bool

// add adds a call.
func (o openCalls) add(id, name string, arguments json.RawMessage, longestName, longestID int) error {
	var object map[string]json.RawMessage
	switch {
	case !plainName(name, longestName):
		return fmt.Errorf("the call %q has the name %q", id, name)
	case !plainName(id, longestID):
		return fmt.Errorf("a call has the id %q", id)
	case o[id]:
		return fmt.Errorf("two calls have the id %q", id)
	case json.Unmarshal(arguments, &object) != nil || object == nil:
		return fmt.Errorf("the arguments of the call %q are %s", id, arguments)
	}
	o[id] = true
	return nil
}

// answer removes the call of a result.
func (o openCalls) answer(id string) error {
	if !o[id] {
		return fmt.Errorf("a result has the id %q, open are %v", id, o)
	}
	delete(o, id)
	return nil
}

// plainName reports whether providers accept s as a name.
func plainName(s string, longest int) bool {
	return s != "" && len(s) <= longest && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
