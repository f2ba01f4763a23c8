//go:build !race

package history_test

// stride is the distance between damaged bytes.
const stride = 1
