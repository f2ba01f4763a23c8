package window

import (
	"regexp"
	"strconv"
	"strings"
)

// numbers finds the numbers of an error that may count tokens: 1,000 and more.
var numbers = regexp.MustCompile(`\b[0-9]{1,3}(?:,[0-9]{3})+\b|\b[0-9]{4,9}\b`)

// RejectedLimit returns how many tokens to use, as we estimate them, after a provider
// rejected a request of about used tokens as too long. Most providers name two counts
// in the error: the request's, which is the larger one, and the limit. Without them
// the result is three quarters of used.
func RejectedLimit(err string, used int) int {
	var sent, limit int
	for _, digits := range numbers.FindAllString(err, -1) {
		n, _ := strconv.Atoi(strings.ReplaceAll(digits, ",", ""))
		switch {
		case n > sent:
			sent, limit = n, sent
		case n < sent && n > limit:
			limit = n
		}
	}
	if limit == 0 || limit < sent/4 { // the numbers count something else
		return used / 4 * 3
	}
	return int(float64(used) * float64(limit) / float64(sent) * 0.9)
}
