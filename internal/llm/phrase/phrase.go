// Package phrase formats numbers for the user and the model: counts with their
// noun, sizes, durations and amounts of money. It also finds the closest name
// to a misspelled one. It imports none of our packages, so that all of them can
// use it.
package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Count returns n with its noun: "1 line", "2 lines", "3 matches", "4 entries".
func Count(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "ch"):
		noun += "es"
	case strings.HasSuffix(noun, "ry"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// EndLine returns text with a newline at the end, unless it is empty.
func EndLine(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// Thousands returns a count in at most four digits: "812", "18.2k", "1.3M".
func Thousands(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e3), ".0") + "k"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + "M"
}

// Bytes returns a size in decimal units: "512 bytes", "3.4 MB".
func Bytes(n int64) string {
	if n < 1000 {
		return Count(int(n), "byte")
	}
	f := float64(n)
	for _, unit := range []string{"KB", "MB", "GB"} {
		if f /= 1000; f < 1000 {
			return fmt.Sprintf("%.1f %s", f, unit)
		}
	}
	return fmt.Sprintf("%.1f TB", f/1000)
}

// Seconds returns a duration in whole seconds: "12 s", "1 m 04 s", "2 h 03 m".
func Seconds(d time.Duration) string {
	s := int(max(d, 0).Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d m %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d m", s/3600, s/60%60)
}

// In returns when something happens after d: "in 12 s", or "now" for no time.
func In(d time.Duration) string {
	if d <= 0 {
		return "now"
	}
	return "in " + Seconds(d)
}

// Tenths returns a duration in tenths of a second, "4.1 s"; from one minute on
// it returns Seconds.
func Tenths(d time.Duration) string {
	if d >= time.Minute {
		return Seconds(d)
	}
	return fmt.Sprintf("%.1f s", max(d, 0).Seconds())
}

// Duration returns Tenths for a duration below ten seconds, otherwise Seconds.
func Duration(d time.Duration) string {
	if d < 10*time.Second {
		return Tenths(d)
	}
	return Seconds(d)
}

// Dollars returns an amount of money: "$0.07". Amounts below a cent have four
// decimals.
func Dollars(usd float64) string {
	switch {
	case usd == 0:
		return "$0"
	case usd < 0.01:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Price returns US dollars with at least two decimals, and never rounded: "$0.005".
func Price(usd float64) string {
	s := strconv.FormatFloat(usd, 'f', -1, 64)
	if _, cents, _ := strings.Cut(s, "."); len(cents) < 2 {
		s = fmt.Sprintf("%.2f", usd)
	}
	return "$" + s
}
