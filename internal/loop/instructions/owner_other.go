//go:build !unix

package instructions

// trusted is for systems where directories of several users are not shared by default.
func trusted(_, _ string) bool { return true }
