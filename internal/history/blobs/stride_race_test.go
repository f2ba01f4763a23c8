//go:build race

package blobs_test

// stride is the distance between damaged bytes. It is larger with the race detector,
// which is slow.
const stride = 17
