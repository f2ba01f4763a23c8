//go:build !linux && !darwin

package rescue

import "errors"

// Supported reports whether rescue processes are supported on this platform.
const Supported = false

// Run does nothing.
func Run() {}

// State is not supported on this platform.
func State(int) ([]byte, error) { return nil, errors.ErrUnsupported }
