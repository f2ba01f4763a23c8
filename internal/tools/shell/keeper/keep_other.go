//go:build !unix

package keeper

// Run does nothing: commands have no keeper here.
func Run() { dispatched = true }
