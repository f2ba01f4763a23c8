package mcp_test

import (
	"testing"
	"time"

	"agent/internal/tools/mcp"
)

// A server that ignores server/discover is connected to with an older protocol, on the same
// program and long before StartTime. An answer that comes too late changes nothing. A server
// that was slow, and therefore rejects initialize, is started again.
func TestServersThatDoNotAnswerDiscover(t *testing.T) {
	c := connect(t, mcp.Options{
		Servers:      []mcp.Server{program(t, "mute", "mute"), program(t, "late", "late"), program(t, "new", "new"), program(t, "slow", "slow")},
		DiscoverTime: time.Nanosecond,
		StartTime:    10 * time.Minute, // connect does not wait that long
	})
	protocols := map[string]string{"mute": "2024-11-05", "late": "2024-11-05", "new": "2026-07-28", "slow": "2026-07-28"}
	for _, s := range c.Servers() {
		if s.State != mcp.Ready || s.Protocol != protocols[s.Name] {
			t.Errorf("%s is %s with protocol %s: %s", s.Name, s.State, s.Protocol, s.Why)
			continue
		}
		if got := call(t, c, s.Name, "good", `{}`); got != "old but good\n" {
			t.Errorf("%s: got %q", s.Name, got)
		}
	}
}
