package wire

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait caps the wait that a provider asks for, so that sums of waits
// cannot overflow.
const longestWait = 365 * 24 * time.Hour

// bounded returns n units as a wait: 0 if n is not positive, at most
// longestWait.
func bounded(n float64, unit time.Duration) time.Duration {
	switch {
	case !(n > 0) || unit <= 0:
		return 0
	case n >= float64(longestWait)/float64(unit):
		return longestWait
	}
	return time.Duration(n * float64(unit))
}

// until returns the wait from now to t, 0 if t has passed.
func until(t, now time.Time) time.Duration {
	return min(max(t.Sub(now), 0), longestWait)
}

// parseNumber parses s. A number out of range is infinite.
func parseNumber(s string) (float64, bool) {
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && !math.IsNaN(n) || errors.Is(err, strconv.ErrRange)
}

// retryAfter returns the wait that the headers of a response ask for, or 0. It
// reads Retry-After-Ms, Retry-After in seconds or as a date, and without these
// the reset times of exhausted rate limits.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, ok := parseNumber(strings.TrimSpace(h.Get("Retry-After-Ms"))); ok {
		return bounded(ms, time.Millisecond)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := parseNumber(v); ok {
		return bounded(s, time.Second)
	}
	if t, err := http.ParseTime(v); err == nil {
		return until(t, now)
	}
	return rateLimitReset(h, now)
}

// rateLimitReset returns the wait until all exhausted rate limits are reset, by
// the headers of OpenAI, Anthropic, Groq and OpenRouter.
func rateLimitReset(h http.Header, now time.Time) (wait time.Duration) {
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

// resetIn parses the reset time of a limit: "6m0s", a date, seconds or
// milliseconds since 1970, or seconds from now.
func resetIn(v string, now time.Time) time.Duration {
	const epoch, epochMillis = 1e9, 1e12 // larger numbers count from 1970
	if d, err := time.ParseDuration(v); err == nil {
		return min(max(d, 0), longestWait)
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return until(t, now)
	}
	n, ok := parseNumber(v)
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

// waitIn returns the wait that a message states in words, 0 if it does not.
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
		if n, ok := parseNumber(first); ok {
			return bounded(n, unitOf(rest))
		}
	}
	return 0
}

// unitOf returns the unit of time at the start of text, 0 if there is none.
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
