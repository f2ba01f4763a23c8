package search

import (
	"context"
	"sync"
	"sync/atomic"

	gitignore "github.com/sabhiram/go-gitignore"

	"agent/internal/tools/search/wildmatch"
)

// Limits are the limits that a call reached. The zero value means none.
type Limits struct {
	Rules bool // not all ignore rules were applied: results may include ignored files
	Deep  int  // directories skipped because they are too deep
	Large int  // directories with too many entries, read only in part
	Grown int  // files that grew during the search; the new part was not searched
}

// caps are the limits of one call, because a repository controls the number of
// rules, directories and entries.
type caps struct {
	file     int64 // bytes of one ignore file
	bytes    int64 // bytes of all ignore files and configuration files
	patterns int64 // patterns of all ignore files
	steps    int64 // comparisons of entries with patterns; see also stepsPerEntry
	compiled int   // distinct patterns with character classes
	configs  int64 // configuration files of all repositories
	depth    int   // directory levels below the start
	entries  int   // entries of one directory or listing
	growth   int64 // bytes by which a file may grow during its search
}

func defaultCaps() caps {
	return caps{
		file: 4 << 20, bytes: 16 << 20, patterns: 200_000, steps: 1 << 30, compiled: 2000, configs: 2000,
		depth: 1000, entries: 1_000_000, growth: 16 << 20,
	}
}

const (
	// stepsPerEntry is added to the budget for each entry, so that large trees with
	// ordinary rules never exhaust it.
	stepsPerEntry = 4096
	// stepsAtOnce is how many steps a goroutine takes between updates of the budget
	// and checks of the context.
	stepsAtOnce = 1 << 18
	// linesAtOnce is how many lines are parsed between checks of the context.
	linesAtOnce = 1024
)

// budget is the remaining part of the caps of one call, and its context. It is
// safe for concurrent use.
type budget struct {
	ctx  context.Context
	caps caps

	bytes, patterns, steps, configs atomic.Int64

	shared sync.Once
	base   gitConfig // configuration of the system and the user

	mu       sync.Mutex
	limits   Limits
	compiled map[string]*gitignore.GitIgnore
}

func newBudget(ctx context.Context, c caps) *budget {
	b := &budget{ctx: ctx, caps: c, compiled: map[string]*gitignore.GitIgnore{}}
	b.bytes.Store(c.bytes)
	b.patterns.Store(c.patterns)
	b.steps.Store(c.steps)
	b.configs.Store(c.configs)
	return b
}

// ended reports whether the call was canceled.
func (b *budget) ended() bool { return b.ctx.Err() != nil }

// note records a reached limit.
func (b *budget) note(change func(l *Limits)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.limits)
}

// noteRules records that some rules were not applied.
func (b *budget) noteRules() { b.note(func(l *Limits) { l.Rules = true }) }

// reached returns the limits reached so far.
func (b *budget) reached() Limits {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limits
}

// subtract subtracts n and reports whether the budget sufficed.
func (b *budget) subtract(left *atomic.Int64, n int64) bool {
	if left.Add(-n) >= 0 {
		return true
	}
	b.noteRules()
	return false
}

// spend subtracts n comparisons and reports whether more are allowed.
func (b *budget) spend(n int) bool {
	if b.steps.Add(-int64(n)) >= 0 {
		return !b.ended()
	}
	b.noteRules()
	return false
}

// library returns the go-gitignore form of a pattern with character classes,
// compiled once per call. It returns nil if there are too many such patterns.
func (b *budget) library(g *glob, fold bool) *gitignore.GitIgnore {
	key := g.prefix + "\x00" + g.classes
	if fold {
		key = "\x00" + key
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.compiled[key]; ok {
		return c
	}
	if len(b.compiled) >= b.caps.compiled {
		b.limits.Rules = true
		return nil
	}
	var c *gitignore.GitIgnore
	if expr, ok := wildmatch.Translate(g.prefix, g.classes, fold); ok {
		c = gitignore.CompileIgnoreLines(expr)
	}
	b.compiled[key] = c
	return c
}
