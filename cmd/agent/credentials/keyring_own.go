//go:build windows || darwin

package credentials

// KeyringAvailable reports true: the operating system has a keyring.
func KeyringAvailable() bool { return true }
