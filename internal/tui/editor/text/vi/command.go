package vi

import "strings"

// command is the command that is being typed.
type command struct {
	keys     []string // so far
	count    int      // 0 for none
	opCount  int      // the count before the operator
	operator string
	wait     string // the key that needs another one: f, r, g, i …
	pattern  string // the search pattern typed so far
	area     area   // the visual selection
}

// reset starts a new command.
func (c *command) reset() { *c = command{} }

// waits reports whether a key needs another one after it. Some of these commands are
// not supported; they only consume the second key.
func (c *command) waits(key string, mode Mode) bool {
	if key == "i" || key == "a" {
		return c.operator != "" || mode != Normal
	}
	return len(key) == 1 && strings.Contains("fFtTrgm\"'`[]/?zZq@:", key)
}

// times returns the count of the command, at least 1.
func (c *command) times() int { return max(c.count, 1) * max(c.opCount, 1) }

// motionKey returns a key of the command as a motion.
func (c *command) motionKey(key string) motionKey {
	return motionKey{key: key, n: c.times(), counted: c.count > 0 || c.opCount > 0, operator: c.operator}
}
