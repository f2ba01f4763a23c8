// Package mcp turns the settings of MCP servers into servers to connect to. Start reading
// at Servers.
package mcp

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/llm/wire"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools/mcp"
)

// Source is what the settings refer to.
type Source struct {
	Dir    string              // working directory of the session
	Getenv func(string) string // environment of this program
	Rules  []rule.Rule         // a server with a rule that denies all of its tools is not used
	// Trust decides which servers of the repository are used; nil means none.
	Trust  *trust.Review
	Logins *Logins // of servers with OAuth; nil for none
	// Access returns a function that finds the host and the credentials of a provider.
	Access func(provider string) func() (base string, authorize wire.Authorize, err error)
}

// Merge returns the settings with the MCP servers of an editor. If the configuration
// has a server with the same name, only that one is used, and the user gets a notice.
func Merge(set settings.MCP, editors map[string]settings.MCPServer) (all settings.MCP, notices []string) {
	if len(editors) == 0 {
		return set, nil
	}
	all.Servers = maps.Clone(editors)
	for name, s := range set.Servers {
		if _, both := editors[name]; both {
			notices = append(notices, "The MCP server "+name+" of the editor is not used: the configuration has one with this name.")
		}
		all.Servers[name] = s
	}
	return all, notices
}

// Servers returns the configured servers, sorted by name. A server that cannot be used is
// off, and says why.
func Servers(set settings.MCP, from Source) (all []mcp.Server) {
	for _, name := range slices.Sorted(maps.Keys(set.Servers)) {
		s := server(name, set.Servers[name], from)
		if s.Dir = startDir(set.Servers[name], from.Dir); s.Dir != from.Dir && !slices.ContainsFunc(s.Command[1:], namesDirectory) {
			s.Root = from.Dir // not to a server with a directory of its own, which a root can replace
		}
		all = append(all, s)
	}
	return all
}

func server(name string, set settings.MCPServer, from Source) mcp.Server {
	s := mcp.Server{
		Name: name, Dir: from.Dir, SSE: set.Transport == "sse", Silence: time.Duration(set.Timeout) * time.Second,
		Allow: set.Tools.Allow, Deny: set.Tools.Deny, Headers: map[string]string{},
	}
	var missing []string
	expand := func(text string) string {
		if set.Literal {
			return text
		}
		return expand(text, from.Getenv, &missing)
	}
	expand(set.Cwd) // see startDir
	s.URL = expand(set.URL)
	for header, value := range set.Headers {
		s.Headers[header] = expand(value)
	}
	if set.Command != "" {
		s.Command = []string{expand(set.Command)}
		for _, arg := range set.Args {
			s.Command = append(s.Command, expand(arg))
		}
		s.Env = environment(from.Getenv)
		for _, variable := range slices.Sorted(maps.Keys(set.Env)) {
			s.Env = append(s.Env, variable+"="+expand(set.Env[variable]))
		}
	}
	denied := slices.IndexFunc(from.Rules, func(r rule.Rule) bool { return r.DeniesServer(name) })
	if i := slices.IndexFunc(from.Rules, func(r rule.Rule) bool { return r.DeniesResources(name) }); i >= 0 {
		s.Unread = denial(from.Rules[i])
	}
	switch {
	case set.Disabled:
		s.Off = "it is disabled in the configuration"
	case denied >= 0:
		s.Off = denial(from.Rules[denied])
	case len(missing) > 0:
		s.Off = "the configuration refers to variables that are not set: " + strings.Join(missing, ", ")
	case set.Provider != "":
		s.Locate = locate(set, from.Access(set.Provider))
	case s.Remote() && from.Logins != nil && !authorized(s.Headers):
		s.OAuth = from.Logins.Handler(name, s.URL)
	}
	return s
}

// denial says which rule denies something.
func denial(r rule.Rule) string { return "a rule denies it: " + r.Decider() }

// authorized reports whether headers have credentials.
func authorized(headers map[string]string) bool {
	for name := range headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// locate returns a function that finds the URL and the credentials of a server at the host
// of a provider.
func locate(set settings.MCPServer, access func() (string, wire.Authorize, error)) func() (string, mcp.Authorize, error) {
	return func() (string, mcp.Authorize, error) {
		base, authorize, err := access()
		if err != nil {
			return "", nil, err
		}
		u, err := url.Parse(base)
		if err != nil {
			return "", nil, fmt.Errorf("the base URL of %s is not valid", set.Provider)
		}
		return u.Scheme + "://" + u.Host + set.URL, mcp.Authorize(authorize), nil
	}
}

// kept are the variables that programs get.
var kept = []string{"PATH", "HOME", "TMPDIR", "LANG", "TERM"}

// keptOnWindows are further variables, without which programs do not run on Windows.
var keptOnWindows = []string{"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"}

// environment returns the environment that every program gets.
func environment(getenv func(string) string) (env []string) {
	names := kept
	if runtime.GOOS == "windows" {
		names = slices.Concat(kept, keptOnWindows)
	}
	for _, name := range names {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// variable matches ${NAME} and ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// expand replaces ${NAME} by the value of a variable. It adds the names of variables that
// are not set and have no default to missing.
func expand(text string, getenv func(string) string, missing *[]string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		m := variable.FindStringSubmatch(found)
		value := getenv(m[1])
		switch {
		case value != "":
		case m[2] != "":
			value = m[2][2:]
		case !slices.Contains(*missing, m[1]):
			*missing = append(*missing, m[1])
		}
		return value
	})
}

// Secrets returns the values of the environment variables and headers of servers, by name,
// so that those that look like secrets can be removed from what models get.
func Secrets(set settings.MCP) (all []string) {
	for _, s := range set.Servers {
		for _, values := range []map[string]string{s.Env, s.Headers} {
			for name, value := range values {
				if !s.Literal {
					value = expand(value, os.Getenv, new([]string))
				}
				all = append(all, name+"="+value)
			}
		}
	}
	return all
}
