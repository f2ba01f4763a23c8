package screen

import "agent/internal/loop/event"

// MCP holds what /mcp needs. Its functions may block; they are nil if no MCP server is
// configured. All texts of servers are untrusted.
type MCP struct {
	// Servers returns the servers, sorted by name. Deferred is set if models
	// do not get the definitions of the tools and search for them.
	Servers func() (all []MCPServer, deferred bool)
	// Log returns the last lines that the program of a server wrote to standard error.
	Log func(name string) string
	// Reconnect ends the connection to a server, connects again, and waits for the result.
	Reconnect func(name string) error
	// Browse opens a web page in the user's browser, and does not wait for it.
	Browse func(url string) error

	// WithResources returns the names of the servers that have resources, sorted, and
	// FindResources at most limit resources of one, the best match first. They do not block.
	WithResources func() []string
	FindResources func(server, query string, limit int) []MCPResource
	// Prompts returns the prompts of the servers. It does not block.
	Prompts func() []MCPPrompt
	// Prompt returns what the server answers to a prompt with the words of the user.
	Prompt func(name string, words []string) (event.Prompt, error)
}

// MCPResource is a resource of an MCP server, or a template of resources.
type MCPResource struct {
	URI, Name, Description string // without control characters
	Template               bool   // the URI has variables in braces
}

// MCPPrompt is a prompt of an MCP server, which is a slash command.
type MCPPrompt struct {
	Name        string   // of the command, without the slash
	Usage       string   // the arguments, for display
	Arguments   []string // their names
	Description string
	Server      string
}

// MCPServer is the state of an MCP server.
type MCPServer struct {
	Name, State string
	Changing    bool // it is starting, or its lists are being read
	Ready       bool
	Why         string // why it is not ready; may be empty
	Program     bool   // it is a program, which has a log; otherwise it is reached over HTTP
	Target      string // the command or the URL
	Protocol    string // version; empty if it was never connected
	Tools       []MCPTool
	Rejected    []string // tools that are not used, with the reason
	Resources   int      // how many it lists
	Prompts     int
}

// MCPTool is a tool of an MCP server.
type MCPTool struct {
	Name, Description string
	Tokens            int // estimated size of its definition
}

// Tokens returns the estimated size of the definitions of the tools.
func (s MCPServer) Tokens() (n int) {
	for _, t := range s.Tools {
		n += t.Tokens
	}
	return n
}
