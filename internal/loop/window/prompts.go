package window

import (
	"fmt"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
)

// imageBytes is the size of text that takes as much of the window as an image.
const imageBytes = 4 * perImage

// prompts shortens the messages of the user before index end that are longer than
// limit bytes: to their head, their tail and a reference to the full text. Images
// count as text, and are removed first.
func (s *shortener) prompts(msgs []llm.Message, end, limit int) []llm.Message {
	out := append([]llm.Message(nil), msgs...)
	for i, m := range out[:end] {
		if m.Kind != llm.User || isNote(m) || s.isPinned(m) {
			continue
		}
		if len(m.Images)*imageBytes > limit {
			m = withoutImage(m)
		}
		if len(m.Text) > limit {
			m.Text = s.bothEnds("prompt", m.Text, limit)
		}
		out[i] = m
	}
	return out
}

// bothEnds returns the head and the tail of text, about limit bytes together, with a
// reference to the full text between them. Of a text that was shortened before it
// keeps the reference.
func (s *shortener) bothEnds(kind, text string, limit int) string {
	const least = 40 // bytes of each end
	head, rest, cut := strings.Cut(text, "\n\n"+marker.Begin)
	note, tail, closed := strings.Cut(rest, "]\n\n")
	if !cut || !closed || !strings.Contains(note, " Full text: ") {
		head, tail = text, text
		note = fmt.Sprintf("%d bytes in all.", len(text)) + s.reference(kind, "", text)
	}
	head = Prefix(head, max(limit*2/3, least))
	if n := max(limit/3, least); len(tail) > n {
		tail = strings.ToValidUTF8(tail[len(tail)-n:], "")
	}
	short := head + "\n\n" + marker.Begin + note + "]\n\n" + tail
	if len(short) >= len(text) {
		return text
	}
	return short
}

// merge replaces the messages of the user before the latest ones with one that
// refers to them and has the beginning of as many as fit into limit bytes, the
// newest first.
func (s *shortener) merge(msgs []llm.Message, limit int) []llm.Message {
	const beginning = 80
	end := latestPrompts(msgs)
	var full, begins []string
	first, size, images := -1, 0, 0
	for i := end - 1; i >= 0; i-- {
		m := msgs[i]
		if m.Kind != llm.User || isNote(m) {
			continue
		}
		first = i
		images += len(m.Images)
		full = append([]string{m.Text}, full...)
		line := "- " + oneLine(m.Text, beginning)
		if size += len(line) + 1; size <= limit {
			begins = append([]string{line}, begins...)
		}
	}
	if len(full) < 2 {
		return msgs
	}
	text := fmt.Sprintf("%s of the user.", phrase.Count(len(full), "earlier message")) + s.reference("prompts", "", strings.Join(full, "\n\n---\n\n"))
	if images > 0 {
		text += " " + phrase.Count(images, "image") + " cut."
	}
	if len(begins) > 0 {
		text += " The last ones begin:]\n" + strings.Join(begins, "\n")
	} else {
		text += "]"
	}
	out := make([]llm.Message, 0, len(msgs))
	for i, m := range msgs {
		switch {
		case i == first:
			out = append(out, llm.Message{Kind: llm.User, Text: marker.Begin + text})
		case i >= end || m.Kind != llm.User || isNote(m):
			out = append(out, m)
		}
	}
	return out
}

// drop shortens the item as far as possible, because the user dropped it.
func (s *shortener) drop(msgs []llm.Message, item string) []llm.Message {
	out := append([]llm.Message(nil), msgs...)
	_, approved := approvedPlan(msgs)
	for i, m := range out {
		if itemID(m) != item {
			continue
		}
		switch m.Kind {
		case llm.ToolResult:
			m = withoutImage(m)
			if !strings.HasPrefix(m.Text, marker.Begin) {
				removed := marker.Begin + "the user removed this result."
				if m.ID == approved {
					removed = removedPlan
				}
				m.Text = removed + s.reference("call", m.ID, m.Text) + "]"
			}
		case llm.Assistant, llm.User:
			m = withoutImage(m)
			m.Text = s.bothEnds("dropped", m.Text, keptResult)
		}
		out[i] = m
	}
	return out
}

// oneLine returns the beginning of text on one line.
func oneLine(text string, n int) string {
	short := strings.Join(strings.Fields(Prefix(text, n)), " ")
	if len(text) > n {
		short += " …"
	}
	return short
}
