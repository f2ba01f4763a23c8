package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"agent/internal/history"
	"agent/internal/loop/policy"
	"agent/internal/tools/confine"
	"agent/internal/tools/shell/sandbox"
)

// sandboxFile is the name of the file, in the state directory, with the sandbox that
// the system supports.
const sandboxFile = "sandbox.json"

// commandSandbox is the sandbox of the commands of a session and its delegates. Its
// methods are safe for concurrent use. The caller closes it.
type commandSandbox struct {
	file    string // holds the report of an earlier run of the program; may be empty
	store   bool   // write the file
	report  func() sandbox.Report
	session func() *sandbox.Session // nil if there is no sandbox
}

// storedReport is the content of the file.
type storedReport struct {
	System string       `json:"system"` // see systemKey
	Form   sandbox.Form `json:"form"`
	Reason string       `json:"reason,omitempty"`
	Notify bool         `json:"notify,omitempty"`
}

// newCommandSandbox returns the sandbox of a new session. If the file has no report on
// this system, it begins to probe in the background, and stores the result if store is
// set.
func newCommandSandbox(file string, store bool) *commandSandbox {
	c := &commandSandbox{file: file, store: store}
	c.report = sync.OnceValue(c.probe)
	if r, ok := readReport(file, systemKey()); ok {
		c.report = func() sandbox.Report { return r }
	} else {
		go c.report() // Close waits for it
	}
	c.session = sync.OnceValue(func() *sandbox.Session {
		if r := c.report(); r.Form != sandbox.None {
			return sandbox.NewSession(r.Form)
		}
		return nil
	})
	return c
}

// probe finds out which sandbox works, and stores the result. If none works, it stores
// nothing, so that the next start probes again.
func (c *commandSandbox) probe() sandbox.Report {
	r := sandbox.Probe()
	if key := systemKey(); key != "" && c.store && r.Form != sandbox.None {
		if text, err := json.Marshal(storedReport{key, r.Form, r.Reason, r.Notify}); err == nil {
			_ = history.Replace(c.file, append(text, '\n'), false) // only a cache
		}
	}
	return r
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

// state returns how far commands are restricted, and a notice for the user if that is
// less than the complete sandbox. It may wait for the probe.
func (c *commandSandbox) state() (policy.Sandbox, string) {
	switch r := c.report(); r.Form {
	case sandbox.None:
		return policy.SandboxMissing, "Commands run without a sandbox: " + r.Reason + ". Even in mode all, commands that are not read-only need your approval. `agent doctor` shows the details. " +
			"To accept commands without a sandbox, set \"sandbox\": false in the configuration."
	case sandbox.Complete:
		return policy.SandboxFull, ""
	default:
		return policy.SandboxPartial, "The sandbox of commands is incomplete: " + r.Reason + ". Commands cannot write outside of the workspace and have no network, " +
			"but they can read all of your files. `agent doctor` shows the details."
	}
}

// failed deletes the stored report, because the sandbox that it describes did not work.
func (c *commandSandbox) failed() {
	if c.file != "" {
		_ = os.Remove(c.file)
	}
}

// close ends the sandbox. It does nothing if c is nil.
func (c *commandSandbox) close() {
	if c == nil {
		return
	}
	c.report() // wait for the probe
	if s := c.session(); s != nil {
		s.Close()
	}
}

// addSandbox makes the commands of the session run in a sandbox, unless the
// configuration turns it off.
func (a *app) addSandbox() {
	if a.set.Sandbox != nil && !*a.set.Sandbox {
		return
	}
	file := ""
	if state, err := history.Dir(os.Getenv); err == nil {
		file = filepath.Join(state, sandboxFile)
	}
	a.sandbox = newCommandSandbox(file, file != "" && a.log != nil)
	a.options.Sandbox = a.sandbox.state
}

// area returns the area in which the commands of an agent in dir work; nil without a
// sandbox.
func (a *app) area(dir string) *confine.Area {
	if a.sandbox == nil {
		return nil
	}
	paths := a.options.Paths
	paths.Workspace = dir
	o := confine.Options{
		Workspace: dir, Added: paths.Added, Readable: slices.Clone(paths.Readable), Places: sandbox.Places{Home: paths.Home, Env: os.Getenv},
		Fixed: paths.Fixed, Protected: policy.ProtectedName, Session: a.sandbox.session, Failed: a.sandbox.failed,
	}
	if paths.Outputs != "" {
		o.Readable = append(o.Readable, paths.Outputs)
	}
	for _, path := range paths.Own {
		if info, err := os.Stat(path); err != nil || info.IsDir() { // commands may read the program itself
			o.Private = append(o.Private, path)
		}
	}
	if state, err := history.Dir(os.Getenv); err == nil {
		o.Secret = []string{filepath.Join(state, keyFile)}
	}
	return confine.New(o)
}
