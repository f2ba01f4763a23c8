package search

import (
	"context"
	"sync"
	"sync/atomic"

	gitignore "github.com/sabhiram/go-gitignore"

	"agent/internal/tools/search/wildmatch"
)

// Limits says which limits a call reached. The zero value is a call that
// reached none.
type Limits struct {
	Rules bool // not all ignore rules were read and applied: ignored files may be in the results
	Deep  int  // directories that were not entered because they are too deep
	Large int  // directories with too many entries, of which only some were looked at
	Grown int  // files that grew while they were searched; the new part was not searched
}

// caps are the limits of one call. A repository decides how many rules,
// directories and entries there are, so each of them is bounded.
type caps struct {
	file     int64 // bytes of one ignore file
	bytes    int64 // bytes of all ignore files and configuration files
	patterns int64 // patterns of all ignore files
	steps    int64 // comparisons of entries with patterns; see also stepsPerEntry
	compiled int   // different patterns with a character class
	configs  int64 // configuration files of all repositories
	depth    int   // levels of directories below the start
	entries  int   // entries of one directory, or of a whole listing
	growth   int64 // bytes that a file may grow while it is searched
}

func defaultCaps() caps {
	return caps{
		file: 4 << 20, bytes: 16 << 20, patterns: 200_000, steps: 1 << 30, compiled: 2000, configs: 2000,
		depth: 1000, entries: 1_000_000, growth: 16 << 20,
	}
}

const (
	// stepsPerEntry is what each entry adds to caps.steps, so that a large tree
	// with ordinary rules never runs out of them.
	stepsPerEntry = 4096
	// stepsAtOnce is how many steps a goroutine takes before it accounts for
	// them and checks the context.
	stepsAtOnce = 1 << 18
	// linesAtOnce is how many lines of a file are read before the context is
	// checked.
	linesAtOnce = 1024
)

// budget is what is left of the caps of one call, and the context of that call.
// It is safe for concurrent use.
type budget struct {
	ctx  context.Context
	caps caps

	bytes, patterns, steps, configs atomic.Int64

	shared   sync.Once
	base     gitConfig // of the system and the user
	baseLeft int       // configuration files that a repository may still add to it

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

// note records a limit that was reached.
func (b *budget) note(change func(l *Limits)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.limits)
}

// noteRules records that some rules are not applied.
func (b *budget) noteRules() { b.note(func(l *Limits) { l.Rules = true }) }

// reached returns the limits that were reached so far.
func (b *budget) reached() Limits {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limits
}

// take takes n from what is left and reports whether there was so much.
func (b *budget) take(left *atomic.Int64, n int64) bool {
	if left.Add(-n) >= 0 {
		return true
	}
	b.noteRules()
	return false
}

// spend accounts for n comparisons with patterns. It reports whether more may
// be made.
func (b *budget) spend(n int) bool {
	if b.steps.Add(-int64(n)) >= 0 {
		return !b.ended()
	}
	b.noteRules()
	return false
}

// library returns go-gitignore's form of a pattern with character classes. It
// is compiled once in a call, however many ignore files hold the pattern. The
// result is nil for too many different patterns.
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
