package wildmatch_test

import (
	"strings"
	"testing"

	"agent/internal/tools/search/wildmatch"
)

// TestCostOfAPattern compares patterns made to be slow. The steps are bounded by
// the product of the lengths.
func TestCostOfAPattern(t *testing.T) {
	long := strings.Repeat("a", 255)
	deep := strings.Repeat("a/", 500) + "a"
	wide := strings.Repeat(long+"/", 100) + long
	for _, pattern := range []string{
		strings.Repeat("a*", 100) + "b",
		strings.Repeat("*a", 100) + "b",
		"*" + strings.Repeat("a", 120) + "b",
		strings.Repeat("*", 1000) + "b",
		strings.Repeat("**/", 500) + "b",
		strings.Repeat("**/a/", 200) + "b",
		strings.Repeat("**/*a*a/", 100) + "b",
		strings.Repeat("**/*a*a*a*a*ab/", 50) + "b",
		strings.Repeat(`**\/`, 300) + "b",
		strings.Repeat(`**\/*a`, 300) + "b",
		strings.Repeat("*/", 499) + "*b",
		strings.Repeat("?*", 200) + "b",
		"a/**/" + strings.Repeat("*a*/", 50) + "**/b",
	} {
		for _, s := range []string{long, deep, wide} {
			ok, steps := wildmatch.Match(pattern, s)
			if most := 4 * (len(pattern) + 1) * (len(s) + 1); ok || steps > most {
				t.Errorf("%.20s… on %.5s… of %d bytes: got %v after %d steps, want no match in %d", pattern, s, len(s), ok, steps, most)
			}
		}
	}
}
