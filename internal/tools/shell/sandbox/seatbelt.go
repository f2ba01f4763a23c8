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
// inside. Unix sockets can be reached only below writable paths and, with the network, at
// the paths that are shown. It is untested: nobody has run it on macOS.
func seatbelt(paths map[string]access, network bool) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"} {
		b.WriteString("(allow file-write* (literal " + strconv.Quote(device) + "))\n")
	}
	b.WriteString("(allow file-write* (regex #\"^/dev/(fd/[0-9]+|ttys[0-9]+)$\"))\n")
	if network { // names are looked up through a socket
		b.WriteString("(deny network-outbound (remote unix-socket))\n(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n")
	} else {
		b.WriteString("(deny network*)\n(allow network* (local ip \"localhost:*\"))\n(allow network* (remote ip \"localhost:*\"))\n")
		b.WriteString("(allow network-bind (local ip \"*:*\"))\n(allow network-inbound (local ip \"*:*\"))\n")
	}
	for _, path := range slices.SortedFunc(maps.Keys(paths), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	}) {
		quoted := "(subpath " + quoteScheme(path) + ")"
		switch paths[path] {
		case write:
			b.WriteString("(allow file-read* file-write* network* " + quoted + ")\n")
		case show:
			b.WriteString("(allow file-read* " + quoted + ")\n")
			if network { // the SSH agent
				b.WriteString("(allow network-outbound (literal " + quoteScheme(path) + "))\n")
			}
		case readOnly:
			b.WriteString("(deny file-write* " + quoted + ")\n")
		case hide:
			b.WriteString("(deny file-read* file-write* network-outbound " + quoted + ")\n")
		}
	}
	return b.String()
}

// quoteScheme quotes a string of a profile.
func quoteScheme(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
