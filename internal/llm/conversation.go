package llm

import "iter"

// ByReply yields a conversation in the pieces that dialects write: each message
// of the person alone, and each reply whole, with the results that stand in it.
// A result behind what the person said is left out: it stands with its call,
// see Results.
func ByReply(msgs []Message) iter.Seq[[]Message] {
	return func(yield func([]Message) bool) {
		for i := 0; i < len(msgs); {
			n := 1
			switch msgs[i].Kind {
			case ToolResult:
				i++
				continue
			case Assistant, Thinking, ToolCall:
				n = replyLen(msgs[i:])
			}
			if !yield(msgs[i : i+n]) {
				return
			}
			i += n
		}
	}
}

// replyLen returns how many messages belong to the reply that msgs begins with,
// results in between included.
func replyLen(msgs []Message) int {
	for i, m := range msgs {
		if m.Kind == User || m.Kind != ToolResult && m.Reply != msgs[0].Reply {
			return i
		}
	}
	return len(msgs)
}

// Results returns the result of each call, by its ID: the first, if there are
// several.
func Results(msgs []Message) map[string]*Message {
	out := map[string]*Message{}
	for i, m := range msgs {
		if m.Kind == ToolResult && out[m.ID] == nil {
			out[m.ID] = &msgs[i]
		}
	}
	return out
}
