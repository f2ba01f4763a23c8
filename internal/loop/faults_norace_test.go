//go:build !race

package loop_test

// veryMany is a number of deltas.
const veryMany = 100_000
