package llm

import (
	"bytes"
	"iter"
	"reflect"
	"slices"
)

// ByReply yields a conversation in the groups that dialects encode, with the index of their
// first message: single user messages, and each reply together with the results inside it. A
// result after a later user message is left out; Results returns it by call ID.
func ByReply(msgs []Message) iter.Seq2[int, []Message] {
	return func(yield func(int, []Message) bool) {
		for i := 0; i < len(msgs); {
			n := 1
			switch msgs[i].Kind {
			case ToolResult:
				i++
				continue
			case Assistant, Thinking, ToolCall, WebSearch:
				n = replyLen(msgs[i:])
			}
			if !yield(i, msgs[i:i+n]) {
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

// GroupEnds reports whether a group that ByReply yields ends before msgs[at] and does not go on
// there.
func GroupEnds(msgs []Message, at int) bool {
	if at == len(msgs) || msgs[at].Kind == User {
		return true
	}
	last := at - 1
	for last > 0 && msgs[last].Kind == ToolResult {
		last--
	}
	return msgs[at].Kind != ToolResult && (msgs[last].Kind == User || msgs[last].Reply != msgs[at].Reply)
}

// Shared returns how many messages at the beginning of a and b surely are the same. Messages that
// were compared before have their texts in the same memory, so comparing them costs little.
func Shared(a, b []Message) int {
	n := 0
	for n < min(len(a), len(b)) && same(&a[n], &b[n]) {
		n++
	}
	return n
}

func same(a, b *Message) bool {
	return a.Kind == b.Kind && a.Reply == b.Reply && a.Text == b.Text && a.ID == b.ID && a.Name == b.Name && a.Raw == b.Raw &&
		a.Cut == b.Cut && a.Note == b.Note && a.IsError == b.IsError && bytes.Equal(a.Input, b.Input) &&
		(a.Opaque == b.Opaque || reflect.DeepEqual(a.Opaque, b.Opaque)) && (a.Search == b.Search || reflect.DeepEqual(a.Search, b.Search)) &&
		slices.Equal(a.Sources, b.Sources) && slices.EqualFunc(a.Images, b.Images, sameImage)
}

func sameImage(a, b Image) bool { return a.MediaType == b.MediaType && bytes.Equal(a.Data, b.Data) }

// Result returns the first result of a call in msgs; nil if there is none.
func Result(msgs []Message, call string) *Message {
	for i := range msgs {
		if m := &msgs[i]; m.Kind == ToolResult && m.ID == call {
			return m
		}
	}
	return nil
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
