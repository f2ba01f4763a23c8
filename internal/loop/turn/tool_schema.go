package turn

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// Rejected reports whether the provider rejected the definitions of MCP tools in specs in
// an earlier session.
func (m Model) Rejected(specs []llm.ToolSpec) bool {
	return m.Memory != nil && slices.ContainsFunc(specs, isServerSpec) && slices.Contains(m.Memory.Limits(), rejectionFact(specs))
}

// rejectionFact returns the fact that a provider rejects the definitions of MCP tools in specs.
func rejectionFact(specs []llm.ToolSpec) string {
	text, _ := json.Marshal(slices.DeleteFunc(slices.Clone(specs), func(t llm.ToolSpec) bool { return !isServerSpec(t) }))
	sum := sha256.Sum256(text)
	return "mcp-schema:" + hex.EncodeToString(sum[:16])
}

// keepRejection remembers that the provider rejected the definitions of MCP tools, now
// that it has accepted a request without them.
func (q *requester) keepRejection() {
	if m := q.models.Current(); q.rejected != "" && m.Memory != nil {
		m.Memory.Learn(q.rejected)
	}
	q.rejected = ""
}

// unlist leaves the definitions of MCP tools out of the requests from now on, if the
// provider may have rejected one of them. If it rejects the request without them too, they
// are not the cause, and are listed again. It reports whether the next request differs.
func (q *requester) unlist(req llm.Request, reply *llm.Reply, err *llm.Error) bool {
	tool, blames, schema := blamedTool(err, req)
	switch {
	case accepted(reply):
		return false
	case err.Kind == llm.ErrInvalid && (err.Status == http.StatusBadRequest || err.Status == http.StatusUnprocessableEntity):
	case err.Status != http.StatusInternalServerError || !schema:
		return false
	}
	const already = "The request already left out the definitions of MCP tools. Choose another model."
	current, listed := q.models.Current().Name, slices.ContainsFunc(req.Tools, isServerSpec)
	switch {
	case q.rejected != "":
		q.rejected = ""
		delete(q.conv.unlisted, current)
		q.prefix.set()
		err.Hint = joinHints(err.Hint, already)
		return false
	case blames && !listed && q.conv.unlisted[current]:
		err.Hint = joinHints(err.Hint, already)
		return false
	case !blames || !listed || q.unlisted:
		return false
	}
	rejected := rejectionFact(q.conv.Prefix.Tools)
	q.conv.unlisted[current] = true
	q.prefix.set()
	if slices.ContainsFunc(q.conv.Prefix.Tools, isServerSpec) { // a list of the agent names them
		return false
	}
	q.unlisted, q.rejected = true, rejected
	why := "The definition of an MCP tool may be the cause."
	if schema {
		why = "The provider rejects the schema of an MCP tool."
	}
	if server, name, ok := strings.Cut(strings.TrimPrefix(tool, serverPrefix), "__"); ok {
		why = "The provider rejects the definition of the tool " + name + " of the MCP server " + server + "."
	}
	q.out.emit(event.Notice{Text: err.Error() + ". " + why + " The definitions of MCP tools are left out; the model can still search for the tools and call them."})
	return true
}

// The positions of a tool in the words of providers.
var (
	declarationIndex = regexp.MustCompile(`(?i)function_?declarations\[(\d+)\]`)
	toolIndex        = regexp.MustCompile(`(?i)\btools(?:\[|\.|/|",)(\d+)`)
)

// blamedTool reports whether an error may be about the definition of a tool, and whether it
// speaks of a schema. It returns the name of the MCP tool, if the error names it or its
// position in the request.
func blamedTool(err *llm.Error, req llm.Request) (tool string, blames, schema bool) {
	message := err.Field + " " + err.Message
	text := strings.ToLower(message)
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	if says("response_format", "response format", "text.format", "output_format", "response_schema", "responseschema", "tool_choice") {
		return "", false, false
	}
	tools := says("tool", "function")
	schema = says("function_declaration", "functiondeclaration", "function declaration") || says("schema", "grammar") && (tools || req.Schema == nil)
	at := declarationIndex.FindStringSubmatch(message)
	if at == nil {
		at = toolIndex.FindStringSubmatch(message)
	}
	conversation := says("messages[", "messages.", "messages/", "input[", "contents[", "role", "tool_call", "tool call", "toolcall", "tool_use", "tool use", "tooluse",
		"tool_result", "tool result", "toolresult", "function call", "function_call", "functioncall", "function response", "function_response", "functionresponse")
	if blames = schema || at != nil || (tools || says("parameters")) && !conversation && err.Err == nil; !blames {
		return "", false, false
	}
	named := ""
	for _, t := range req.Tools {
		if isServerSpec(t) && strings.Contains(message, t.Name) && len(t.Name) > len(named) {
			named, tool = t.Name, cmp.Or(t.Tool, t.Name)
		}
	}
	if named == "" && at != nil {
		if i, err := strconv.Atoi(at[1]); err == nil && i < len(req.Tools) && isServerSpec(req.Tools[i]) {
			tool = cmp.Or(req.Tools[i].Tool, req.Tools[i].Name)
		}
	}
	return tool, true, schema
}
