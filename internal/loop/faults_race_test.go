//go:build race

package loop_test

// veryMany is a number of deltas. The race detector takes its time with each.
const veryMany = 20_000
