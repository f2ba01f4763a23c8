package shell

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agent/internal/realpath"
	"agent/internal/tools/shell/sandbox"
)

// Failure says how a sandbox made a command fail.
type Failure struct {
	Network bool   // the command tried to use the network of the host
	Address string // to which it tried to connect, with the port; may be empty
	Path    string // the command tried to write to it, or to read it; empty if Network is set
	Read    bool   // the command tried to read Path
	Home    bool   // Path is hidden only from commands that nobody approved
}

func (f Failure) String() string {
	if f.Network && f.Address != "" {
		return "commands have no network except a loopback interface of their own, and it tried to connect to " + f.Address
	}
	if f.Network {
		return "commands have no network except a loopback interface of their own"
	}
	switch {
	case f.Home:
		return "commands that nobody approved do not see the home directory with " + f.Path
	case f.Read:
		return "commands cannot read " + f.Path
	}
	return "commands cannot write to " + f.Path
}

// SandboxFailure reports whether the sandbox of a failed command, which ran in dir, is the likely
// reason, and how. What the supervisor saw decides. Where it does not report attempts of a kind, or
// cannot see them, as reads of hidden files and lookups of names without a connection, the end of the
// output does. That is conservative: a message that commands also print without a sandbox counts only
// with a path that the sandbox denies, or with the port of a server that runs outside it.
func SandboxFailure(p *sandbox.Profile, dir, output string, code int, kept Kept) (f Failure, ok bool) {
	if code == 0 || p == nil {
		return f, false
	}
	if len(output) > sandboxTail {
		output = output[len(output)-sandboxTail:]
	}
	if f, ok = attempted(p, output, kept.Attempts); ok {
		return f, true
	}
	denies, network := deniedWrite, noNetwork
	if kept.Seen&AttemptWrite != 0 {
		denies = busy
	}
	connects := kept.Seen&AttemptConnect != 0
	if connects {
		network = noName
	}
	rest := output
	for line := range strings.Lines(output) {
		rest = rest[len(line):]
		line = strings.TrimSpace(line)
		if path := deniedPath(p, dir, line, denies()); path != "" {
			if slices.ContainsFunc(p.Downloads, func(dir string) bool { return realpath.Inside(path, dir) }) && !p.Network {
				return Failure{Network: true}, true
			}
			return Failure{Path: path}, true
		}
		if path := hiddenPath(p, dir, line, rest); path != "" {
			return Failure{Path: path, Read: true}, true
		}
		if !p.Network && (network().MatchString(line) && !loopback().MatchString(line) || !connects && refusedByHost(line, output)) {
			return Failure{Network: true}, true
		}
	}
	return f, false
}

// refusedByHost reports whether a message says that a server on the loopback interface
// refused a connection, although the host has one on that port. A message of Python names
// no port: then those in the rest of the output count, and if there are none either, the
// server may be on the host.
func refusedByHost(line, output string) bool {
	if !refused().MatchString(line) {
		return false
	}
	ports := port().FindAllStringSubmatch(line, -1)
	if ports == nil && refusedPython().MatchString(line) {
		if ports = port().FindAllStringSubmatch(output, -1); ports == nil {
			return true
		}
	}
	for _, m := range ports {
		if n, err := strconv.ParseUint(m[1], 10, 16); err == nil && sandbox.HostListens(uint16(n)) {
			return true
		}
	}
	return false
}

// sandboxTail is how much of an output SandboxFailure looks at, in bytes.
const sandboxTail = 8 << 10

