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

// How much of a text stands where one line tells of it, in bytes.
const (
	MaxTitle = 120
	maxWords = 90
)

// OneLine returns text on one line of at most limit bytes, fit for a document.
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

// tokens writes what was used: "18.2k tokens in (12k cached), 812 out".
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

// when writes a time as the clock showed it where it was taken.
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

// join joins the words that there are.
func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " · ")
}

// outcomes says in words how a call ended that did not just end.
func outcome(o event.Outcome) string {
	switch o {
	case event.OK:
		return ""
	case event.Failed:
		return "failed"
	case event.Refused:
		return "refused"
	case event.Interrupted:
		return "stopped"
	case event.Uncertain:
		return "nobody knows how it ended"
	}
	return OneLine(string(o), maxWords)
}

// ending says in words why a turn ended.
func ending(r event.Reason) string {
	switch r {
	case event.Done:
		return "Done"
	case event.UserInterrupt:
		return "Stopped"
	case event.OutOfTokens:
		return "Cut at the token limit"
	case event.Filtered:
		return "Refused by the provider"
	case event.MaxSteps:
		return "Stopped after too many steps"
	case event.AllFailed:
		return "Stopped because tools kept failing"
	case event.Repeating:
		return "Stopped because it went in circles"
	case event.BadAnswer:
		return "The answer does not fit its schema"
	case event.ProviderError:
		return "Ended by an error"
	case event.LogError:
		return "Ended because the session could not be saved"
	}
	return "Ended: " + OneLine(string(r), maxWords)
}

// program names the program that began a session. The version of another one,
// whose session was imported, holds its name.
func program(h history.Header) string {
	if h.Version == "" || strings.Contains(h.Version, " ") {
		return h.Version
	}
	return "agent " + h.Version
}
