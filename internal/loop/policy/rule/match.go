package rule

import (
	"regexp"
	"strings"

	"agent/internal/tools"
)

// matchesTool reports whether a rule of kind tool or mcp matches a tool.
func (r Rule) matchesTool(name string) bool {
	pattern := r.Pattern
	if r.Kind == MCP {
		server, tool, one := strings.Cut(r.Pattern, "/")
		if !one {
			tool = "*"
		}
		pattern = mcpPrefix + server + "__" + tool
	}
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?s)\A` + strings.Join(parts, ".*") + `\z`).MatchString(name)
}

// MatchesCall reports whether a rule of kind tool or mcp matches a call. A tool of an MCP
// server is known by the name with which the model called it, and by mcp__SERVER__TOOL. A call
// that is in effect one of another tool is known by both names.
func (r Rule) MatchesCall(c tools.Call) bool {
	if c.Effective != nil && r.matchesTool(c.Effective.Tool) {
		return true
	}
	for _, t := range c.Targets {
		if t.Kind == tools.MCP {
			server, tool, _ := strings.Cut(t.Value, "/")
			return r.matchesTool(mcpPrefix+server+"__"+tool) || r.matchesTool(c.Tool)
		}
	}
	return r.matchesTool(c.Tool)
}

// mcpPrefix begins the names of the tools of MCP servers: mcp__SERVER__TOOL.
const mcpPrefix = "mcp__"

// MatchesHost reports whether a rule matches a host, which includes its port unless that
// is the default one. A deny or ask rule without a port matches every port.
func (r Rule) MatchesHost(host string) bool {
	pattern, host := hostName(r.Pattern), hostName(host)
	if name, _, ok := cutPort(host); ok && r.Action != Allow {
		if _, _, port := cutPort(pattern); !port {
			host = name
		}
	}
	if rest, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasPrefix(rest, ".") && len(host) > len(rest) && strings.HasSuffix(host, rest)
	}
	return host == pattern
}

func hostName(host string) string {
	name, port, ok := cutPort(strings.ToLower(host))
	name = strings.TrimSuffix(name, ".")
	if ok {
		return name + ":" + port
	}
	return name
}

// cutPort splits a host and its port. An IPv6 address without brackets has no port.
func cutPort(host string) (name, port string, ok bool) {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.Count(host, ":") > 1 && !strings.HasSuffix(host[:i], "]") {
		return host, "", false
	}
	return host[:i], host[i+1:], true
}
