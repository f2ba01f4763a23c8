package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
)

const (
	// maxResources limits the resources and templates of a server that are listed, and
	// maxResourceBytes their texts.
	maxResources     = 10_000
	maxResourceBytes = 8 << 20
	// maxURI limits the URI of a resource, and maxResourceText its name and its description,
	// in bytes.
	maxURI          = 2 << 10
	maxResourceText = 300
	// maxAttached limits the resources that are read for a prompt.
	maxAttached = 10
)

// Resource is a resource of a server, such as a file or a table, or a template of
// resources. Its texts are untrusted.
type Resource struct {
	// URI identifies the resource. That of a template has variables: "file:///{path}"
	// (RFC 6570). It has no control characters.
	URI               string
	Name, Description string // on one line; may be empty
	Template          bool
}

// listResources returns the resources of a server and then its templates, each in the
// server's order.
func (s *server) listResources(ctx context.Context, session *sdk.ClientSession) (found []Resource, err error) {
	left, omitted, size := maxResources, 0, 0
	add := func(r Resource) bool {
		left--
		r.Name, r.Description = oneLine(r.Name), oneLine(r.Description)
		if size += len(r.URI) + len(r.Name) + len(r.Description); left < 0 || size > maxResourceBytes {
			_, _ = fmt.Fprintf(&s.log, "[agent] the server has more than %d resources; the others are not listed\n", len(found))
			return false
		}
		if r.URI == "" || len(r.URI) > maxURI || !utf8.ValidString(r.URI) || strings.ContainsFunc(r.URI, unicode.IsControl) {
			omitted++
			return true
		}
		found = append(found, r)
		return true
	}
	more := true
	for r, err := range session.Resources(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list the resources: %w", err)
		}
		if r != nil {
			if more = add(Resource{URI: r.URI, Name: cmp.Or(r.Title, r.Name), Description: r.Description}); !more {
				break
			}
		}
	}
	if more {
		for t, err := range session.ResourceTemplates(ctx, nil) {
			if isUnknownMethod(err) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("list the templates of resources: %w", err)
			}
			if t != nil && !add(Resource{URI: t.URITemplate, Name: cmp.Or(t.Title, t.Name), Description: t.Description, Template: true}) {
				break
			}
		}
	}
	if omitted > 0 {
		_, _ = fmt.Fprintf(&s.log, "[agent] %s with an invalid URI\n", phrase.Count(omitted, "resource"))
	}
	return found, nil
}

// oneLine returns a text of a server on one line, truncated to maxResourceText bytes.
func oneLine(text string) string {
	return phrase.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " "), maxResourceText)
}

// ReadResource reads a resource of a server. See tools.Call for ctx and the result.
func (c *Connections) ReadResource(ctx context.Context, server, uri string) (tools.Result, error) {
	s, err := c.find(server)
	if err != nil {
		return tools.Result{}, err
	}
	if s.Unread != "" {
		return tools.Result{}, errors.New("the resources of the MCP server " + s.Name + " must not be read: " + s.Unread)
	}
	if now := s.status(); now.State == Ready {
		switch {
		case !now.HasResources:
			return tools.Result{}, errors.New("the MCP server " + s.Name + " has no resources")
		case slices.ContainsFunc(now.Resources, func(r Resource) bool { return r.Template && r.URI == uri && strings.Contains(uri, "{") }):
			return tools.Result{}, errors.New("the URI " + clipped(uri) + " is a template: replace the variables in braces")
		}
	}
	got, err := request(ctx, s, func(ctx context.Context, session *sdk.ClientSession) (*sdk.ReadResourceResult, error) {
		return session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return tools.Result{Source: s.Name}, err
	}
	out := content{Result: tools.Result{Source: s.Name}}
	for _, r := range got.Contents {
		out.addResource(ctx, r)
	}
	return out.fit(s, maxResult, "[the resource is empty]\n"), nil
}

// Attach reads the resources that a user mentioned, as "SERVER:URI", at the same time.
// Mentions of other servers than those of c are left out.
func (c *Connections) Attach(ctx context.Context, mentions []string) (all []tools.Attachment) {
	var reading sync.WaitGroup
	for _, m := range mentions {
		server, _, ok := strings.Cut(m, ":")
		if _, err := c.find(server); ok && err == nil {
			all = append(all, tools.Attachment{Name: m, Result: tools.Result{Source: server}})
		}
	}
	for i := range all {
		a := &all[i]
		if i >= maxAttached {
			a.Source, a.Err = "", fmt.Errorf("a prompt may mention %d resources", maxAttached)
			continue
		}
		reading.Go(func() {
			server, uri, _ := strings.Cut(a.Name, ":")
			a.Result, a.Err = c.ReadResource(ctx, server, uri)
			a.Source = server // also of an error
		})
	}
	reading.Wait()
	return all
}

// WithResources returns the names of the servers that have listed resources, sorted, without
// those whose resources must not be read.
func (c *Connections) WithResources() (names []string) {
	for _, s := range c.servers {
		s.mu.Lock()
		if len(s.offers.resources) > 0 && s.Unread == "" {
			names = append(names, s.Name)
		}
		s.mu.Unlock()
	}
	return names
}

// FindResources returns at most limit resources of a server: those whose URI begins with a
// text, and then those whose URI or name contains it, in either case.
func (c *Connections) FindResources(server, text string, limit int) []Resource {
	s, err := c.find(server)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	all := s.offers.resources
	s.mu.Unlock()
	text = strings.ToLower(text)
	var prefixed, containing []Resource
	for _, r := range all {
		uri := strings.ToLower(r.URI)
		switch {
		case len(prefixed) == limit:
			return prefixed
		case strings.HasPrefix(uri, text):
			prefixed = append(prefixed, r)
		case len(containing) < limit && (strings.Contains(uri, text) || strings.Contains(strings.ToLower(r.Name), text)):
			containing = append(containing, r)
		}
	}
	return append(prefixed, containing[:min(len(containing), limit-len(prefixed))]...)
}
