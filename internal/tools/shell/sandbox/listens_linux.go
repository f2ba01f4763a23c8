package sandbox

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// HostListens reports whether a program outside the sandbox accepts connections on a
// TCP port.
func HostListens(port uint16) bool { return slices.Contains(listeners("self"), port) }

// Listeners returns the TCP ports on which programs accept connections in the network of
// a process, in ascending order; none if that is not known.
func Listeners(pid int) []uint16 { return listeners(strconv.Itoa(pid)) }

func listeners(process string) []uint16 {
	ports := map[uint16]bool{}
	for _, name := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%s/net/%s", process, name))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) { // "0: 0100007F:1F90 00000000:0000 0A ..."
			fields := strings.Fields(line)
			if len(fields) < 4 || fields[3] != "0A" {
				continue
			}
			_, hex, _ := strings.Cut(fields[1], ":")
			if n, err := strconv.ParseUint(hex, 16, 16); err == nil {
				ports[uint16(n)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ports))
}
