package turn

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// serverPrefix begins the names of the tools of MCP servers: mcp__SERVER__TOOL.
const serverPrefix = "mcp__"

// IsServerTool reports whether a tool belongs to an MCP server.
func IsServerTool(name string) bool { return strings.HasPrefix(name, serverPrefix) }

func isServerSpec(t llm.ToolSpec) bool { return IsServerTool(cmp.Or(t.Tool, t.Name)) }

// Adapted returns m with what the conversation has learned about it.
func (c *Conversation) Adapted(m Model) Model {
	m.Unlisted = m.Unlisted || c.unlisted[m.Name]
	return m
}

// unlist leaves the definitions of MCP tools out of the requests from now on, if the
// provider has rejected the schema of a tool. It reports whether the next request differs.
func (q *requester) unlist(req llm.Request, reply *llm.Reply, err *llm.Error) bool {
	if err.Kind != llm.ErrInvalid || err.Status != http.StatusBadRequest && err.Status != http.StatusUnprocessableEntity || accepted(reply) {
		return false
	}
	tool, blames := blamedTool(err.Message, req.Tools)
	current, listed := q.Models.Current().Name, slices.ContainsFunc(req.Tools, isServerSpec)
	if q.unlisted || blames && !listed && q.conv.unlisted[current] {
		err.Hint = joinHints(err.Hint, "The request already left out the definitions of MCP tools. Choose another model.")
		return false
	}
	if !blames || !listed {
		return false
	}
	q.conv.unlisted[current] = true
	q.setPrefix(q.conv, q.out)
	if slices.ContainsFunc(q.conv.Prefix.Tools, isServerSpec) { // a list of the agent names them
		return false
	}
	q.unlisted = true
	what := "of an MCP tool"
	if server, name, ok := strings.Cut(strings.TrimPrefix(tool, serverPrefix), "__"); ok {
		what = "of the tool " + name + " of the MCP server " + server
	}
	q.out.emit(event.Notice{Text: err.Error() + ". The provider rejects the schema " + what + ". The definitions of MCP tools are left out in this session; the model can still search for the tools and call them."})
	return true
}

// The positions of a tool in the words of providers.
var (
	declarationIndex = regexp.MustCompile(`(?i)function_?declarations\[(\d+)\]`)
	toolIndex        = regexp.MustCompile(`(?i)\btools(?:\[|\.|/)(\d+)`)
)

// blamedTool reports whether the message of an error is about the schema of a tool. It
// returns the name of the MCP tool, if the message names it or its position in all.
func blamedTool(message string, all []llm.ToolSpec) (tool string, blames bool) {
	text := strings.ToLower(message)
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	if says("response_format", "response format", "text.format", "output_format", "response_schema", "responseschema", "tool_choice") {
		return "", false
	}
	declares := says("schema", "function_declaration", "functiondeclaration", "function declaration")
	if !declares && !says("parameters") {
		return "", false
	}
	named := ""
	for _, t := range all {
		if isServerSpec(t) && strings.Contains(message, t.Name) && len(t.Name) > len(named) {
			named, tool = t.Name, cmp.Or(t.Tool, t.Name)
		}
	}
	if named != "" {
		return tool, true
	}
	at := declarationIndex.FindStringSubmatch(message)
	if at == nil {
		at = toolIndex.FindStringSubmatch(message)
	}
	if at == nil {
		return "", declares && says("tool", "function")
	}
	if i, err := strconv.Atoi(at[1]); err == nil && i < len(all) && isServerSpec(all[i]) {
		tool = cmp.Or(all[i].Tool, all[i].Name)
	}
	return tool, true
}
