//go:build windows || darwin

package main

// ringReachable is true where the system brings its own keyring.
func ringReachable() bool { return true }
