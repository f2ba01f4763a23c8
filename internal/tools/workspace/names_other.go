//go:build !windows

package workspace

// checkNames returns nil: these systems have no reserved file names.
func checkNames(string) error { return nil }
