package mcp

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
)

// maxShown limits the resources that a call lists, and maxShownLen the list in bytes.
const (
	maxShown    = 200
	maxShownLen = 16 << 10
)

//go:embed mcp_resource.md
var resourceText string

type resourceArgs struct {
	Server string `json:"server,omitempty" jsonschema:"name of the server; may be left out if there is only one"`
	URI    string `json:"uri,omitempty" jsonschema:"URI of the resource to read"`
	Query  string `json:"query,omitempty" jsonschema:"text that the listed resources contain"`
}

// mayHaveResources reports whether the server has resources, or may have them because it is
// not ready.
func (s Status) mayHaveResources() bool {
	return s.State != Off && (s.State != Ready || s.HasResources)
}

// resourceTool returns the tool that lists and reads resources.
func (b *Toolbox) resourceTool() tools.Tool {
	return tools.Indirect(tools.New(ResourceTool, resourceText+"\nServers: "+strings.Join(b.names(), ", "), func(_ context.Context, a resourceArgs) (tools.Call, error) {
		s, err := b.withResources(a.Server)
		if err != nil {
			return tools.Call{}, err
		}
		if a.URI == "" {
			return tools.Call{
				Title: "list resources of " + s.Name, Effect: tools.Read,
				Run: func(ctx context.Context, _ tools.Approved) (tools.Result, error) {
					b.waitReady(ctx)
					return b.listResources(ctx, s.Name, a.Query)
				},
			}, nil
		}
		if len(a.URI) > maxURI {
			return tools.Call{}, fmt.Errorf("the URI has more than %d bytes", maxURI)
		}
		input, err := json.MarshalIndent(map[string]string{"uri": a.URI}, "", "  ")
		if err != nil {
			return tools.Call{}, err
		}
		effect := tools.Execute
		if s.Remote() {
			effect = tools.Network
		}
		args := encode(map[string]string{"uri": a.URI})
		return tools.Call{
			Effective: &tools.Effective{Tool: Prefix + s.Name + "__resources/read", Arguments: args, Wrap: func(args json.RawMessage) (json.RawMessage, error) {
				err := json.Unmarshal(args, &a)
				a.Server = s.Name
				return encode(a), err
			}},
			Title: "read resource " + s.Name + ":" + phrase.Clip(a.URI, maxBrief), Effect: effect,
			Targets: []tools.Target{{Kind: tools.MCP, Value: s.Name + "/resources/read", Input: string(input)}},
			Instead: insteadOfCall,
			Run: func(ctx context.Context, _ tools.Approved) (tools.Result, error) {
				return b.ReadResource(ctx, s.Name, a.URI)
			},
		}, nil
	}, intake.Form{
		Names:   []string{"read_mcp_resource", "list_mcp_resources", "readmcpresource", "listmcpresources"},
		Aliases: map[string][]string{"server": {"server_name"}, "uri": {"url", "resource"}, "query": {"q", "filter"}},
	}))
}

// withResources returns the server with that name; without a name, the only one that may
// have resources.
func (b *Toolbox) withResources(name string) (Status, error) {
	var all []Status
	var names []string
	for _, s := range b.Servers() {
		if s.Name == name && s.State != Off {
			return s, nil
		}
		if s.mayHaveResources() {
			all, names = append(all, s), append(names, s.Name)
		}
	}
	if name == "" && len(all) == 1 {
		return all[0], nil
	}
	err := errors.New("server is missing")
	if name != "" {
		err = fmt.Errorf("there is no MCP server %q", clipped(name))
	}
	return Status{}, advice.Add(err, "Servers that may have resources: %s", strings.Join(names, ", "))
}

// listResources returns the resources of a server that contain a text, in either case.
func (b *Toolbox) listResources(ctx context.Context, name, query string) (tools.Result, error) {
	s, err := b.Connections.find(name)
	if err != nil {
		return tools.Result{}, err
	}
	all := s.status().Resources
	if len(all) == 0 { // perhaps they have not been read yet
		all, err = request(ctx, s, func(ctx context.Context, session *sdk.ClientSession) ([]Resource, error) {
			if !hasLists(session).resources {
				return nil, nil
			}
			return s.listResources(ctx, session)
		})
	}
	if err != nil {
		return tools.Result{Source: name}, err
	}
	var text strings.Builder
	found, shown := 0, 0
	for _, r := range all {
		line := r.line()
		if !strings.Contains(strings.ToLower(line), strings.ToLower(query)) {
			continue
		}
		if found++; shown < maxShown && text.Len()+len(line) < maxShownLen {
			text.WriteString(line)
			shown++
		}
	}
	if found > shown {
		fmt.Fprintf(&text, "and %d more: search them with query\n", found-shown)
	}
	if found == 0 {
		text.WriteString("No resource was found.\n")
	}
	return tools.Result{Text: text.String(), Summary: phrase.Count(found, "resource"), Source: name}, nil
}

// line returns the resource on one line.
func (r Resource) line() string {
	line := r.URI
	if r.Template {
		line += " (template)"
	}
	if r.Name != "" {
		line += "  " + r.Name
	}
	if r.Description != "" {
		line += ": " + r.Description
	}
	return line + "\n"
}
