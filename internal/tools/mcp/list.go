package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/llm/phrase"
	"agent/internal/tools/schema"
)

const (
	// maxTools limits the tools of a server that are used, maxDefinitions the bytes of
	// their definitions, and maxOffered the tools that are examined.
	maxTools       = 2000
	maxDefinitions = 8 << 20
	maxOffered     = 10 * maxTools
	// relistTime is the minimum time between two listings of a server that reports changes.
	relistTime = time.Second
	// maxDescription limits the description of a tool, in bytes.
	maxDescription = 4 << 10
	// maxSchema limits the schema of a tool, in bytes.
	maxSchema = 64 << 10
	// maxToolName limits the name of a tool at its server, in bytes.
	maxToolName = 256
)

// list returns the tools of a server that are used, and why others are left out.
func (s *server) list(ctx context.Context, session *sdk.ClientSession) (found []Tool, rejected []string, err error) {
	if c := session.InitializeResult().Capabilities; c == nil || c.Tools == nil {
		return nil, nil, nil
	}
	seen := map[string]bool{}
	size, offered := 0, 0
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, nil, fmt.Errorf("list the tools: %w", err)
		}
		if err := ctx.Err(); err != nil { // one page can list many tools
			return nil, nil, err
		}
		if offered++; len(found) == maxTools || size > maxDefinitions || offered > maxOffered {
			rejected = append(rejected, fmt.Sprintf("all tools after the first %d", len(found)))
			break
		}
		if t == nil || !s.uses(t.Name) || seen[t.Name] {
			continue
		}
		schema, portable, why := schemaOf(t)
		if why != "" {
			if len(rejected) < maxTools {
				rejected = append(rejected, phrase.Clip(t.Name, maxToolName)+": "+why)
			}
			continue
		}
		seen[t.Name] = true
		size += len(schema) + min(len(t.Description), maxDescription)
		found = append(found, Tool{
			Server: s.Name, Tool: t.Name, Schema: schema, portable: portable, maxResult: resultSize(t.Meta),
			Description: phrase.Clip(strings.ToValidUTF8(t.Description, "\uFFFD"), maxDescription),
		})
	}
	slices.SortFunc(found, func(a, b Tool) int { return strings.Compare(a.Tool, b.Tool) })
	nameTools(found)
	return found, rejected, nil
}

// schemaOf returns the schema of the arguments of a tool as the server gives it and in the
// form for providers, or why the tool cannot be used.
func schemaOf(t *sdk.Tool) (own, portable json.RawMessage, why string) {
	if t.Name == "" || len(t.Name) > maxToolName {
		return nil, nil, fmt.Sprintf("its name is empty or longer than %d bytes", maxToolName)
	}
	tooLarge := fmt.Sprintf("its schema is larger than %d KiB", maxSchema>>10)
	own, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil, nil, "its schema cannot be used: " + err.Error()
	}
	if len(own) > maxSchema {
		return nil, nil, tooLarge
	}
	object, _, err := schema.Portable(t.InputSchema)
	if err != nil {
		return nil, nil, "its schema cannot be used: " + err.Error()
	}
	if portable, err = json.Marshal(object); err != nil {
		return nil, nil, "its schema cannot be used: " + err.Error()
	}
	if len(portable) > maxSchema {
		return nil, nil, tooLarge
	}
	if given, ok := t.InputSchema.(map[string]any); !ok || len(given) == 0 {
		own = portable
	}
	return own, portable, ""
}

// resultSize returns how many bytes of a result the model gets. A server may ask for more
// than the default in the field that Claude Code introduced.
func resultSize(meta sdk.Meta) int {
	wanted, _ := meta["anthropic/maxResultSizeChars"].(float64)
	return int(min(max(wanted, maxResult), mostResult))
}

// listChanged reads lists again. All changes that are reported meanwhile cause one more
// listing.
func (s *server) listChanged(c changes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn.session == nil || c == (changes{}) { // the lists are about to be read, or not needed
		return
	}
	if !s.offers.changed(c) {
		return
	}
	s.all.running.Go(func() {
		for session, c := s.takeStale(); session != nil; session, c = s.takeStale() {
			s.listAgain(session, c)
			select {
			case <-time.After(relistTime):
			case <-s.all.ctx.Done():
			}
		}
	})
}

// takeStale returns the lists that must be read, and the session; nil if that has been done.
func (s *server) takeStale() (*sdk.ClientSession, changes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.offers.takeStale(s.conn.session != nil && s.all.ctx.Err() == nil)
	if c == (changes{}) {
		return nil, c
	}
	return s.conn.session, c
}

// listAgain replaces lists with the server's current ones.
func (s *server) listAgain(session *sdk.ClientSession, c changes) {
	ctx, stop := context.WithTimeout(s.all.ctx, s.all.o.StartTime)
	defer stop()
	failed := func(err error) bool {
		if err != nil && !hasEnded(err) { // the last output of a program that has ended is its own
			_, _ = fmt.Fprintf(&s.log, "[agent] %v\n", err)
		}
		return err != nil
	}
	replace := func(do func()) {
		s.mu.Lock()
		if s.conn.session == session {
			do()
		}
		s.mu.Unlock()
		s.all.noteChange()
	}
	if c.tools {
		if found, rejected, err := s.list(ctx, session); !failed(err) {
			replace(func() { s.offers.tools, s.offers.rejected = found, rejected })
		}
	}
	if c.resources {
		if found, err := s.listResources(ctx, session); !failed(err) {
			replace(func() { s.offers.resources = found })
		}
	}
	if c.prompts {
		if found, err := s.listPrompts(ctx, session); !failed(err) {
			replace(func() { s.offers.prompts = found })
		}
	}
}

// Listable reports whether every provider accepts the definition of the tool: the names of
// its arguments, and a schema without alternatives at its top and without references. One
// definition that is not accepted would make a provider reject the whole request.
func (t Tool) Listable() bool {
	var s struct {
		Properties               map[string]json.RawMessage
		OneOf, AnyOf, AllOf, Not json.RawMessage
	}
	if json.Unmarshal(t.portable, &s) != nil || s.OneOf != nil || s.AnyOf != nil || s.AllOf != nil || s.Not != nil {
		return false
	}
	for name := range s.Properties {
		if name == "" || len(name) > maxName || strings.Trim(clean(name), "_") == "" || clean(strings.ReplaceAll(name, ".", "_")) != strings.ReplaceAll(name, ".", "_") {
			return false
		}
	}
	return !bytes.Contains(t.portable, []byte(`"$ref"`))
}
