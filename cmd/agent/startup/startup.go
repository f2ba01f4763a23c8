// Package startup spares the garbage collector while the program starts.
//
// Libraries build tables before main begins, some 6 MiB of them: the lexers and
// styles of code, above all. Beginning at 4 MiB, the collector would run twice
// meanwhile and once more before the first frame, and find that nearly all of
// it stays. Without that a start takes 2 to 5 ms less of a processor's time,
// which is a sixth of it.
//
// Its first run is put off, no more: from that on it works by its usual measure,
// which GOGC may have set. Where that puts off more by itself, nothing is done.
//
// Go initialises packages in the order of their import paths, as soon as what
// they import is ready. So this package must import nothing that is not ready
// early; runtime/debug is not.
package startup

import "runtime"

// ample lets the heap grow to 16 MiB before it is collected.
const ample = 400

func init() {
	usual := setGCPercent(ample)
	if usual < 0 || usual > ample { // less than 0 is never
		setGCPercent(usual)
		return
	}
	// What nothing refers to is what the first run of the collector finds.
	runtime.AddCleanup(new([64]byte), func(usual int32) { setGCPercent(usual) }, usual)
}
