// Package pager shows the whole transcript in the full screen, and searches it. Both
// are layers: the Pager covers the prompt, the Finder takes its place.
package pager
