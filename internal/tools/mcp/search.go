package mcp

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/intake"
)

const (
	maxFound    = 5        // tools that a search shows with their schemas
	maxExact    = 10       // the same if the query names the tools
	maxFoundLen = 16 << 10 // bytes of these schemas and descriptions
	maxOther    = 20       // further names that match
	maxBriefly  = 50       // tools that an overview describes in a line each
	maxNamed    = 200      // tools that an overview names
	maxLine     = 120      // bytes of a description in an overview
)

//go:embed tool_search.md
var searchText string

type searchArgs struct {
	Query string `json:"query" jsonschema:"words about what the tool does, exact names of tools, or the name of a server to list its tools"`
}

// onlyNew is the description of the search tool if the model gets the definitions of the
// present tools.
const onlyNew = "Finds tools that MCP servers have added during the session, and returns their schemas. You have all other tools of the servers. Call a tool that you found with mcp_call.\n"

// searchTool returns the tool that finds tools.
func (b *Toolbox) searchTool(description string) tools.Tool {
	return tools.New(SearchTool, description+"\nServers: "+strings.Join(b.names(), ", "), func(_ context.Context, a searchArgs) (tools.Call, error) {
		return tools.Call{
			Title: strings.TrimSpace("search tools " + a.Query), Effect: tools.Read,
			Run: func(ctx context.Context, _ tools.Approved) (tools.Result, error) {
				if found, _ := match(b.Tools(), a.Query); len(found) == 0 {
					b.waitReady(ctx)
				}
				return b.search(a.Query), ctx.Err()
			},
		}, nil
	}, intake.Form{
		Names: []string{"toolsearch", "search_tools"}, Harmless: []string{"limit", "max_results"},
		Aliases: map[string][]string{"query": {"q", "keywords", "pattern", "name", "names", "tool", "server"}},
		Rewrite: func(a *intake.Args) error {
			var words []string
			if a.Take("query", &words) {
				a.Set("query", strings.Join(words, " "))
			} else if !a.Has("query") {
				a.Set("query", "")
			}
			return nil
		},
	})
}

// search returns the tools that match a query best, with their schemas, and the names of
// others that match. If the query is empty or names a server, it lists the tools in short.
func (b *Toolbox) search(query string) tools.Result {
	all := b.Tools()
	found, sure := match(all, query)
	var text strings.Builder
	switch server := strings.ToLower(strings.TrimSpace(query)); {
	case server == "":
		overview(&text, all, maxBriefly)
	case slices.ContainsFunc(all, func(t Tool) bool { return t.Server == server }) && sure == 0:
		found = slices.DeleteFunc(slices.Clone(all), func(t Tool) bool { return t.Server != server })
		overview(&text, found, maxBriefly)
	case len(found) == 0 && len(all) > 0:
		text.WriteString("No tool matches. These are all tools:\n")
		overview(&text, all, maxFound)
	default:
		describe(&text, found, sure)
	}
	b.instruct(&text, found[:min(len(found), maxFound)])
	if p := b.problems(); p != "" {
		text.WriteString(strings.TrimPrefix(p, ". ") + ".\n")
	}
	if text.Len() == 0 {
		text.WriteString("The servers have no tools.\n")
	}
	r := tools.Result{Text: text.String(), Summary: phrase.Count(len(found), "tool")}
	if len(all) > 0 {
		r.Source = "MCP servers"
	}
	return r
}

// describe writes the first of the found tools with their schemas, and the names of others.
// The query names the first sure tools; if sure is not 0, found has no others.
func describe(text *strings.Builder, found []Tool, sure int) {
	shown := 0
	for _, t := range found[:min(len(found), max(maxFound, min(sure, maxExact)))] {
		entry := fmt.Sprintf("%s\n%s\nArguments: %s\n\n", t.Name, strings.TrimSpace(t.Description), t.definition())
		if shown > 0 && text.Len()+len(entry) > maxFoundLen {
			break
		}
		text.WriteString(entry)
		shown++
	}
	rest := found[shown:]
	if len(rest) == 0 {
		return
	}
	text.WriteString("Other matches: " + names(rest[:min(len(rest), maxOther)]))
	if more := len(rest) - maxOther; more > 0 {
		fmt.Fprintf(text, " and %d more", more)
	}
	text.WriteByte('\n')
}

// instruct writes what the servers of the found tools say about the use of their tools.
func (b *Toolbox) instruct(text *strings.Builder, found []Tool) {
	for _, s := range b.Servers() {
		if s.Instructions != "" && slices.ContainsFunc(found, func(t Tool) bool { return t.Server == s.Name }) {
			fmt.Fprintf(text, "About the server %s, in its own words: %s\n", s.Name, s.Instructions)
		}
	}
}

// overview writes what tools do, a line each, or only their names if there are more than
// limit. Each server gets its share.
func overview(text *strings.Builder, all []Tool, limit int) {
	if len(all) <= limit {
		for _, t := range all {
			line, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
			text.WriteString(strings.TrimSuffix(t.Name+": "+phrase.Clip(line, maxLine), ": ") + "\n")
		}
		return
	}
	servers := map[string][]Tool{}
	for _, t := range all {
		servers[t.Server] = append(servers[t.Server], t)
	}
	limit = max(1, maxNamed/len(servers))
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		own := servers[name]
		prefix := Prefix + clean(name) + "__"
		short := strings.ReplaceAll(", "+names(own[:min(len(own), limit)]), ", "+prefix, ", ")
		fmt.Fprintf(text, "%s, %s whose names begin with %s: %s", name, phrase.Count(len(own), "tool"), prefix, short[len(", "):])
		if more := len(own) - limit; more > 0 {
			fmt.Fprintf(text, " and %d more", more)
		}
		text.WriteByte('\n')
	}
}

// names lists the names of tools.
func names(all []Tool) string {
	var out []string
	for _, t := range all {
		out = append(out, t.Name)
	}
	return strings.Join(out, ", ")
}

// definition returns the schema without $schema, the version of JSON Schema.
func (t Tool) definition() json.RawMessage {
	var s map[string]json.RawMessage
	if json.Unmarshal(t.Schema, &s) != nil || s["$schema"] == nil {
		return t.Schema
	}
	delete(s, "$schema")
	short, err := json.Marshal(s)
	if err != nil {
		return t.Schema
	}
	return short
}
