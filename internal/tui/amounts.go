package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"agent/internal/tui/ink"
)

// tenths writes a short duration with tenths of a second: "4.1 s". From a
// minute on it is clock's.
func tenths(d time.Duration) string {
	if d >= time.Minute {
		return clock(d)
	}
	return fmt.Sprintf("%.1f s", max(d, 0).Seconds())
}

// brief writes a duration to the second, a very short one with tenths.
func brief(d time.Duration) string {
	if d < 10*time.Second {
		return tenths(d)
	}
	return clock(d)
}

// clock writes a duration in whole seconds: "12 s", "1 m 04 s", "2 h 03 m".
func clock(d time.Duration) string {
	s := int(max(d, 0).Round(time.Second) / time.Second)
	switch {
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

// dollars is an amount of money, with more digits the smaller it is: "$0.07".
func dollars(usd float64) string {
	switch {
	case usd == 0:
		return "$0"
	case usd < 0.01:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// quoted writes a title on one line, so that it is seen where it ends.
func quoted(title string) string { return "“" + ink.SanitizeLine(title) + "”" }
