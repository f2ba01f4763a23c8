package wire

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait is the longest wait that a provider is understood to ask for. What
// is longer is taken for this, so that sums of waits cannot overflow.
const longestWait = 365 * 24 * time.Hour

// bounded returns a wait of so many units: none for what is no positive number,
// longestWait at most.
func bounded(n float64, unit time.Duration) time.Duration {
	switch {
	case !(n > 0) || unit <= 0:
		return 0
	case n >= float64(longestWait)/float64(unit):
		return longestWait
	}
	return time.Duration(n * float64(unit))
}

// until returns the wait from now to a time: none if that has passed.
func until(t, now time.Time) time.Duration {
	return min(max(t.Sub(now), 0), longestWait)
}

// numeral reads a number. One beyond the range of numbers is infinite.
func numeral(s string) (float64, bool) {
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && !math.IsNaN(n) || errors.Is(err, strconv.ErrRange)
}

// retryAfter returns the wait that the headers of an answer ask for, 0 if they do
// not or it is over. It reads Retry-After in seconds and as a date,
// Retry-After-Ms, and where there is neither, when a limit that is used up is
// renewed.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, ok := numeral(strings.TrimSpace(h.Get("Retry-After-Ms"))); ok {
		return bounded(ms, time.Millisecond)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := numeral(v); ok {
		return bounded(s, time.Second)
	}
	if t, err := http.ParseTime(v); err == nil {
		return until(t, now)
	}
	return renewed(h, now)
}

// renewed returns the wait until the last of the limits that are used up is
// renewed, by the headers of OpenAI, Anthropic, Groq and OpenRouter.
func renewed(h http.Header, now time.Time) (wait time.Duration) {
	for _, limit := range []struct{ remaining, reset string }{
		{"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
		{"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
		{"X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
		{"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
		{"Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
		{"Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset"},
		{"Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Reset"},
	} {
		if strings.TrimSpace(h.Get(limit.remaining)) == "0" {
			wait = max(wait, resetIn(strings.TrimSpace(h.Get(limit.reset)), now))
		}
	}
	return wait
}

// resetIn reads the time at which a limit is renewed: "6m0s", a date, seconds
// since 1970, milliseconds since 1970, or seconds from now.
func resetIn(v string, now time.Time) time.Duration {
	const epoch, epochMillis = 1e9, 1e12 // what is larger counts from 1970
	if d, err := time.ParseDuration(v); err == nil {
		return min(max(d, 0), longestWait)
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return until(t, now)
	}
	n, ok := numeral(v)
	switch {
	case !ok:
		return 0
	case n >= epochMillis:
		return bounded(n-float64(now.UnixMilli()), time.Millisecond)
	case n >= epoch:
		return bounded(n-float64(now.Unix()), time.Second)
	}
	return bounded(n, time.Second)
}

// waitIn returns the wait that a message asks for in words, 0 if it does not.
func waitIn(message string) time.Duration {
	for _, words := range []string{"try again in ", "retry in ", "retry after "} {
		_, rest, ok := strings.Cut(strings.ToLower(message), words)
		if !ok {
			continue
		}
		first, rest, _ := strings.Cut(rest, " ")
		first = strings.TrimRight(first, ".,;")
		if d, err := time.ParseDuration(first); err == nil && d > 0 {
			return min(d, longestWait)
		}
		if n, ok := numeral(first); ok {
			return bounded(n, unitOf(rest))
		}
	}
	return 0
}

// unitOf returns the unit of time that text begins with; 0 if it begins with none.
func unitOf(text string) time.Duration {
	switch {
	case strings.HasPrefix(text, "ms"), strings.HasPrefix(text, "millisecond"):
		return time.Millisecond
	case strings.HasPrefix(text, "sec"):
		return time.Second
	case strings.HasPrefix(text, "min"):
		return time.Minute
	case strings.HasPrefix(text, "hour"):
		return time.Hour
	}
	return 0
}
