package settings

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
)

// MCP holds the settings of MCP servers.
type MCP struct {
	Servers map[string]MCPServer `json:"servers,omitempty" names:"^[a-z0-9]+([_-][a-z0-9]+)*$" what:"MCP servers by name"`
}

// MCPServer configures an MCP server: a program (Command) or a URL. In Args, Env, Cwd, URL
// and Headers, ${NAME} stands for an environment variable.
type MCPServer struct {
	Command   string            `json:"command,omitempty" what:"program of the server, by name or path"`
	Args      []string          `json:"args,omitempty" what:"arguments of the program"`
	Env       map[string]string `json:"env,omitempty" what:"environment variables of the program, in addition to PATH, HOME, TMPDIR, LANG and TERM; ${NAME} stands for a variable of the environment"`
	Cwd       string            `json:"cwd,omitempty" what:"directory in which the program starts; a relative one, such as ., is in the directory of the session (default: your home directory, or that of the session if the command or an argument names a relative path)"`
	URL       string            `json:"url,omitempty" what:"URL of a server over HTTP; with provider, a path at its host"`
	Transport string            `json:"transport,omitempty" enum:"http,sse" what:"http (streamable HTTP, default) or sse (the older HTTP with SSE)"`
	Headers   map[string]string `json:"headers,omitempty" what:"headers sent with every request; ${NAME} stands for a variable of the environment"`
	Provider  string            `json:"provider,omitempty" what:"model provider whose host and credentials the server uses, such as databricks"`
	Timeout   int               `json:"timeout_seconds,omitempty" min:"1" what:"cancel a call when the server is silent for this many seconds (default 120)"`
	OAuth     MCPAuth           `json:"oauth,omitempty" what:"how to log in to the server (default: register a client at its authorization server)"`
	Tools     MCPTools          `json:"tools,omitempty" what:"which tools of the server are used (default: all)"`
	Disabled  bool              `json:"disabled,omitempty" what:"do not use the server (default false)"`
	// Literal is set if ${NAME} does not stand for a variable, as in the servers of an editor.
	Literal bool `json:"-"`
}

// MCPAuth configures the login to an MCP server with OAuth.
type MCPAuth struct {
	ClientID string   `json:"client_id,omitempty" what:"ID of a client that is registered at the authorization server"`
	Port     int      `json:"callback_port,omitempty" min:"1" what:"port of this computer to which the browser returns, if the client is registered with one (default: any free port)"`
	Host     string   `json:"callback_host,omitempty" enum:"127.0.0.1,localhost,::1" what:"name of this computer in the address to which the browser returns, if the client is registered with one (default 127.0.0.1)"`
	Scopes   []string `json:"scopes,omitempty" what:"scopes to ask for (default: those that the server names)"`
}

// isSet reports whether any setting is set.
func (a MCPAuth) isSet() bool {
	return a.ClientID != "" || a.Port != 0 || a.Host != "" || len(a.Scopes) > 0
}

// MCPTools selects tools of a server by their names.
type MCPTools struct {
	Allow []string `json:"allow,omitempty" what:"patterns of the tools to use, such as get_*"`
	Deny  []string `json:"deny,omitempty" what:"patterns of the tools not to use, even if they match allow"`
}

// check returns an error for a server that cannot be used. The settings come from a file
// with these lines.
func (m MCP) check(file string, lines map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(m.Servers)) {
		if err := m.Servers[name].Check(); err != nil {
			at := "mcp.servers." + name
			return fmt.Errorf("%s:%d: %s: %w", file, lines[at], at, err)
		}
	}
	return nil
}

// Check returns why the server cannot be used; nil if it can.
func (s MCPServer) Check() error {
	switch u, err := url.Parse(s.URL); {
	case (s.Command == "") == (s.URL == ""):
		return fmt.Errorf("set either command, for a program, or url")
	case s.Command != "" && (len(s.Headers) > 0 || s.Transport != "" || s.Provider != "" || s.OAuth.isSet()):
		return fmt.Errorf("headers, transport, provider and oauth are for servers with a url")
	case s.URL != "" && (len(s.Args) > 0 || len(s.Env) > 0 || s.Cwd != ""):
		return fmt.Errorf("args, env and cwd are for servers with a command")
	case s.Provider != "" && (!strings.HasPrefix(s.URL, "/") || strings.HasPrefix(s.URL, "//")):
		return fmt.Errorf("with provider, url must be a path at its host, such as /api/2.0/mcp/genie/SPACE")
	case s.URL != "" && s.Provider == "" && !strings.Contains(s.URL, "${") && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		return fmt.Errorf("url must be a URL like https://mcp.example.org/mcp")
	}
	for _, pattern := range slices.Concat(s.Tools.Allow, s.Tools.Deny) {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("%q is not a pattern of tool names such as get_*", pattern)
		}
	}
	return nil
}
