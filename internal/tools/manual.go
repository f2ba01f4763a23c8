package tools

import (
	"context"
	"fmt"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools/charset"
	"agent/internal/tools/page"
)

// Manual returns a topic of the manual of the program as Markdown, or for an empty name the list
// of topics. It reports false if there is no such topic.
type Manual func(topic string) (text string, ok bool)

// manualPath is the path of the list of topics. A topic is at manualPath/NAME.md.
const manualPath = "agent:help"

// manualNote tells the model where the manual is. It belongs to the first paragraph of the
// description of read, which models with a small context window get too.
const manualNote = " For a question about agent itself, read " + manualPath + ", its manual."

// withNote returns a description whose first paragraph ends with note.
func withNote(description, note string) string {
	first, rest, _ := strings.Cut(description, "\n")
	return first + note + "\n" + rest
}

// topicOf returns the name of the topic at a path. It reports false for other paths.
func topicOf(path string) (topic string, ok bool) {
	topic, ok = strings.CutPrefix(path, manualPath)
	if !ok || topic != "" && topic[0] != '/' {
		return "", false
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(topic, "/")), ".md"), true
}

// call returns the call that shows lines of a topic. It needs no permission, because the text is
// part of the program.
func (m Manual) call(topic, title string, s page.Span) (Call, error) {
	text, ok := m(topic)
	if !ok {
		return Call{}, fmt.Errorf("%s has no topic %q: read %s for the list of topics", manualPath, topic, manualPath)
	}
	return Call{Title: title, Effect: Read, Run: func(ctx context.Context, _ Approved) (Result, error) {
		p, err := page.Read(ctx, strings.NewReader(text), page.BlockFor(int64(len(text))), s, true)
		if err == nil {
			err = p.Err(manualPath)
		}
		if err != nil {
			return Result{}, err
		}
		return Result{Text: p.Text(charset.UTF8, int64(len(text))), Summary: phrase.Count(p.Shown, "line")}, nil
	}}, nil
}