var (
	deniedWrite = pattern(`(?i)read-only file system|permission denied|operation not permitted|device or resource busy|\bEBUSY\b|\bEROFS\b|\bEACCES\b|\bEPERM\b`)
	noNetwork   = pattern(`(?i)network is unreachable|\bENETUNREACH\b|temporary failure in name resolution|` +
		`could not resolve host|\bEAI_AGAIN\b|name or service not known|getaddrinfo ENOTFOUND|dial (tcp|udp).*(no such host|socket: permission denied)|` +
		`lookup \S+ on \S+: .*(refused|unreachable)|no route to host`)
	// noName is what programs print that look up a name without a connection, as those with musl do.
	noName = pattern(`(?i)temporary failure in name resolution|could not resolve host|\bEAI_AGAIN\b|name or service not known|bad address`)
	// busy is the error of a change that a mount prevents. The supervisor does not report it.
	busy    = pattern(`(?i)device or resource busy|\bEBUSY\b`)
	missing = pattern(`(?i)no such file|\bENOENT\b|not found|(does not|doesn't|not an) exist|(cannot|can't|can not|could not|couldn't|unable to|failed to) ` +
		`(find|open|read|load|access|resolve|stat)\b|no rule to make target|is not a (valid|directory)|no such (module|package)`)
	noCommand     = pattern(`([^\s:]+): (?:command not found|not found|No such file or directory)$`)
	loopback      = pattern(`(?i)\blocalhost\b|\b127\.\d+\.\d+\.\d+\b(:\d+)? *$|\[::1\]`)
	refused       = pattern(`(?i)connection refused|\bECONNREFUSED\b|failed to connect|couldn't connect`)
	refusedPython = pattern(`\[Errno 111\] Connection refused`)
	port          = pattern(`(?i)(?:(?:localhost|127\.0\.0\.1|::1\]?)[:, ]+|\bport[ =:])(\d{1,5})\b`)
	// shellPrefix is the name of a shell and a line number before its message.
	shellPrefix = pattern(`^\S+: (line )?\d+: `)
	pathIn      = pattern(`[^\s:'"‘’` + "`" + `,;()\[\]{}<>|]+`)
)

// deniedPath returns the path in an error message that the sandbox denies, or "". A
// relative path starts from dir.
func deniedPath(p *sandbox.Profile, dir, line string, denies *regexp.Regexp) string {
	if !denies.MatchString(line) {
		return ""
	}
	line = shellPrefix().ReplaceAllString(line, "")
	readOnlySystem := strings.Contains(strings.ToLower(line), "read-only file system") || strings.Contains(line, "EROFS")
	for _, word := range pathIn().FindAllString(line, -1) {
		path := filepath.Clean(word)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		for _, fixed := range p.ReadOnly {
			if realpath.Inside(path, fixed) {
				return path
			}
		}
		// A read-only file system is rare outside a sandbox, so any path counts. For
		// "permission denied" only a path in the home directory counts: another one may
		// belong to another user, or be a program.
		isPath := strings.Contains(word, "/")
		if isPath && !writable(p, path) && (readOnlySystem || p.Home != "" && realpath.Inside(path, p.Home)) {
			return path
		}
	}
	return ""
}

// hiddenPath returns the path in an error message about a missing file that the sandbox
// hides, or "". A relative path starts from dir, or from the directory of another file in
// the message. The name of a program counts if a link to it leads to a hidden file.
func hiddenPath(p *sandbox.Profile, dir, line, rest string) string {
	if !missing().MatchString(line) {
		return ""
	}
	words := pathIn().FindAllString(line, -1)
	bases := []string{dir}
	for _, word := range append(slices.Clone(words), requiring().FindString(rest)) {
		if word = strings.TrimPrefix(word, "- "); strings.Contains(word, "/") {
			bases = append(bases, filepath.Dir(absolute(p, dir, word)))
		}
	}
	for _, word := range words {
		for _, base := range bases {
			if path := absolute(p, base, word); hides(p, path) {
				return path
			}
			if !strings.HasPrefix(word, "../") {
				break
			}
		}
	}
	if m := noCommand().FindStringSubmatch(line); m != nil && p.NoHome && !strings.Contains(m[1], "/") {
		return hiddenProgram(p, m[1])
	}
	return ""
}

// requiring finds the first file in the list that follows a message of Node.js about a
// missing module.
var requiring = pattern(`(?m)^- /.+$`)

