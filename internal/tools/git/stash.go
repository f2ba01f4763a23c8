package git

import (
	"path/filepath"
	"slices"
	"strings"
)

// maxStashLog is the size in bytes of the largest log of stashes that is read.
const maxStashLog = 64 << 10

// Stashes returns the messages of the stashes, the newest first. It reads the files of git
// and runs no program. It returns nil if there are none, or if they cannot be read.
func (r Repository) Stashes() []string {
	if r.common == "" || r.tip("refs/stash") == "" {
		return nil
	}
	log, err := readFile(filepath.Join(r.common, "logs", "refs", "stash"), maxStashLog)
	if err != nil {
		return nil
	}
	var all []string
	for line := range strings.Lines(string(log)) {
		if _, message, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok {
			all = append(all, message)
		}
	}
	slices.Reverse(all)
	return all
}
