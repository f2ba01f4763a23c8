//go:build go1.27

package startup

import "runtime/debug"

// setGCPercent comes too late to do much good, but works with every version of
// Go.
func setGCPercent(percent int32) (before int32) { return int32(debug.SetGCPercent(int(percent))) }
