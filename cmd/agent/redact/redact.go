// Package redact finds the secrets of a session: variables that commands do not get, variables
// of environment files, headers of the configuration, and text in known formats. Models get
// placeholders for them. Start reading at Open.
package redact

import (
	"os"
	"slices"
	"strings"
	"sync"

	"agent/cmd/agent/access"
	"agent/cmd/agent/credentials"
	"agent/cmd/agent/dotenv"
	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/settings"
	"agent/internal/llm/mask"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/secrets"
	"agent/internal/tools/shell"
)

// TraceHeaders is the environment variable with the headers for the collector of traces,
// which may hold a secret.
const TraceHeaders = "OTEL_EXPORTER_OTLP_HEADERS"

// Limits returns which environment variables commands keep and which are hidden from them.
func Limits(set settings.Settings) shell.Limits {
	return shell.Limits{Keep: set.Shell.KeepEnv, Hide: slices.Concat(credentials.Variables(set), credentials.SecretURLs(os.Getenv), []string{TraceHeaders})}
}

// Session is what decides on the secrets of a session.
type Session struct {
	Settings settings.Settings
	Dirs     []string                         // of the workspace: their environment files are read
	Saved    bool                             // a resumed session has the same placeholders
	Keys     func(add func(name, key string)) // calls add for each API key; may be nil
}

// Open returns what replaces secrets by placeholders in everything that models get and that is
// stored; nil if the configuration disables that.
func Open(s Session) *secrets.Masker {
	if s.Settings.Redact != nil && !*s.Settings.Redact {
		return nil
	}
	m := mask.New(placeholderKey(s.Saved))
	for name, value := range hiddenValues(os.Environ(), Limits(s.Settings)) {
		m.Add(name, value)
	}
	for name, value := range secretHeaders(s.Settings) {
		m.Add(name, value)
	}
	if s.Keys != nil {
		s.Keys(m.Add)
	}
	files := &environmentFiles{masker: m, limits: Limits(s.Settings), files: dotenv.New(s.Dirs)}
	files.update()
	return secrets.New(m, files.update)
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
	return func() ([]byte, error) { return standing.Key(key) }
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
