package sandbox

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// seatbelt returns the profile of sandbox-exec for a plan. Of the rules that match
// an operation the last one counts, so the rules go from the outside to the
// inside. It is untested: nobody has run it on macOS.
func seatbelt(paths map[string]access, network bool) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"} {
		b.WriteString("(allow file-write* (literal " + strconv.Quote(device) + "))\n")
	}
	b.WriteString("(allow file-write* (regex #\"^/dev/(fd/[0-9]+|ttys[0-9]+)$\"))\n")
	for _, path := range slices.SortedFunc(maps.Keys(paths), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	}) {
		quoted := "(subpath " + quoteScheme(path) + ")"
		switch paths[path] {
		case write:
			b.WriteString("(allow file-read* file-write* " + quoted + ")\n")
		case show:
			b.WriteString("(allow file-read* " + quoted + ")\n")
		case readOnly:
			b.WriteString("(deny file-write* " + quoted + ")\n")
		case hide:
			b.WriteString("(deny file-read* file-write* network-outbound " + quoted + ")\n")
		}
	}
	if !network {
		b.WriteString("(deny network*)\n(allow network* (local ip \"localhost:*\"))\n(allow network* (remote ip \"localhost:*\"))\n")
		b.WriteString("(allow network-bind (local ip \"*:*\"))\n(allow network-inbound (local ip \"*:*\"))\n")
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			if paths[path] == write {
				b.WriteString("(allow network* (subpath " + quoteScheme(path) + "))\n")
			}
		}
	}
	return b.String()
}

// quoteScheme quotes a string of a profile.
func quoteScheme(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
