//go:build !go1.27

// With this file the compiler takes a function without a body, in early.go.
