package shell

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/shell/supervisor"
)

// Attempt is an access of a command that its sandbox refused.
type Attempt = supervisor.Attempt

// The kinds of attempts.
const (
	AttemptWrite   = supervisor.Writes
	AttemptConnect = supervisor.Connect
	AttemptLookup  = supervisor.Lookup
)

// about matches output about a connection in the widest sense. It only tells which of the attempts
// that the supervisor saw a failure is about.
var about = pattern(`(?i)network|connect|resol|lookup|\bhost|\bdns|name or service|EAI_AGAIN|ENOTFOUND|unreachable|timed? ?out|download|fetch|https?:|proxy|registry|remote|socket`)

// attempted returns the failure that an attempt explains.
func attempted(p *sandbox.Profile, output string, attempts []Attempt) (f Failure, ok bool) {
	for _, a := range attempts {
		switch {
		case !Explains(a, output):
		case a.Kind == AttemptWrite:
			if !MayWrite(a.Target) {
				continue
			}
			if slices.ContainsFunc(p.Downloads, func(dir string) bool { return realpath.Inside(a.Target, dir) }) && !p.Network {
				return Failure{Network: true}, true
			}
			return Failure{Path: a.Target}, true
		case a.Kind == AttemptLookup:
			if f = (Failure{Network: true}); !ok { // the address of a connection says more
				ok = true
			}
		default:
			if port, local := LoopbackPort(a.Target); !local || sandbox.HostListens(port) {
				return Failure{Network: true, Address: a.Target}, true
			}
		}
	}
	return f, ok
}

// Explains reports whether the output of a failed command mentions an attempt, or says nothing.
func Explains(a Attempt, output string) bool {
	if strings.TrimSpace(output) == "" {
		return true
	}
	if a.Kind == AttemptWrite {
		return strings.Contains(output, filepath.Base(a.Target)) || deniedWrite().MatchString(output)
	}
	return about().MatchString(output)
}

// LoopbackPort returns the port of an address, and whether it is one of this computer.
func LoopbackPort(address string) (port uint16, local bool) {
	to, err := netip.ParseAddrPort(address)
	return to.Port(), err == nil && (to.Addr().IsLoopback() || to.Addr().IsUnspecified())
}

// IsUserState reports whether a path is the user's directory of configurations or caches, or below it.
// Toolchains try to write there all the time, for example to count their uses, and continue without it.
func IsUserState(path string) bool {
	var dirs []string
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".config"), filepath.Join(home, ".cache"))
	}
	if dir, err := os.UserConfigDir(); err == nil {
		dirs = append(dirs, dir)
	}
	if dir, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, dir)
	}
	return slices.ContainsFunc(dirs, func(dir string) bool { return realpath.Reaches(path, dir) })
}

// MayWrite reports whether the user may change what is at a path outside the sandbox, or create it.
func MayWrite(path string) bool {
	for ; ; path = filepath.Dir(path) {
		if _, err := os.Lstat(path); err == nil || filepath.Dir(path) == path {
			return mayWrite(path)
		}
	}
}
