package window

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// itemID returns the ID of m in the list of items: that of its call, or one made of
// its text.
func itemID(m llm.Message) string {
	if m.ID != "" {
		return m.ID
	}
	return fmt.Sprintf("%s-%.4x", m.Kind, hash(m.Text))
}

// Items returns what fills the window: each message of at least least tokens with its
// calls and results, and the sum of the others.
func Items(msgs []llm.Message, k Marks, least int) []event.ContextItem {
	calls := map[string]llm.Message{}
	var items []event.ContextItem
	others := event.ContextItem{Kind: event.OtherItems}
	n := 0
	for i := range msgs {
		m := &msgs[i]
		if m.Kind == llm.ToolCall {
			calls[m.ID] = *m
		}
		pinned := slices.Contains(k.pinned, itemID(*m))
		if tokens := tokensOf(m); tokens < least && !pinned && m.Reply != summaryNote || m.Kind == llm.Thinking {
			others.Tokens += tokens
			n++
		} else {
			items = append(items, event.ContextItem{ID: itemID(*m), Kind: kindOf(*m), Title: titleOf(*m, calls), Text: Prefix(m.Text+string(m.Input), 400), Tokens: tokens, Pinned: pinned})
		}
	}
	if n > 0 {
		others.Title = fmt.Sprintf("%d smaller messages", n)
		items = append(items, others)
	}
	return items
}

// kindOf returns what m is to the user.
func kindOf(m llm.Message) event.ItemKind {
	switch {
	case m.Reply == summaryNote:
		return event.SummaryItem
	case isNote(m):
		return event.NoteItem
	case m.Kind == llm.User:
		return event.PromptItem
	case m.Kind == llm.ToolCall:
		return event.CallItem
	case m.Kind == llm.ToolResult:
		return event.ResultItem
	}
	return event.AnswerItem
}

// titleOf describes m on one line. calls are the calls before it, by ID.
func titleOf(m llm.Message, calls map[string]llm.Message) string {
	const long = 80
	if m.Reply == summaryNote {
		_, text, _ := strings.Cut(m.Text, "]\n")
		return oneLine(text, long)
	}
	switch m.Kind {
	case llm.ToolCall, llm.ToolResult:
		call := m
		if m.Kind == llm.ToolResult {
			call = calls[m.ID]
		}
		_, object := describe(call)
		return strings.TrimSpace(call.Name + " " + object)
	}
	return oneLine(m.Text, long)
}