// absolute returns a path in a message as an absolute path. A relative one starts from dir.
func absolute(p *sandbox.Profile, dir, word string) string {
	if bare := strings.TrimRight(word, "."); bare != "" && !strings.HasSuffix(bare, "/") {
		word = bare
	}
	if rest, ok := strings.CutPrefix(word, "~/"); ok && p.Home != "" {
		return filepath.Join(p.Home, rest)
	}
	if filepath.IsAbs(word) {
		return filepath.Clean(word)
	}
	return filepath.Join(dir, word)
}

// hides reports whether the sandbox hides a path. In a hidden home directory only files
// that exist count, and modules without their extension.
func hides(p *sandbox.Profile, path string) bool {
	shown := slices.ContainsFunc(p.Show, func(show string) bool { return realpath.Inside(path, show) })
	if !shown && slices.ContainsFunc(p.Hide, func(hidden string) bool { return realpath.Inside(path, hidden) }) {
		return true
	}
	if temporary, own := inTemp(p, path); temporary && !own && !shown && !writable(p, path) {
		_, err := os.Lstat(path)
		return err == nil
	}
	if !p.NoHome || shown || writable(p, path) || path == p.Home || !realpath.Inside(path, p.Home) {
		return false
	}
	return slices.ContainsFunc([]string{"", ".js", ".ts", ".json"}, func(extension string) bool {
		info, err := os.Lstat(path + extension)
		return err == nil && (extension == "" || info.Mode().IsRegular())
	})
}

// hiddenProgram returns the file to which a program in the home directory leads, if the
// sandbox hides it, or "".
func hiddenProgram(p *sandbox.Profile, name string) string {
	dirs := append(filepath.SplitList(os.Getenv("PATH")), filepath.Join(p.Home, ".local/bin"), filepath.Join(p.Home, "bin"))
	for _, dir := range dirs {
		if !realpath.Inside(dir, p.Home) {
			continue
		}
		if path, err := filepath.EvalSymlinks(filepath.Join(dir, name)); err == nil && hides(p, path) {
			return path
		}
	}
	return ""
}

// ListsHome reports whether the text of a command that ran in dir names the home directory,
// or a directory in it, of which the sandbox hides other files.
func ListsHome(p *sandbox.Profile, dir, line string) bool {
	if p == nil || !p.NoHome || p.Home == "" {
		return false
	}
	line = strings.NewReplacer("${HOME}", "~", "$HOME", "~", "=", " ").Replace(line)
	return slices.ContainsFunc(homeWord().FindAllString(line, -1), func(word string) bool {
		path := absolute(p, dir, word)
		if word == "~" {
			path = p.Home
		}
		info, err := os.Stat(path)
		return err == nil && info.IsDir() && (path == p.Home || hides(p, path))
	})
}

// homeWord finds a word of a command that may name a directory outside the working directory.
var homeWord = pattern(`(?:~|/|\.\./?)[^\s'"` + "`" + `;&|()<>]*`)

// writable reports whether commands may write to a path.
func writable(p *sandbox.Profile, path string) bool {
	for _, w := range p.Write {
		if realpath.Inside(path, w) {
			return true
		}
	}
	if _, own := inTemp(p, path); own {
		return true
	}
	return realpath.Inside(path, "/dev") || realpath.Inside(path, "/proc")
}

// inTemp reports whether a path is below the temporary directory of the command, and whether
// the directory has its first name: otherwise the system may have it.
func inTemp(p *sandbox.Profile, path string) (temporary, own bool) {
	for i, dir := range sandbox.TempMounts {
		if p.Temp == "" || path == dir || !realpath.Inside(path, dir) {
			continue
		}
		first, _, _ := strings.Cut(path[len(dir)+1:], "/")
		info, err := os.Lstat(filepath.Join(p.Temp, sandbox.TempParts[i], first))
		return true, err == nil && info.Mode().Perm() != 0 // a mount point has no permissions
	}
	return false, false
}

// pattern returns a function that compiles an expression when it is first called, because
// compiling all of them would delay every start.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
