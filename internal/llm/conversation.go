package llm

import "iter"

// ByReply yields a conversation in the groups that dialects encode: single user
// messages, and each reply together with the results inside it. A result
// after a later user message is left out; Results returns it by call ID.
func ByReply(msgs []Message) iter.Seq[[]Message] {
	return func(yield func([]Message) bool) {
		for i := 0; i < len(msgs); {
			n := 1
			switch msgs[i].Kind {
			case ToolResult:
				i++
				continue
			case Assistant, Thinking, ToolCall, WebSearch:
				n = replyLen(msgs[i:])
			}
			if !yield(msgs[i : i+n]) {
				return
			}
			i += n
		}
	}
}

// replyLen returns the number of messages of the reply at the start of msgs,
// including results between them.
func replyLen(msgs []Message) int {
	for i := range msgs {
		if m := &msgs[i]; m.Kind == User || m.Kind != ToolResult && m.Reply != msgs[0].Reply {
			return i
		}
	}
	return len(msgs)
}

// Results returns the first result of each call, by call ID.
func Results(msgs []Message) map[string]*Message {
	out := map[string]*Message{}
	for i, m := range msgs {
		if m.Kind == ToolResult && out[m.ID] == nil {
			out[m.ID] = &msgs[i]
		}
	}
	return out
}

// Unanswered reports whether msgs end without an answer: with a message of the user,
// a tool result or truncated thinking.
func Unanswered(msgs []Message) bool {
	if len(msgs) == 0 {
		return false
	}
	last := msgs[len(msgs)-1]
	return last.Kind == User || last.Kind == ToolResult || last.Kind == Thinking && last.Cut
}
