package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks sanitised text into lines of at most width columns.
func Wrap(s string, width int) []string {
	return strings.Split(ansi.Wrap(s, max(width, 1), ""), "\n")
}

// Truncate cuts sanitised text to width columns, with … where it was cut.
func Truncate(s string, width int) string {
	return ansi.Truncate(s, max(width, 0), "…")
}
