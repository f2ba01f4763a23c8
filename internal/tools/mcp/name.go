package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Prefix begins the names of the tools of MCP servers: mcp__SERVER__TOOL.
const Prefix = "mcp__"

// maxName is the length of the longest name of a tool that all providers accept.
const maxName = 64

// nameTools names the tools of a server. A name that is too long, that does not show the
// tool's own name, or that two tools of the server would have, gets a hash of server and
// tool. The names of servers have no double underscore, so tools of two servers never have
// the same name, and a name does not depend on which servers are connected.
func nameTools(all []Tool) {
	count := map[string]int{}
	for i := range all {
		t := &all[i]
		t.Name = Prefix + clean(t.Server) + "__" + clean(t.Tool)
		count[strings.ToLower(t.Name)]++
	}
	for i := range all {
		t := &all[i]
		if len(t.Name) > maxName || count[strings.ToLower(t.Name)] > 1 || t.Name != Prefix+t.Server+"__"+t.Tool {
			t.Name = hashed(t.Name, t.Server, t.Tool)
		}
	}
}

// namePrompts names the prompts of a server like tools, but in lower case, because they are
// slash commands.
func namePrompts(all []Prompt) {
	plain := func(p Prompt) string { return strings.ToLower(Prefix + p.Server + "__" + p.Prompt) }
	count := map[string]int{}
	for i := range all {
		p := &all[i]
		p.Name = strings.ToLower(Prefix + p.Server + "__" + clean(p.Prompt))
		count[p.Name]++
	}
	for i := range all {
		if p := &all[i]; len(p.Name) > maxName || count[p.Name] > 1 || p.Name != plain(*p) {
			p.Name = hashed(p.Name, p.Server, p.Prompt)
		}
	}
}

// maxServer limits the part of a shortened name that names the server, in bytes.
const maxServer = 24

// hashed returns a name with a hash of server and tool. A name that is too long keeps its
// beginning, which names the server, and its end.
func hashed(name, server, tool string) string {
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	hash := "_" + hex.EncodeToString(sum[:4])
	if over := len(name) + len(hash) - maxName; over > 0 {
		head := min(len(Prefix+server+"__"), maxServer)
		name = name[:head] + name[head+over:]
	}
	return name + hash
}

// clean replaces the characters that providers do not accept in the name of a tool.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}
