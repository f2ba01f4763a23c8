package headless

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"agent/internal/loop/event"
)

// instead holds advice for a screen with what serves the same purpose in a run. The longer
// of two that overlap comes first.
var instead = strings.NewReplacer(
	"with /model or --model", "with --model", "/model or --model", "--model", "with /model", "with --model",
	"/trust or `agent trust`", "`agent trust`", "with /trust, then start a new session with /new", "with `agent trust`", "with /trust", "with `agent trust`",
	"Turn the web search off with /web off", "Set web_search to false",
	"Send a message to continue.", "To continue, run agent with --continue.",
)

// named matches advice such as "/model openai/x or --model openai/x".
var named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/(model|mode) \S+ or (--(model|mode) )`) })

// slash matches a slash command.
var slash = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(^|[\\s`])/(clear|compact|context|cost|fork|help|login|mcp|mode|model|new|permissions|quit|redo|rename|resume|retry|review|rewind|trust|undo|web)\\b([.]?(\\s|$)|[^/.\\w])")
})

// Advice returns a text of the program without advice that only a screen can follow: it
// names flags instead of slash commands, and leaves out the other commands and the keys.
func Advice(text string) string {
	text = flags(event.WithoutKeys(text))
	if !slash().MatchString(text) {
		return text
	}
	var out []string
	for sentence := range strings.SplitSeq(strings.ReplaceAll(text, ". ", ".\x00"), "\x00") {
		if sentence = withoutCommands(sentence); sentence != "" {
			out = append(out, sentence)
		}
	}
	return strings.Join(out, " ")
}

// flags returns a text with flags instead of slash commands.
func flags(text string) string { return instead.Replace(named().ReplaceAllString(text, "$2")) }

// withoutCommands returns a sentence without the alternatives that name a slash command.
func withoutCommands(sentence string) string {
	if !slash().MatchString(sentence) {
		return sentence
	}
	var left []string
	for _, part := range strings.Split(strings.ReplaceAll(strings.TrimSuffix(sentence, "."), ", or ", ", "), ", ") {
		if !slash().MatchString(part) {
			left = append(left, part)
		}
	}
	if left == nil {
		return ""
	}
	last := len(left) - 1
	text := strings.Join(left[:last], ", ")
	if last > 0 {
		text += " or "
	}
	text += left[last]
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:] + "."
}
