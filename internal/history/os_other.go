//go:build !linux

package history

import "os"

// holder returns 0: the process is unknown.
func holder(*os.File) int { return 0 }
