//go:build !linux && !darwin

package rescue

import "errors"

// Stands says that there can be such a process here.
const Stands = false

// Run does nothing.
func Run() {}

// State is not known here.
func State(int) ([]byte, error) { return nil, errors.ErrUnsupported }
