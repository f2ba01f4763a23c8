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

// confinement is the sandbox of a session's commands, and of its delegates. Its methods
// are safe for concurrent use. Close ends it.
type confinement struct {
	file    string // holds the report of an earlier start; may be empty
	store   bool   // write the file
	report  func() sandbox.Report
	session func() *sandbox.Session // nil if there is no sandbox
}

// storedReport is the content of the file.
type storedReport struct {
	System string       `json:"system"` // see systemKey
	Form   sandbox.Form `json:"form"`
	Reason string       `json:"reason,omitempty"`
}

// newConfinement returns the sandbox of a new session. If the file has no report on
// this system, it starts to find out which sandbox works, in the background, and stores
// the answer if store is set.
func newConfinement(file string, store bool) *confinement {
	c := &confinement{file: file, store: store}
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

// probe finds out which sandbox works, and stores the answer. If none does, it is asked
// again at the next start.
func (c *confinement) probe() sandbox.Report {
	r := sandbox.Probe()
	if key := systemKey(); key != "" && c.store && r.Form != sandbox.None {
		if text, err := json.Marshal(storedReport{key, r.Form, r.Reason}); err == nil {
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
	return sandbox.Report{Form: stored.Form, Reason: stored.Reason}, true
}

// state returns how far commands are restricted, and a notice for the user if that is
// less than the complete sandbox. It may wait for the probe.
func (c *confinement) state() (policy.Sandbox, string) {
	switch r := c.report(); r.Form {
	case sandbox.None:
		return policy.SandboxMissing, "Commands run without a sandbox: " + r.Reason + ". Every command needs your approval. `agent doctor` shows the details; " +
			"\"sandbox\": false in the configuration accepts commands without a sandbox."
	case sandbox.Complete:
		return policy.SandboxFull, ""
	default:
		return policy.SandboxPartial, "The sandbox of commands is incomplete: " + r.Reason + ". Commands cannot write outside of the workspace and have no network, " +
			"but they can read all of your files. `agent doctor` shows the details."
	}
}

// failed forgets the stored report, because the sandbox that it promises did not work.
func (c *confinement) failed() {
	if c.file != "" {
		_ = os.Remove(c.file)
	}
}

// close ends the sandbox. It does nothing if c is nil.
func (c *confinement) close() {
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
	a.confinement = newConfinement(file, file != "" && a.log != nil)
	a.options.Sandbox = a.confinement.state
}

// area returns where the commands of an agent in dir work; nil without a sandbox.
func (a *app) area(dir string) *confine.Area {
	if a.confinement == nil {
		return nil
	}
	paths := a.options.Paths
	paths.Workspace = dir
	o := confine.Options{
		Workspace: dir, Added: paths.Added, Readable: slices.Clone(paths.Readable), Places: sandbox.Places{Home: paths.Home, Env: os.Getenv},
		Fixed: paths.Fixed, Protected: policy.ProtectedName, Session: a.confinement.session, Failed: a.confinement.failed,
	}
	if paths.Outputs != "" {
		o.Readable = append(o.Readable, paths.Outputs)
	}
	for _, path := range paths.Own {
		if info, err := os.Stat(path); err != nil || info.IsDir() { // not the program
			o.Private = append(o.Private, path)
		}
	}
	if state, err := history.Dir(os.Getenv); err == nil {
		o.Secret = []string{filepath.Join(state, keyFile)}
	}
	return confine.New(o)
}
