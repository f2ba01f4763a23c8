//go:build !race

package history_test

// stride is how far apart the bytes are that are damaged one after the other.
const stride = 1
