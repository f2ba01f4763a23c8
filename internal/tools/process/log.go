package process

import (
	"strings"
	"sync"
)

// LogSize is how many bytes a Log keeps.
const LogSize = 64 << 10

// Log keeps the last LogSize bytes that were written to it. The zero value is an empty
// log. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	kept []byte // at most twice LogSize
}

// Write adds text. It never fails.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, b[max(0, len(b)-LogSize):]...)
	if len(l.kept) > 2*LogSize {
		l.kept = append(l.kept[:0], l.kept[len(l.kept)-LogSize:]...)
	}
	return len(b), nil
}

// String returns the kept text as valid UTF-8. It is not safe to print: see ink.Sanitize.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.ToValidUTF8(string(l.kept[max(0, len(l.kept)-LogSize):]), "\uFFFD")
}

// First returns the first n lines that are not blank and are still kept.
func (l *Log) First(n int) string {
	lines := l.lines()
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

// Last returns the last n lines that are not blank.
func (l *Log) Last(n int) string {
	lines := l.lines()
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// lines returns the lines that are not blank, without the space around them.
func (l *Log) lines() (lines []string) {
	for line := range strings.Lines(l.String()) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
