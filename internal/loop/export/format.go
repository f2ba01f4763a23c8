package export

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// Lengths in bytes of texts that are shortened to one line.
const (
	MaxTitle = 120
	maxWords = 90
)

// OneLine returns text on one line, truncated to limit bytes and sanitized by clean.
func OneLine(text string, limit int) string {
	head := text
	if len(head) > 4*limit {
		head = head[:4*limit]
	}
	line := clean(strings.Join(strings.Fields(head), " "))
	if len(line) <= limit && len(head) == len(text) {
		return line
	}
	line = line[:min(limit, len(line))]
	for len(line) > 0 && !utf8.ValidString(line) {
		line = line[:len(line)-1]
	}
	if i := strings.LastIndexByte(line, ' '); i > limit/2 {
		line = line[:i]
	}
	return line + "…"
}

// tokens formats a usage: "18.2k tokens in (12k cached), 812 out".
func tokens(u llm.Usage) string {
	if u.Input == 0 && u.Output == 0 {
		return ""
	}
	cached := ""
	if u.Cached > 0 {
		cached = " (" + phrase.Thousands(u.Cached) + " cached)"
	}
	return phrase.Thousands(u.Input) + " tokens in" + cached + ", " + phrase.Thousands(u.Output) + " out"
}

// when formats a time in its own time zone.
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	zone := " UTC"
	if _, offset := t.Zone(); offset != 0 {
		zone += t.Format("-07:00")
	}
	return t.Format("2006-01-02 15:04") + zone
}

// lines returns how many lines text has.
func lines(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}

// join joins the words that are not empty.
func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " · ")
}

// outcome describes how a call ended; empty for a normal end.
func outcome(o event.Outcome) string {
	switch o {
	case event.OK:
		return ""
	case event.Failed:
		return "failed"
	case event.Refused:
		return "rejected"
	case event.Interrupted:
		return "interrupted"
	case event.Uncertain:
		return "unknown whether it took effect"
	}
	return OneLine(string(o), maxWords)
}

// ending describes why a turn ended.
func ending(r event.Reason) string {
	switch r {
	case event.Done:
		return "Done"
	case event.UserInterrupt:
		return "Interrupted"
	case event.OutOfTokens:
		return "Truncated at the token limit"
	case event.Filtered:
		return "Refused by the provider"
	case event.MaxSteps:
		return "Stopped after too many steps"
	case event.OverBudget:
		return "Stopped at a limit of tokens, cost or time"
	case event.AllFailed:
		return "Stopped because tools kept failing"
	case event.Repeating:
		return "Stopped because the model repeated the same calls"
	case event.BadAnswer:
		return "The answer does not match the schema"
	case event.ProviderError:
		return "Failed"
	case event.Blocked:
		return "A hook blocked the prompt"
	case event.LogError:
		return "Failed because the session could not be saved"
	}
	return "Ended: " + OneLine(string(r), maxWords)
}

// program returns the name and version of the program that created a session. In an
// imported session, Version includes the name.
func program(h history.Header) string {
	if h.Version == "" || strings.Contains(h.Version, " ") {
		return h.Version
	}
	return "agent " + h.Version
}
