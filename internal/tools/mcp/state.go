package mcp

import (
	"context"
	"errors"
	"fmt"
)

// Tokens returns the estimated size of the definition of the tool.
func (t Tool) Tokens() int {
	return (len(t.Name) + len(t.Description) + len(t.Schema)) / bytesPerToken
}

// Deferred reports whether models search for all tools because the definitions are not
// listed. It is false before the first request.
func (b *Toolbox) Deferred() bool {
	if !b.mu.TryLock() { // the first request waits for the servers
		return false
	}
	defer b.mu.Unlock()
	return len(b.offered) > 0 && b.offered[0].Accepts().Name == SearchTool
}

// Reconnect ends the connection to a server, connects again, and waits for the result.
func (c *Connections) Reconnect(ctx context.Context, name string) error {
	s, err := c.find(name)
	switch {
	case err != nil:
		return err
	case s.Server.Off != "":
		return errors.New("the MCP server " + name + " is not used: " + s.Server.Off)
	}
	s.drop(nil)
	if err := s.connect(ctx); err != nil {
		now := s.status()
		return fmt.Errorf("MCP server %s, %s: %s", name, now.State, now.Why)
	}
	return nil
}
