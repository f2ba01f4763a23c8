package workspace

import (
	"fmt"
	"path/filepath"
	"strings"
)

// checkNames refuses a path below the workspace, one of whose names means
// something else than it says: a device, a stream behind a file, or the name
// without the dots and blanks at its end.
func checkNames(rel string) error {
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		switch {
		case name == "" || name == "." || name == "..":
		case strings.ContainsAny(name, `<>:"|?*`):
			return fmt.Errorf("%s: on Windows no name of a file has one of the characters < > : \" | ? * in it: use another name", rel)
		case strings.TrimRight(name, ". ") != name:
			return fmt.Errorf("%s: Windows drops dots and blanks at the end of the name %q: leave them out", rel, name)
		case !filepath.IsLocal(name):
			return fmt.Errorf("%s: Windows keeps the name %s for a device: use another name", rel, name)
		}
	}
	return nil
}
