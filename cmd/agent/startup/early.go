//go:build !go1.27

package startup

import _ "unsafe" // for go:linkname

// setGCPercent is debug.SetGCPercent before runtime/debug is ready. No later
// version of Go has to have it under this name: see late.go.
//
//go:linkname setGCPercent runtime/debug.setGCPercent
func setGCPercent(percent int32) (before int32)
