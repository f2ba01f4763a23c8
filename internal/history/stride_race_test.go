//go:build race

package history_test

// stride is how far apart the bytes are that are damaged one after the other:
// the race detector makes it slow, and looks for something else.
const stride = 7
