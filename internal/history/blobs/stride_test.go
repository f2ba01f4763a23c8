//go:build !race

package blobs_test

// stride is the distance between damaged bytes.
const stride = 1
