package policy

import (
	"io/fs"
	"path/filepath"
	"slices"

	"agent/internal/realpath"
	"agent/internal/tools"
	"agent/internal/tools/git"
	"agent/internal/tools/protect"
	"agent/internal/tools/tempdir"
)

// Protected is a target whose change always needs approval.
type Protected struct {
	Path   string // as in the target
	Reason string
}

// Shell is what depends on the shell of the user and of commands.
type Shell struct {
	NoBash bool     // commands do not run in bash, so that no command is automatic
	Zsh    []string // directories of zsh's startup files: the home directory and $ZDOTDIR
	Search protect.Search
}

// Commands says what the commands of a session did before. A nil function stands for false.
type Commands struct {
	// Evaded reports whether one tried to hide a change from undo. Then only commands that read
	// run without approval.
	Evaded func() bool
	// Jobs reports whether a job runs that nobody approved. Such a job could change what a
	// command with network access runs.
	Jobs func() bool
}

// Shared is what the calls of one session share, those of delegates included.
type Shared struct {
	// Made are the temporary files of the session, to which commands may append. Nil if
	// they are not recorded.
	Made *MadeFiles
	// Resolved resolves the directories of Paths; nil resolves them for each call.
	Resolved *realpath.Memo
}

// Paths are the directories that determine the protected paths. Without a Workspace
// only the rules for every directory apply.
type Paths struct {
	Workspace    string   // absolute
	Home         string   // absolute
	Config       []string // configuration directories: ~/.config and $XDG_CONFIG_HOME
	Shell        Shell    // that the user and commands use
	ProgramFiles []string // this program's configuration, state and binary
	// Copy is set if the workspace is a copy. File edits in a copy need no approval in
	// mode ask, because its changes are judged when they are applied.
	Copy    bool
	Outputs string // directory with the outputs of the session, absolute; may be empty
	// Readable returns directories outside the workspace that may be read without
	// approval: sources of toolchains, skills, outputs of sessions. Absolute. It is only
	// called when a call needs them; nil stands for none.
	Readable func() []string
	// Added are directories that the user added to the workspace. Absolute.
	Added []string
	// Sandbox is the sandbox of commands.
	Sandbox Sandbox
	// Temp is what commands and tools find at /tmp; nil for what the system has there.
	Temp *tempdir.Dir
	// Room returns how many bytes of old file contents undo still accepts from commands; 0
	// if it does not record what commands change. Nil means 0.
	Room func() int64
	// Keeps reports whether undo can keep a file of any size without a copy if a command removes it,
	// after others with so many bytes. Nil means false.
	Keeps func(file fs.FileInfo, bytes int64) bool
	// Commands says what the commands of the session did before.
	Commands Commands
	// Git finds the repositories that automatic commands may read with git. Nil if
	// commands that run git always need approval.
	Git *git.Reader
	// Confirmed returns files and directories that commands must not change, because the
	// user has confirmed that programs run them outside the sandbox. Nil for none. Absolute.
	Confirmed func() []string
	Shared
	// systemTemp is set while a command is judged that changes files in the temporary directory
	// of the system, in which nothing is free then.
	systemTemp bool
	// Disposable is set if the workspace is thrown away after the session, as for a
	// task of an evaluation. Mode all then asks only for protected paths.
	Disposable bool
}

// AlsoReadable returns p with further directories that may be read without approval.
func (p Paths) AlsoReadable(dirs ...string) Paths {
	before := p.Readable
	p.Readable = func() []string {
		if before == nil {
			return dirs
		}
		return slices.Concat(before(), dirs)
	}
	return p
}

// ForSession returns p with what the calls of one session share.
func (p Paths) ForSession() Paths {
	p.Shared = Shared{Made: new(MadeFiles), Resolved: new(realpath.Memo)}
	return p
}

// IsWorkspace reports whether dir, which has no symbolic links, is the workspace.
func (p Paths) IsWorkspace(dir string) bool { return dir == p.Resolved.Of(p.Workspace) }

// Sandbox says how far the sandbox restricts commands.
type Sandbox int

// The values of Sandbox.
const (
	SandboxOff     Sandbox = iota // turned off by the user, or not used
	SandboxMissing                // the system supports none: mode all asks before commands
	SandboxPartial                // limits writes and the network, but not reads
	SandboxFull                   // limits writes, reads and the network
	// SandboxOutside is that of the machine or container itself: the user has said that it is the
	// boundary. Commands run without a sandbox, and mode all approves them.
	SandboxOutside
)

// none reports whether commands run without a sandbox of this program.
func (s Sandbox) none() bool {
	return s == SandboxOff || s == SandboxMissing || s == SandboxOutside
}

// protected returns the protected targets of c, each by the first spelling of its
// path that is protected.
func (p Paths) protected(c tools.Call) []Protected {
	if c.Effect != tools.Write {
		return nil
	}
	ps := p.protectedSet()
	at := func(name string) string { return from(ps.root, name) }
	var files []string
	for _, t := range c.Targets {
		if t.Kind == tools.Path {
			files = append(files, at(t.Value))
		}
	}
	var out []Protected
	for _, t := range c.Targets {
		if t.Kind != tools.Path {
			continue
		}
		for _, name := range append([]string{t.Value}, t.Spelled...) {
			reason := ps.protection(at(name), files)
			if reason == "" {
				continue
			}
			path := filepath.ToSlash(filepath.Clean(filepath.FromSlash(name)))
			if name != t.Value && path != t.Value {
				path += " (" + t.Value + ")"
			}
			out = append(out, Protected{path, reason})
			break
		}
	}
	return out
}
