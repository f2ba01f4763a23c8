package search

// Caps are limits of a tree that a test lowers. Zero keeps the default.
type Caps struct {
	Bytes, Patterns, Steps, Growth int64
	Compiled, Depth, Entries       int
}

// Cap lowers limits of t.
func (t *Tree) Cap(c Caps) *Tree {
	set(&t.caps.bytes, c.Bytes)
	set(&t.caps.patterns, c.Patterns)
	set(&t.caps.steps, c.Steps)
	set(&t.caps.growth, c.Growth)
	set(&t.caps.compiled, c.Compiled)
	set(&t.caps.depth, c.Depth)
	set(&t.caps.entries, c.Entries)
	return t
}

func set[T comparable](to *T, v T) {
	var zero T
	if v != zero {
		*to = v
	}
}
