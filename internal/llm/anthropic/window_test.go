package anthropic_test

import (
	"encoding/json"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
)

// TestReplyLeavesRoomForTheRequest checks the limits of replies in several context windows.
func TestReplyLeavesRoomForTheRequest(t *testing.T) {
	for _, c := range []struct{ window, limit, want int }{
		{0, 64_000, 64_000},
		{200_000, 64_000, 64_000},
		{16_000, 64_000, 3_200},
		{16_000, 0, 3_200},
		{16_000, 1_000, 1_000},
		{32_000, 0, 6_400},
	} {
		p := anthropic.New(anthropic.Options{MaxTokens: c.limit, Window: c.window})
		body, err := p.Body(llm.Request{Model: "claude-sonnet-5"})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			MaxTokens int `json:"max_tokens"`
		}
		if err := json.Unmarshal(body, &got); err != nil || got.MaxTokens != c.want {
			t.Errorf("window %d, limit %d: got %d, %v, want %d", c.window, c.limit, got.MaxTokens, err, c.want)
		}
		p.Close()
	}
}
