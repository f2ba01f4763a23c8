//go:build !unix

package keeper

// Run does nothing: commands have no keeper on this system.
func Run() { dispatched = true }
