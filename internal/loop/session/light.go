package session

import (
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// DecodeLight is event.Decode without long contents: the text, arguments and images
// of messages, prefixes, diffs and readings. The tasks of delegates are truncated. Prompts and Partials keep their text. The rest is
// enough to number the events, find boundaries and complete the last turn.
func DecodeLight(record []byte) (event.Durable, error) {
	e, err := event.Decode(record)
	return light(e), err
}

// light returns e without long contents. It changes e.
func light(e event.Durable) event.Durable {
	switch e := e.(type) {
	case *event.UserSaid:
		e.Images = nil
	case *event.MessageDone:
		e.Message = lightMessage(e.Message)
	case *event.ToolEnd:
		return &event.ToolEnd{Meta: e.Meta, Result: lightMessage(e.Result), Source: e.Source}
	case *event.Compacted:
		c := *e
		c.Text = ""
		return &c
	case *event.Prefix:
		return &event.Prefix{Meta: e.Meta, Hash: e.Hash}
	case *event.DelegateStart:
		e.Prompt = asked(e.Prompt)
	case *event.ShellEnd:
		return &event.ShellEnd{Meta: e.Meta, ID: e.ID, Join: e.Join}
	}
	return e
}

// lightMessage keeps only the fields that identify a message.
func lightMessage(m llm.Message) llm.Message {
	return llm.Message{Kind: m.Kind, Reply: m.Reply, ID: m.ID, Name: m.Name}
}
