//go:build !unix

package keeper

// Run does nothing: commands have no keeper on this system.
func Run(Open) { dispatched = true }
