//go:build !unix

package supervisor

// Run does nothing: commands have no supervisor on this system.
func Run(Open) { dispatched = true }
