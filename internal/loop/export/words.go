package export

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// How much of a text stands where one line tells of it, in bytes.
const (
	maxTitle = 120
	maxWords = 90
)

// oneLine returns text on one line of at most limit bytes, fit for a document.
func oneLine(text string, limit int) string {
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

// took writes a duration: "0.4 s", "12 s", "1 m 04 s", "2 h 03 m".
func took(d time.Duration) string {
	d = max(d, 0)
	s := int(d.Round(time.Second) / time.Second)
	switch {
	case s < 10:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d m %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d m", s/3600, s/60%60)
}

// thousands writes a count in at most four digits: "812", "18.2k", "1.3M".
func thousands(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e3), ".0") + "k"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + "M"
}

// count writes n with its noun, which takes an s unless n is 1.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// dollars writes an amount of money, with more digits the smaller it is.
func dollars(usd float64) string {
	if usd != 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// tokens writes what was used: "18.2k tokens in (12k cached), 812 out".
func tokens(u llm.Usage) string {
	if u.Input == 0 && u.Output == 0 {
		return ""
	}
	cached := ""
	if u.Cached > 0 {
		cached = " (" + thousands(u.Cached) + " cached)"
	}
	return thousands(u.Input) + " tokens in" + cached + ", " + thousands(u.Output) + " out"
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

// size writes a number of bytes.
func size(n int) string {
	switch {
	case n < 1000:
		return count(n, "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
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
	var some []string
	for _, w := range words {
		if w != "" {
			some = append(some, w)
		}
	}
	return strings.Join(some, " · ")
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
	return oneLine(string(o), maxWords)
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
	return "Ended: " + oneLine(string(r), maxWords)
}

// program names the program that began a session. The version of another one,
// whose session was imported, holds its name.
func program(h history.Header) string {
	if h.Version == "" || strings.Contains(h.Version, " ") {
		return h.Version
	}
	return "agent " + h.Version
}
