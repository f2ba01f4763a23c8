package main

import (
	"os"
	"slices"
	"strings"
	"sync"

	"agent/cmd/agent/access"
	"agent/cmd/agent/dotenv"
	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/settings"
	"agent/internal/llm/mask"
	"agent/internal/loop/hooks"
	"agent/internal/loop/policy"
	"agent/internal/loop/secrets"
	"agent/internal/tools"
	"agent/internal/tools/shell"
)

// addSecrets makes the session replace secrets by placeholders in everything that models get
// and that is stored, unless the configuration disables that. Secrets are variables that
// commands do not get, variables of environment files that commands would not get, and text
// in known formats. Call it once the directories of the workspace are known.
func (a *app) addSecrets() {
	if a.set.Redact != nil && !*a.set.Redact {
		return
	}
	m := mask.New(placeholderKey(a.stored.Log != nil))
	for name, value := range hiddenValues(os.Environ(), shellLimits(a.set)) {
		m.Add(name, value)
	}
	for name, value := range secretHeaders(a.set) {
		m.Add(name, value)
	}
	if a.choice.pick != nil {
		a.choice.pick.Secrets(m.Add)
	}
	files := &environmentFiles{masker: m, limits: shellLimits(a.set), files: dotenv.New(slices.Concat([]string{a.work.Dir()}, a.work.Added()))}
	files.update()
	a.secrets = secrets.New(m, files.update)
	a.options.Secrets = a.secrets
}

// environmentFiles adds the secrets in environment files to a masker. It is safe for
// concurrent use.
type environmentFiles struct {
	masker *mask.Masker
	limits shell.Limits

	mu    sync.Mutex
	files *dotenv.Files
}

// update adds the secrets of new and changed files. It looks at one variable at a time,
// because two files may set the same one.
func (f *environmentFiles) update() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range f.files.Changed() {
		for name, value := range hiddenValues([]string{v}, f.limits) {
			if dotenv.IsOrdinary(name, value) && len(hiddenValues([]string{"X=" + value}, f.limits)) == 0 {
				continue
			}
			f.masker.Add(name, value)
		}
	}
}

// placeholderKey returns the key from which placeholders are derived: that of standing
// permissions, so that a resumed session has the same placeholders. It is nil if
// nothing is saved.
func placeholderKey(saved bool) func() ([]byte, error) {
	key := access.KeyFile(os.Getenv)
	if !saved || key == "" {
		return nil
	}
	return func() ([]byte, error) { return policy.Key(key) }
}

// hiddenValues returns the variables of env that commands do not get, by name.
func hiddenValues(env []string, l shell.Limits) map[string]string {
	hidden := map[string]string{}
	kept := shell.Scrub(env, l)
	for _, v := range env {
		if name, value, _ := strings.Cut(v, "="); !slices.Contains(kept, v) {
			hidden[name] = value
		}
	}
	return hidden
}

// secretHeaders returns the configured headers, and the environment variables of MCP
// servers, whose name or value looks like a secret.
func secretHeaders(set settings.Settings) map[string]string {
	var all []string
	for _, p := range set.Providers {
		for name, value := range p.Headers {
			all = append(all, name+"="+value)
		}
	}
	found := hiddenValues(append(all, servers.Secrets(set.MCP)...), shell.Limits{})
	for name, value := range found {
		if scheme, token, ok := strings.Cut(value, " "); ok && !strings.Contains(scheme, ":") { // such as Bearer
			found[name] = token
		}
	}
	return found
}

// commands returns c with the limits and the sandbox of the session. The complete
// outputs of commands are stored without secrets.
func (a *app) commands(c tools.Commands) tools.Commands { return a.commandsIn(c, a.options.Paths) }

// commandsIn is commands for an agent with paths of its own.
func (a *app) commandsIn(c tools.Commands, paths policy.Paths) tools.Commands {
	c.Limits, c.MaxOutput = shellLimits(a.set), a.set.Shell.MaxOutput
	c.Area, c.Gate = a.sandbox.Area(c.Workspace.Dir(), paths), &a.gate
	if a.secrets != nil {
		c.Filter = func() shell.Filter { return a.secrets.Stream() }
	}
	return c
}

// intercept returns the interceptors of an agent, with that of secrets: as the first of
// them, it sees a result after all others. Hooks before a call come first, so that they
// see placeholders and not secrets; calls is nil if there are none.
func (a *app) intercept(calls *hooks.Calls, all ...any) tools.Interceptors {
	if a.secrets != nil {
		all = slices.Insert(all, 0, any(a.secrets))
	}
	if calls != nil {
		all = slices.Insert(all, 0, calls.Before())
	}
	return tools.Intercept(all...)
}
