// Package pager shows the transcript in the full screen, and searches it. Both are
// layers: the Pager covers the prompt, the Finder replaces it. Start reading at Pager.
package pager
