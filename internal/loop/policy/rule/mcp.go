package rule

// DeniesServer reports whether the rule denies all tools of an MCP server, so that the
// server need not be started.
func (r Rule) DeniesServer(name string) bool {
	const unusable = "\x00" // no tool has this name: only * matches it
	return r.deniesTools() && r.matchesTool(mcpPrefix+name+"__") && r.matchesTool(mcpPrefix+name+"__"+unusable)
}

// resourceTool is the tool with which a model reads the resources of all MCP servers.
const resourceTool = "mcp_resource"

// DeniesResources reports whether the rule denies reading the resources of an MCP server.
// That includes the resources that the user mentions in a prompt.
func (r Rule) DeniesResources(server string) bool {
	return r.deniesTools() && (r.matchesTool(mcpPrefix+server+"__resources/read") || r.matchesTool(resourceTool))
}

func (r Rule) deniesTools() bool {
	return r.Action == Deny && (r.Kind == MCP || r.Kind == Tool)
}
