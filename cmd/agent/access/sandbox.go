package access

import (
	"encoding/json"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"agent/internal/history"
	"agent/internal/loop/policy"
	"agent/internal/tools/caches"
	"agent/internal/tools/confine"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/tempdir"
)

// ScratchDir returns the directory for temporary files of this program, which commands can
// read; empty if there is no state directory.
func ScratchDir(getenv func(string) string) string { return inState("tmp", getenv) }

// SandboxFile returns the file with the sandbox that the system supports; empty if there
// is no state directory.
func SandboxFile(getenv func(string) string) string { return inState("sandbox.json", getenv) }

// Sandbox is the sandbox of the commands of a session and its delegates. Its methods are
// safe for concurrent use. The caller closes it.
type Sandbox struct {
	file    string // holds the report of an earlier run of the program; may be empty
	system  string // see systemKey
	store   bool   // write the file
	report  func() sandbox.Report
	session func() *sandbox.Session // nil if there is no sandbox
	probed  atomic.Bool             // report was called
	opened  atomic.Bool             // session was called
	evaded  atomic.Bool             // a command tried to hide a change from undo
	temp    *tempdir.Dir            // see UseTemp
	caches  *caches.Caches
}

// storedReport is the content of the file.
type storedReport struct {
	System string       `json:"system"` // see systemKey
	Form   sandbox.Form `json:"form"`
	Reason string       `json:"reason,omitempty"`
	Notify bool         `json:"notify,omitempty"`
}

// NewSandbox returns the sandbox of a new session. If no earlier run of this version of
// the program has found out which sandbox works, the sandbox is probed when it is first
// needed, and the result is stored if store is set.
func NewSandbox(version string, store bool) *Sandbox {
	s := &Sandbox{file: SandboxFile(os.Getenv), system: systemKey(version), caches: caches.New(inState("", os.Getenv))}
	s.store = store && s.file != "" && s.system != ""
	s.report = sync.OnceValue(s.probe)
	if r, ok := readReport(s.file, s.system); ok {
		s.report = func() sandbox.Report { return r }
	}
	s.session = sync.OnceValue(func() *sandbox.Session {
		s.opened.Store(true)
		if r := s.report(); r.Form != sandbox.None {
			if dir := credentialsDir(os.Getenv); s.store && dir != "" {
				_ = os.MkdirAll(dir, 0o700) // a command that runs when the user logs in cannot read what is stored then
			}
			return sandbox.NewSession(r.Form)
		}
		return nil
	})
	return s
}

// probe finds out which sandbox works, and stores the result. If none works, it stores
// nothing, so that the next start probes again.
func (s *Sandbox) probe() sandbox.Report {
	s.probed.Store(true)
	r := sandbox.Probe()
	if s.store && r.Form != sandbox.None {
		if text, err := json.Marshal(storedReport{s.system, r.Form, r.Reason, r.Notify}); err == nil {
			_ = history.Replace(s.file, append(text, '\n'), false) // only a cache
		}
	}
	return r
}

// Probe finds out which sandbox works, so that the first command does not wait for it. It
// does nothing if s is nil.
func (s *Sandbox) Probe() {
	if s != nil {
		s.report()
	}
}

// readReport returns the report on a system that a file holds. It reports false for a
// file about another system, and for a damaged one.
func readReport(file, system string) (sandbox.Report, bool) {
	text, err := os.ReadFile(file)
	if err != nil || system == "" {
		return sandbox.Report{}, false
	}
	var stored storedReport
	if json.Unmarshal(text, &stored) != nil || stored.System != system || stored.Form <= sandbox.None || stored.Form > sandbox.Complete {
		return sandbox.Report{}, false
	}
	return sandbox.Report{Form: stored.Form, Reason: stored.Reason, Notify: stored.Notify}, true
}

// NoSandbox is the notice about --no-sandbox.
const NoSandbox = "--no-sandbox: commands run without a sandbox, as your user. In mode all they run without approval, " +
	"except if their text shows a change to a protected path or a git push, and undo sees only what it finds afterwards."

// Boundary says what to do where the sandbox is not complete.
const Boundary = "If this machine or container is itself the boundary, start the program with --mode all --no-sandbox."

