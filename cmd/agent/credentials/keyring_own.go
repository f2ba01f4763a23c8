//go:build windows || darwin

package credentials

// keyringReachable is true where the system brings its own keyring.
func keyringReachable() bool { return true }
