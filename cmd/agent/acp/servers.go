package acp

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/coder/acp-go-sdk"

	"agent/cmd/agent/settings"
)

// maxName is the maximum length of the name of a server.
const maxName = 40

// unsafe matches what the name of a server must not have.
var unsafe = regexp.MustCompile(`[^a-z0-9]+`)

// serversOf returns the MCP servers of an editor by name. Names are changed to those that
// the configuration allows. Notices tell the user which servers cannot be used.
func serversOf(given []acp.McpServer) (all map[string]settings.MCPServer, notices []string) {
	all = map[string]settings.MCPServer{}
	for _, g := range given {
		s, name := settings.MCPServer{Literal: true}, ""
		switch {
		case g.Stdio != nil:
			name, s.Command, s.Args, s.Env = g.Stdio.Name, g.Stdio.Command, g.Stdio.Args, map[string]string{}
			for _, v := range g.Stdio.Env {
				s.Env[v.Name] = v.Value
			}
		case g.Http != nil:
			name, s.URL, s.Headers = g.Http.Name, g.Http.Url, headers(g.Http.Headers)
		case g.Sse != nil:
			name, s.URL, s.Headers, s.Transport = g.Sse.Name, g.Sse.Url, headers(g.Sse.Headers), "sse"
		}
		name = safeName(name)
		if s.Command == "" && s.URL == "" {
			notices = append(notices, "The MCP server "+name+" of the editor is not used: it has neither a command nor a URL.")
			continue
		}
		all[unused(name, all)] = s
	}
	return all, notices
}

func headers(given []acp.HttpHeader) map[string]string {
	all := map[string]string{}
	for _, h := range given {
		all[h.Name] = h.Value
	}
	return all
}

// safeName returns a name that the configuration allows: lower case letters, digits, and
// single hyphens and underscores between them.
func safeName(name string) string {
	name = unsafe.ReplaceAllStringFunc(strings.ToLower(name), func(found string) string {
		if found == "_" {
			return found
		}
		return "-"
	})
	name = strings.Trim(name[:min(len(name), maxName)], "-_")
	if name == "" {
		return "server"
	}
	return name
}

// unused returns name, with a number if all has a server with that name.
func unused(name string, all map[string]settings.MCPServer) string {
	free := name
	for n := 2; ; n++ {
		if _, taken := all[free]; !taken {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}
