//go:build race

package loop_test

// veryMany is a number of deltas, smaller because the race detector is slow.
const veryMany = 20_000
