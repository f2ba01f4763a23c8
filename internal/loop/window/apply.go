package window

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Marks is the state of compactions that is not in the messages. The zero value
// belongs to a conversation that was never compacted.
type Marks struct {
	pinned []string      // IDs of items that stay complete
	before []llm.Message // the conversation without its last summary; nil if it has none
	after  int           // number of messages that replaced before
}

// Original is the full text of content that was shortened.
type Original struct {
	Name string // of its file
	Text string
}

// The notes that take the place of old content are user messages with one of these
// values in Reply, by which a later compaction recognizes them. The user cannot
// write such a message.
const (
	listNote    = "compacted:list"
	summaryNote = "compacted:summary"
	planNote    = "compacted:plan" // the model's todo list
	// approvedNote has the plan that the user approved.
	approvedNote = "compacted:approved"
)

// isNote reports whether a compaction wrote m.
func isNote(m llm.Message) bool { return strings.HasPrefix(m.Reply, "compacted:") }

// Apply returns msgs after e, with the marks that follow and the originals of what e
// shortened. References to them name files in the directory e.Outputs, or none if
// that is empty. The same arguments always have the same result.
func Apply(msgs []llm.Message, k Marks, e *event.Compacted) ([]llm.Message, Marks, []Original) {
	s := &shortener{pinned: k.pinned, outputs: e.Outputs}
	out := msgs
	switch e.Step {
	case event.CompactResults, "":
		out = s.results(msgs, e.Replies, false)
	case event.CompactAllResults:
		out = s.results(msgs, e.Replies, true)
	case event.CompactList:
		out = s.list(msgs, e.Replies)
	case event.CompactSummary:
		out = s.summary(msgs, e.Replies, e.Text)
		return out, Marks{k.pinned, msgs, len(out)}, s.originals
	case event.CompactEdit:
		return edited(msgs, e.Text), k, nil
	case event.CompactUndo:
		if k.before == nil || k.after > len(msgs) {
			return msgs, k, nil
		}
		return slices.Concat(k.before, msgs[k.after:]), Marks{pinned: k.pinned}, nil
	case event.CompactAnswers:
		out = s.answers(msgs, e.Replies)
	case event.CompactPrompts:
		out = s.prompts(msgs, latestPrompts(msgs), e.Limit)
	case event.CompactMerge:
		out = s.merge(msgs, e.Limit)
	case event.CompactLatest:
		out = s.prompts(msgs, len(msgs), e.Limit)
	case event.CompactImages:
		out = withoutImages(msgs, max(len(msgs)-e.Limit, 0))
	case event.CompactDrop:
		out = s.drop(msgs, e.Item)
		k.pinned = slices.DeleteFunc(slices.Clone(k.pinned), func(p string) bool { return p == e.Item })
	case event.CompactPin:
		k.pinned = append(slices.Clone(k.pinned), e.Item)
		return msgs, k, nil
	case event.CompactUnpin:
		k.pinned = slices.DeleteFunc(slices.Clone(k.pinned), func(p string) bool { return e.Item == "" || p == e.Item })
		return msgs, k, nil
	}
	if k.before != nil {
		k.before, k.after = slices.Concat(k.before, msgs[k.after:]), len(out)
	}
	return out, k, s.originals
}

// CanUndo reports whether the conversation has a summary that can be undone.
func (k Marks) CanUndo() bool { return k.before != nil }

// shortener shortens messages and keeps their originals.
type shortener struct {
	pinned    []string
	outputs   string
	originals []Original
}

// reference keeps text as an original and returns the sentence that names its file;
// empty if originals are not saved. kind and id name the file.
func (s *shortener) reference(kind, id, text string) string {
	name := kind
	if id != "" {
		name += "-" + safeName(id)
	}
	// The ID of a call may be used again after a rewind.
	name = fmt.Sprintf("%s-%.4x.txt", name, hash(text))
	s.originals = append(s.originals, Original{name, text})
	if s.outputs == "" {
		return ""
	}
	return " Full text: " + filepath.Join(s.outputs, name) + "."
}

// hash returns the SHA-256 of text without copying text.
func hash(text string) []byte {
	h := sha256.New()
	var part [4 << 10]byte
	for len(text) > 0 {
		n := copy(part[:], text)
		h.Write(part[:n])
		text = text[n:]
	}
	return h.Sum(nil)
}

// isPinned reports whether m stays complete.
func (s *shortener) isPinned(m llm.Message) bool {
	return len(s.pinned) > 0 && slices.Contains(s.pinned, itemID(m))
}

// safeName returns id with only the characters that file names may have anywhere.
func safeName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, Prefix(id, 64))
}

// oldPart returns how many messages are older than the last replies.
func oldPart(msgs []llm.Message, replies int) int {
	if replies <= 0 {
		return len(msgs)
	}
	n := 0
	for i := len(msgs) - 1; i >= 0; i-- {
		if !byModel(msgs[i]) || i > 0 && byModel(msgs[i-1]) && msgs[i-1].Reply == msgs[i].Reply {
			continue
		}
		if n++; n == replies {
			return i
		}
	}
	return 0
}

// byModel reports whether the model wrote m.
func byModel(m llm.Message) bool {
	return m.Kind == llm.Assistant || m.Kind == llm.Thinking || m.Kind == llm.ToolCall || m.Kind == llm.WebSearch
}

// latestPrompts returns the index of the first message of the user that the model
// has not answered. Without one it returns the index of the last message of the user.
func latestPrompts(msgs []llm.Message) int {
	calls := repliesWithCalls(msgs)
	first, answered := len(msgs), false
	for i, m := range slices.Backward(msgs) {
		switch {
		case m.Kind == llm.User && !isNote(m):
			if first = i; answered {
				return first
			}
		case m.Reply == summaryNote, m.Kind == llm.Assistant && !calls[m.Reply]:
			if first < len(msgs) {
				return first
			}
			answered = true
		}
	}
	return first
}

// repliesWithCalls returns the replies that made tool calls.
func repliesWithCalls(msgs []llm.Message) map[string]bool {
	out := map[string]bool{}
	for _, m := range msgs {
		if m.Kind == llm.ToolCall {
			out[m.Reply] = true
		}
	}
	return out
}

// Prefix returns at most the first n bytes of s, without a partial character.
func Prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:max(n, 0)], "")
}
