//go:build race

package history_test

// stride is the distance between damaged bytes. It is larger with the race
// detector, which is slow.
const stride = 97
