package shell

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agent/internal/tools/shell/sandbox"
)

// Failure says how a sandbox made a command fail.
type Failure struct {
	Network bool   // the command tried to use the network of the host
	Path    string // the command tried to write to it; empty if Network is set
}

func (f Failure) String() string {
	if f.Network {
		return "commands have no network except a loopback interface of their own"
	}
	return "commands cannot write to " + f.Path
}

// SandboxFailure looks at the end of the output of a failed command that ran in dir. It
// reports whether its sandbox is the likely reason, and how. It is conservative: a
// message that commands also print without a sandbox counts only with a path that the
// sandbox denies, or with the port of a server that runs outside it.
func SandboxFailure(p *sandbox.Profile, dir, output string, code int) (f Failure, ok bool) {
	if code == 0 || p == nil {
		return f, false
	}
	if len(output) > sandboxTail {
		output = output[len(output)-sandboxTail:]
	}
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if path := deniedPath(p, dir, line); path != "" {
			if slices.ContainsFunc(p.Downloads, func(dir string) bool { return within(path, dir) }) && !p.Network {
				return Failure{Network: true}, true
			}
			return Failure{Path: path}, true
		}
		if !p.Network && (noNetwork.MatchString(line) && !loopback.MatchString(line) || refusedByHost(line)) {
			return Failure{Network: true}, true
		}
	}
	return f, false
}

// refusedByHost reports whether a message says that a server on the loopback interface
// refused a connection, although the host has one on that port.
func refusedByHost(line string) bool {
	if !refused.MatchString(line) {
		return false
	}
	for _, m := range port.FindAllStringSubmatch(line, -1) {
		if n, err := strconv.ParseUint(m[1], 10, 16); err == nil && sandbox.HostListens(uint16(n)) {
			return true
		}
	}
	return false
}

// sandboxTail is how much of an output SandboxFailure looks at, in bytes.
const sandboxTail = 8 << 10

var (
	deniedWrite = regexp.MustCompile(`(?i)read-only file system|permission denied|operation not permitted|device or resource busy|\bEBUSY\b|\bEROFS\b|\bEACCES\b|\bEPERM\b`)
	noNetwork   = regexp.MustCompile(`(?i)network is unreachable|\bENETUNREACH\b|temporary failure in name resolution|` +
		`could not resolve host|\bEAI_AGAIN\b|name or service not known|getaddrinfo ENOTFOUND|dial (tcp|udp).*(no such host|socket: permission denied)|` +
		`lookup \S+ on \S+: .*(refused|unreachable)|no route to host`)
	loopback = regexp.MustCompile(`(?i)\blocalhost\b|\b127\.\d+\.\d+\.\d+\b(:\d+)? *$|\[::1\]`)
	refused  = regexp.MustCompile(`(?i)connection refused|\bECONNREFUSED\b|failed to connect|couldn't connect`)
	port     = regexp.MustCompile(`(?i)(?:(?:localhost|127\.0\.0\.1|::1\]?)[:, ]+|\bport[ =:])(\d{1,5})\b`)
	// shellPrefix is the name of a shell and a line number before its message.
	shellPrefix = regexp.MustCompile(`^\S+: (line )?\d+: `)
	pathIn      = regexp.MustCompile(`[^\s:'"‘’` + "`" + `,;()\[\]{}<>|]+`)
)

// deniedPath returns the path in an error message that the sandbox denies, or "". A
// relative path starts from dir.
func deniedPath(p *sandbox.Profile, dir, line string) string {
	if !deniedWrite.MatchString(line) {
		return ""
	}
	line = shellPrefix.ReplaceAllString(line, "")
	readOnlySystem := strings.Contains(strings.ToLower(line), "read-only file system") || strings.Contains(line, "EROFS")
	for _, word := range pathIn.FindAllString(line, -1) {
		path := filepath.Clean(word)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		for _, fixed := range p.ReadOnly {
			if within(path, fixed) {
				return path
			}
		}
		// A read-only file system is rare outside a sandbox, so any path counts. For
		// "permission denied" only a path in the home directory counts: another one may
		// belong to another user, or be a program.
		isPath := strings.Contains(word, "/")
		if isPath && !writable(p, path) && (readOnlySystem || p.Home != "" && within(path, p.Home)) {
			return path
		}
	}
	return ""
}

// writable reports whether commands may write to a path.
func writable(p *sandbox.Profile, path string) bool {
	for _, w := range p.Write {
		if within(path, w) {
			return true
		}
	}
	return within(path, "/dev") || within(path, "/proc")
}

// within reports whether path is dir or in it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
