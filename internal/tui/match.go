package tui

// Match is a file or a directory of the workspace that a query found.
type Match struct {
	Path string // relative to the workspace, with slashes and none at its end; untrusted text
	Dir  bool
	At   []int // the bytes of Path that the query's letters stand for, rising; empty for an empty query
}
