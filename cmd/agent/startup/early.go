//go:build !go1.27

package startup

import _ "unsafe" // for go:linkname

// setGCPercent is debug.SetGCPercent before runtime/debug is ready: what that
// function calls, which the runtime lends it by this name. The linker lets others
// have it as long as the runtime does so. A version of Go that did not would fail
// to build this, which is why only those that are known to do are asked: see
// late.go.
//
//go:linkname setGCPercent runtime/debug.setGCPercent
func setGCPercent(percent int32) (before int32)
