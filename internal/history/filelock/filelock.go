// Package filelock locks files against other programs and syncs them. Every open file
// is one holder of a lock, so that two of them exclude each other even in one process.
// Locks end with their process, so none is ever stale. Start reading at Try.
package filelock
