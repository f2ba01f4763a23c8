package supervisor

import (
	"strconv"
	"strings"
)

// Attempt is an access of a command that its sandbox refused.
type Attempt struct {
	Kind AttemptKinds // one of them
	// Target is an absolute path, as the command sees it, or an address with its port.
	Target string
}

// AttemptKinds is a set of kinds of attempts.
type AttemptKinds uint32

// The kinds of attempts.
const (
	Writes  AttemptKinds = 1 << iota // to a path that is read-only or hidden
	Connect                          // to a server
	Lookup                           // of a name, at this server
)

// maxAttempts is how many attempts of one kind are reported.
const maxAttempts = 8

// text returns the text of a report: the kind as a number, a zero byte, and the target.
func (a Attempt) text() string { return strconv.Itoa(int(a.Kind)) + "\x00" + a.Target }

// parseAttempt parses the text of a report.
func parseAttempt(text string) Attempt {
	kind, target, _ := strings.Cut(text, "\x00")
	n, _ := strconv.Atoi(kind)
	return Attempt{AttemptKinds(n), target}
}
