//go:build !linux && !darwin

package confine

import "errors"

func noReplace(int, string, string) error { return errors.ErrUnsupported }
