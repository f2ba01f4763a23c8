package shell

import (
	"path/filepath"
	"regexp"
	"strings"

	"agent/internal/tools/shell/sandbox"
)

// SandboxFailure looks at the end of the output of a failed command. If its
// sandbox is the likely reason, it returns a sentence for the model that says so;
// otherwise it returns "". It is conservative: a message that commands also print
// without a sandbox counts only with a path that the sandbox denies.
func SandboxFailure(p *sandbox.Profile, output string, code int) string {
	if code == 0 || p == nil {
		return ""
	}
	if len(output) > sandboxTail {
		output = output[len(output)-sandboxTail:]
	}
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if path := deniedPath(p, line); path != "" {
			return "The sandbox probably caused this failure: commands cannot write to " + path + "."
		}
		if !p.Network && noNetwork.MatchString(line) && !loopback.MatchString(line) {
			return "The sandbox probably caused this failure: commands have no network except the loopback interface."
		}
	}
	return ""
}

// sandboxTail is how much of an output SandboxFailure looks at, in bytes.
const sandboxTail = 8 << 10

var (
	deniedWrite = regexp.MustCompile(`(?i)read-only file system|permission denied|operation not permitted|\bEROFS\b|\bEACCES\b|\bEPERM\b`)
	noNetwork   = regexp.MustCompile(`(?i)network is unreachable|\bENETUNREACH\b|temporary failure in name resolution|` +
		`could not resolve host|\bEAI_AGAIN\b|name or service not known|getaddrinfo ENOTFOUND|dial (tcp|udp).*(no such host|socket: permission denied)|` +
		`lookup \S+ on \S+: .*(refused|unreachable)|no route to host`)
	loopback = regexp.MustCompile(`(?i)\blocalhost\b|\b127\.\d+\.\d+\.\d+\b(:\d+)? *$|\[::1\]`)
	pathIn   = regexp.MustCompile(`/[^\s:'"‘’` + "`" + `,;()\[\]{}<>|]+`)
)

// deniedPath returns the path in an error message that the sandbox denies, or "".
func deniedPath(p *sandbox.Profile, line string) string {
	if !deniedWrite.MatchString(line) {
		return ""
	}
	readOnlySystem := strings.Contains(strings.ToLower(line), "read-only file system") || strings.Contains(line, "EROFS")
	for _, path := range pathIn.FindAllString(line, -1) {
		path = filepath.Clean(path)
		for _, fixed := range p.ReadOnly {
			if within(path, fixed) {
				return path
			}
		}
		// A read-only file system is rare outside of a sandbox. A path that is denied
		// may as well belong to another user, or be a program.
		if !writable(p, path) && (readOnlySystem || p.Home != "" && within(path, p.Home)) {
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