// State returns how far commands are restricted, and a notice for the user if that is
// less than the complete sandbox. It may wait for the probe.
func (s *Sandbox) State() (policy.Sandbox, string) {
	switch r := s.report(); r.Form {
	case sandbox.None:
		return policy.SandboxMissing, "Commands run without a sandbox: " + r.Reason + ". In every mode, those that are not read-only need your approval. `agent doctor` shows the details. " + Boundary
	case sandbox.Complete:
		return policy.SandboxFull, ""
	default:
		return policy.SandboxPartial, "The sandbox of commands is incomplete: " + r.Reason + ". Commands cannot write outside the workspace and have no network, " +
			"but they can read all of your files, and undo may miss changes. So in every mode, those that are not read-only need your approval. `agent doctor` shows the details. " + Boundary
	}
}

// Watches reports whether supervisors see what commands in the sandbox change. It may wait
// for the probe. It is false if s is nil, and after a command tried to hide a change.
func (s *Sandbox) Watches() bool { return s != nil && s.report().Notify && !s.evaded.Load() }

// Evaded reports whether a command tried to hide a change from undo. It is false if s is nil.
func (s *Sandbox) Evaded() bool { return s != nil && s.evaded.Load() }

// failed deletes the stored report, because the sandbox that it describes did not work.
func (s *Sandbox) failed() {
	if s.file != "" {
		_ = os.Remove(s.file)
	}
}

// UseTemp gives the commands of the session id a temporary directory of their own; an empty id
// stands for a session that is not stored. The workspace, the other directories that commands
// may change, and the home directory are not part of it, wherever they are. Call it once, before
// Area.
func (s *Sandbox) UseTemp(id string, paths policy.Paths) *tempdir.Dir {
	full := func() bool { return s.report().Form == sandbox.Complete }
	s.temp = TempDir(id, paths, full)
	return s.temp
}

// TempDir returns the temporary directory of the session id for paths. used reports whether
// commands find it; it may block.
func TempDir(id string, paths policy.Paths, used func() bool) *tempdir.Dir {
	o := tempdir.Options{Session: id, Used: used, Writable: append([]string{paths.Workspace}, paths.Added...), Fixed: []string{paths.Home}}
	if state, err := history.Dir(os.Getenv); err == nil {
		o.Fixed = append(o.Fixed, state)
	}
	return tempdir.New(o)
}

// TempLeft returns the temporary directory of the session if Close has left files in it;
// otherwise "".
func (s *Sandbox) TempLeft() string {
	if s == nil {
		return ""
	}
	return s.temp.Left()
}

// Close ends the sandbox. It does nothing if s is nil.
func (s *Sandbox) Close() {
	if s == nil {
		return
	}
	if s.probed.Load() {
		s.report() // wait for it
	}
	if s.opened.Load() {
		if running := s.session(); running != nil {
			running.Close()
		}
	}
	s.caches.Close()
	s.temp.Close()
}

// Area returns the area in which the commands of an agent in dir work. Paths are those of
// its session. It returns nil if s is nil.
func (s *Sandbox) Area(dir string, paths policy.Paths) *confine.Area {
	if s == nil {
		return nil
	}
	paths.Workspace = dir
	o := confine.Options{
		Workspace: dir, Added: paths.Added, UserPaths: sandbox.UserPaths{Home: paths.Home, Env: os.Getenv},
		Fixed: paths.Fixed, Protected: policy.ProtectedNames(), Search: paths.Shell.Search, Session: s.session, Failed: s.failed, Evaded: func() { s.evaded.Store(true) }, Temp: paths.Temp, Caches: s.caches,
	}
	var readable []string // besides paths.Readable
	if paths.Outputs != "" {
		readable = append(readable, paths.Outputs)
	}
	for _, path := range paths.ProgramFiles {
		if info, err := os.Stat(path); err != nil || info.IsDir() { // commands may read the program itself
			o.Private = append(o.Private, path)
		}
	}
	o.Secret = Secrets(os.Getenv)
	if state := inState("", os.Getenv); state != "" && !slices.Contains(append(paths.Added, dir), state) {
		o.Secret = append(o.Secret, state) // the sessions, and what they keep for undo
		readable = append(readable, ScratchDir(os.Getenv))
	}
	o.Readable = paths.AlsoReadable(readable...).Readable
	return confine.New(o)
}
