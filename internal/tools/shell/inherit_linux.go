package shell

import (
	"math"

	"golang.org/x/sys/unix"
)

// keepDescriptors keeps what this program was itself started with, beyond its
// three streams, from the commands it starts. Its own files never reach them.
func keepDescriptors() {
	unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}
