//go:build !linux && !darwin

package rescue

import "errors"

// Stands reports whether rescue processes are supported on this platform.
const Stands = false

// Run does nothing.
func Run() {}

// State is not supported on this platform.
func State(int) ([]byte, error) { return nil, errors.ErrUnsupported }
