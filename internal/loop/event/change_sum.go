package event

// ChangeSum is the size of what a turn, and what followed until the next turn, did to
// files.
type ChangeSum struct {
	Files    int `json:"files,omitempty"`
	Added    int `json:"added,omitempty"` // lines
	Removed  int `json:"removed,omitempty"`
	Commands int `json:"commands,omitempty"` // that ran
}

// ChangeCount computes a ChangeSum. The zero ChangeCount is empty.
type ChangeCount struct {
	paths map[string]bool
	more  int // changed files whose paths are not in the events
	lines [2]int
	ran   int
}

// Add adds what an event reports. It reports whether the sum has changed.
func (c *ChangeCount) Add(e Event) bool {
	switch e := e.(type) {
	case *FilesChanged:
		c.File(e.Paths...)
		c.more += max(e.Files-len(e.Paths), 0)
		c.lines[0] += e.Added
		c.lines[1] += e.Removed
	case *ToolStart:
		if e.Effect != ExecuteEffect {
			return false
		}
		c.ran++
	case *ShellStart:
		c.ran++
	default:
		return false
	}
	return true
}

// File adds changed files. A file counts once.
func (c *ChangeCount) File(paths ...string) {
	if c.paths == nil {
		c.paths = map[string]bool{}
	}
	for _, p := range paths {
		c.paths[p] = true
	}
}

// Sum returns the sum so far.
func (c *ChangeCount) Sum() ChangeSum {
	return ChangeSum{Files: len(c.paths) + c.more, Added: c.lines[0], Removed: c.lines[1], Commands: c.ran}
}
