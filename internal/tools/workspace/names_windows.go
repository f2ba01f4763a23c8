package workspace

import (
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/tools/advice"
)

// checkNames rejects a relative path with a name that Windows interprets: a
// device, an alternate data stream, or a name with trailing dots or spaces.
func checkNames(rel string) error {
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		switch {
		case name == "" || name == "." || name == "..":
		case strings.ContainsAny(name, `<>:"|?*`):
			return advice.Add(fmt.Errorf("%s: file names on Windows cannot contain < > : \" | ? *", rel), "Use another name")
		case strings.TrimRight(name, ". ") != name:
			return advice.Add(fmt.Errorf("%s: Windows drops trailing dots and spaces of %q", rel, name), "Remove them")
		case !filepath.IsLocal(name):
			return advice.Add(fmt.Errorf("%s: %s is a device name on Windows", rel, name), "Use another name")
		}
	}
	return nil
}
