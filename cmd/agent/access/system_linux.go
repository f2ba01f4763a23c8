package access

import (
	"fmt"
	"os"
	"strings"
)

// reportFormat changes whenever a stored report means something else.
const reportFormat = 2

// systemKey identifies what the support of a sandbox depends on: the version of the
// program, the kernel, its boot, the user, and the container in which the program runs. It is empty if that is not
// known.
func systemKey(version string) string {
	parts := []string{fmt.Sprint(reportFormat), version, fmt.Sprint(os.Geteuid())}
	for _, file := range []string{"/proc/sys/kernel/osrelease", "/proc/sys/kernel/random/boot_id"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return ""
		}
		parts = append(parts, strings.TrimSpace(string(text)))
	}
	for _, link := range []string{"/proc/self/ns/user", "/proc/self/ns/mnt"} {
		to, err := os.Readlink(link)
		if err != nil {
			return ""
		}
		parts = append(parts, to)
	}
	return strings.Join(parts, " ")
}
