package watch

import (
	"sync"

	"agent/internal/tools/protect"
	"agent/internal/tools/snapshot"
)

// protection holds what a command has done to protected paths and to repositories, and reports
// it. Paths are absolute. It decides nothing about a change. It is safe for concurrent use.
type protection struct {
	roots   []string
	names   *protect.Names
	search  protect.Search
	reports Reports

	mu      sync.Mutex
	made    map[string]birth // directories that the command has created
	planted map[string]bool  // directories that were reported as repositories; true if the command has created them
	sealed  map[string]birth // directories that the command has turned into git directories
	existed map[string]bool  // paths at which something was before their first change
	loose   map[string]bool  // protected paths that the command was allowed to create
	named   []string         // protected paths that the command could not change
}

// birth identifies a directory. An inode alone does not: file systems use it again. The zero
// value means unknown.
type birth struct {
	inode       uint64
	sec         int64 // when it was created; zero where the file system does not know it
	nanoseconds uint32
}

func newProtection(o snapshot.Order, reports Reports) *protection {
	var names []protect.Name
	for _, path := range o.Protected {
		names = append(names, protect.Name{Path: path, Why: path})
	}
	return &protection{
		roots: o.Roots, names: protect.New(names), search: o.Search, reports: reports,
		made: map[string]birth{}, planted: map[string]bool{}, sealed: map[string]birth{}, existed: map[string]bool{}, loose: map[string]bool{},
	}
}

// noteExisting notes that something was at a path before its first change.
func (g *protection) noteExisting(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.loose[path] {
		g.existed[path] = true
	}
}
