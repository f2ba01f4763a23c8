// Package sandbox restricts what a command can write, read and connect to. It
// decides nothing about permissions. Start reading at Profile; Probe returns the
// support of this system.
//
// On Linux the supervisor of a command (package supervisor) calls Start. In the complete
// form the command runs in a user, a network and an IPC namespace that all commands of a
// Session share, so a test reaches a server that a job has started, and in a mount
// namespace of its own: everything is read-only except the writable paths, and
// hidden paths are empty. Of a directory with an Overlay, it changes a copy. Landlock
// then limits writes once more and keeps the command from signaling other processes, a
// seccomp filter refuses system calls that could undo this, and all capabilities are
// dropped.
//
// A process with threads cannot enter a user namespace, and a Go program has threads.
// The calls must therefore happen between fork and exec. The standard library has no
// function for that, so fork_linux.go forks itself: it reaches the runtime's preparation
// of a fork with go:linkname, and executes a list of system calls (type step) with code
// that neither allocates nor grows its stack. Only that file uses go:linkname, and
// nothing outside it calls the linked functions.
//
// If the system does not permit namespaces, the sandbox has the form WritesOnly:
// Landlock, and a filter that refuses all sockets except Unix sockets. This form
// restricts neither reads nor changes of modes, owners and times of files, and it
// cannot protect a path below a writable one.
//
// The macOS form is untested. Other systems have no sandbox.
package sandbox

import (
	"errors"
	"strconv"
	"strings"
)

// Form is how much of the sandbox a system supports.
type Form int

// The forms, from nothing to everything.
const (
	None       Form = iota // no sandbox
	WritesOnly             // Landlock: limits writes, no network, reads are not restricted
	Seatbelt               // sandbox-exec of macOS
	Complete               // namespaces, Landlock and seccomp
)

func (f Form) String() string {
	switch f {
	case WritesOnly:
		return "writes only"
	case Seatbelt:
		return "sandbox-exec"
	case Complete:
		return "complete"
	}
	return "none"
}

// Profile is the access that a command has. Paths are absolute; links in them are
// resolved when the command starts, and paths that do not exist are ignored. If
// lists overlap, the entry nearest to a file decides; of equal paths, Hide comes
// before ReadOnly, and ReadOnly before Write.
//
// A path that does not exist yet cannot be protected; compare it before and after the command.
type Profile struct {
	Write    []string // files and directories that the command may change
	ReadOnly []string // paths below writable ones that it must not change
	Hide     []string // paths that look empty
	Show     []string // paths below hidden ones that it may read

	// Downloads are caches that a command without the network cannot change, unless they
	// are in Write. They explain why a command fails.
	Downloads []string

	// Temp is a directory whose parts the command finds at TempMounts instead of what is
	// there, and may change; empty for none. Only paths below them in Write, ReadOnly and Show
	// are the same. It needs the form Complete.
	Temp string

	// Overlays are those of directories in Write of which the command changes a copy. The session
	// must have mounted them.
	Overlays []Overlay

	Network bool   // use the host's network instead of the session's
	NoHome  bool   // hide Home, except for the paths in Write and Show
	Home    string // the user's home directory

	// Session is shared by all commands that reach each other on the loopback
	// interface. It is required.
	Session *Session
}

// TempMounts are the paths at which a command finds the parts of Profile.Temp, and TempParts
// their names in it. Each has a part of its own: a directory that is mounted at two places could
// be changed at one without regard to what is mounted on it at the other.
var (
	TempMounts = [...]string{"/tmp", "/var/tmp"}
	TempParts  = [...]string{"tmp", "var"}
)

// Environment returns env with the temporary directory of the command.
func (p *Profile) Environment(env []string) []string {
	if p.Temp == "" {
		return env
	}
	out := make([]string, 0, len(env)+1)
	for _, v := range env {
		switch name, value, _ := strings.Cut(v, "="); {
		case name == "TMPDIR":
		case (name == "TMP" || name == "TEMP") && value != "":
			out = append(out, name+"="+TempMounts[0])
		default:
			out = append(out, v)
		}
	}
	return append(out, "TMPDIR="+TempMounts[0])
}

// hidden returns the paths to hide.
func (p *Profile) hidden() []string {
	if p.NoHome && p.Home != "" {
		return append([]string{p.Home}, p.Hide...)
	}
	return p.Hide
}

// plan is a profile as it is sent to the supervisor.
type plan struct {
	form    Form
	files   uint64 // soft limit of open files for the command; 0 means unchanged
	network bool
	ipc     bool              // the session has an IPC namespace
	paths   map[string]access // not resolved
	temp    string            // see Profile.Temp

	overlays map[string]string // Overlay.Dir by Overlay.Lower
}

// access is the access of a command to the files below a path.
type access byte

// The kinds of access. If a path has two, the one listed later applies.
const (
	show     access = 's'
	write    access = 'w'
	readOnly access = 'x'
	hide     access = 'y'
	temp     access = 't' // in words: not the access to the path itself, but at TempMounts

	// Only in words: Overlay.Dir, and in the word after it Overlay.Lower.
	overlayDir   access = 'o'
	overlayLower access = 'l'
)

// withIPC is the word for plan.ipc.
const withIPC = "ipc"

// Order returns the profile as words for Start, and the namespaces of the
// session, which the supervisor inherits. The first use of a session opens it.
func (p *Profile) Order() (words []string, namespaces Namespaces, err error) {
	if p.Session == nil || p.Session.form == None {
		return nil, Namespaces{}, errors.New("no sandbox is available on this system")
	}
	files, namespaces, err := p.Session.open()
	if err != nil {
		return nil, Namespaces{}, err
	}
	network := "-"
	if p.Network {
		network = "network"
	}
	ipc := "-"
	if namespaces.IPC != nil {
		ipc = withIPC
	}
	words = []string{strconv.Itoa(int(p.Session.form)), strconv.FormatUint(files, 10), network, ipc}
	if p.Temp != "" && p.Session.form == Complete {
		words = append(words, string(temp)+p.Temp)
	}
	for _, o := range p.Overlays {
		words = append(words, string(overlayDir)+o.Dir, string(overlayLower)+o.Lower)
	}
	for _, l := range []struct {
		access
		paths []string
	}{{show, p.Show}, {write, p.Write}, {readOnly, p.ReadOnly}, {hide, p.hidden()}} {
		for _, path := range l.paths {
			words = append(words, string(l.access)+path)
		}
	}
	return words, namespaces, nil
}

// parse parses the words of Order.
func parse(words []string) (plan, error) {
	if len(words) < 4 {
		return plan{}, errors.New("the order of the sandbox is incomplete")
	}
	form, err := strconv.Atoi(words[0])
	if err != nil {
		return plan{}, err
	}
	files, err := strconv.ParseUint(words[1], 10, 64)
	if err != nil {
		return plan{}, err
	}
	p := plan{form: Form(form), files: files, network: words[2] == "network", ipc: words[3] == withIPC, paths: map[string]access{}, overlays: map[string]string{}}
	dir := ""
	for _, w := range words[4:] {
		switch {
		case len(w) < 2:
		case access(w[0]) == temp:
			p.temp = w[1:]
		case access(w[0]) == overlayDir:
			dir = w[1:]
		case access(w[0]) == overlayLower:
			p.overlays[w[1:]] = dir
		default:
			p.paths[w[1:]] = max(p.paths[w[1:]], access(w[0]))
		}
	}
	return p, nil
}
