package session

import (
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// DecodeLight is Decode without what may be long: the text, arguments and
// images of messages, and what tools wrote and read. A prompt and a Partial keep
// their text. What is left tells which events a session has, where it can
// continue, and which results it lacks.
func DecodeLight(record []byte) (event.Durable, error) {
	e, err := event.Decode(record)
	return light(e), err
}

// light returns e without what may be long. It changes e.
func light(e event.Durable) event.Durable {
	switch e := e.(type) {
	case *event.UserSaid:
		e.Images = nil
	case *event.MessageDone:
		e.Message = lightMessage(e.Message)
	case *event.ToolEnd:
		return &event.ToolEnd{Meta: e.Meta, Result: lightMessage(e.Result)}
	case *event.ShellEnd:
		return &event.ShellEnd{Meta: e.Meta, ID: e.ID, Join: e.Join}
	}
	return e
}

// lightMessage keeps what tells one message from another.
func lightMessage(m llm.Message) llm.Message {
	return llm.Message{Kind: m.Kind, Reply: m.Reply, ID: m.ID, Name: m.Name}
}
