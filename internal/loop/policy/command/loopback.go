package command

import (
	"net/netip"
	"slices"
	"strings"
)

// clients are programs that connect only to the servers in their arguments.
var clients = []string{"curl", "wget", "http", "https", "xh", "nc", "ncat", "netcat", "websocat", "grpcurl", "ab", "hey", "wrk"}

// reachesLoopback reports whether a program is a client that names a server on this
// computer, and no URL of another server. A variable counts if the line itself names such a server
// and no other one. It is a guess, which only serves to ask for no network that the command does
// not need.
func reachesLoopback(program string, args []string, line string) bool {
	if !slices.Contains(clients, program) {
		return false
	}
	found := slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "$") }) && namesOnlyLoopback(line)
	for _, arg := range args {
		local := onLoopback(arg)
		if !local && strings.Contains(arg, "://") {
			return false
		}
		found = found || local
	}
	return found
}

// namesOnlyLoopback reports whether a line contains URLs, and only those of servers on this computer.
func namesOnlyLoopback(line string) bool {
	found := false
	for {
		_, rest, more := strings.Cut(line, "://")
		if !more {
			return found
		}
		if end := strings.IndexAny(rest, " \t\n\"'`;|&()<>"); end >= 0 {
			line, rest = rest[end:], rest[:end]
		} else {
			line = ""
		}
		if !onLoopback("://" + rest) {
			return false
		}
		found = true
	}
}

// onLoopback reports whether a word is a URL or a host, with or without a port, of a
// server on this computer.
func onLoopback(word string) bool {
	_, rest, isURL := strings.Cut(word, "://")
	if !isURL {
		rest = word
	}
	host, _, _ := strings.Cut(rest, "/")
	if host = strings.TrimPrefix(host, "["); host != rest && strings.Contains(host, "]") { // an IPv6 address
		host, _, _ = strings.Cut(host, "]")
	} else if strings.Count(host, ":") == 1 {
		host, _, _ = strings.Cut(host, ":")
	}
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}
