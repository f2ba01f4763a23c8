package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/llm/anthropic"
	"agent/internal/llm/wire/wiretest"
)

// The data that is kept for the next request or skipped is limited.
func TestHiddenDataIsLimited(t *testing.T) {
	event := func(name, data string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q,%s}\n\n", name, name, data)
	}
	secret := strings.Repeat("x", 100<<10)
	begun := event("message_start", `"message":{"id":"m"}`) + event("content_block_start", `"index":0,"content_block":{"type":"thinking","thinking":""}`)
	wiretest.Endless(t, anthropic.Decode, "a signature", begun, func(int) string {
		return event("content_block_delta", `"index":0,"delta":{"type":"signature_delta","signature":"`+secret+`"}`)
	}, 200)
	wiretest.Endless(t, anthropic.Decode, "unknown blocks", begun, func(i int) string {
		return event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":{"type":"server_tool_use"}`, i+1))
	}, 20_000)
	wiretest.Endless(t, anthropic.Decode, "redacted thinking", begun, func(i int) string {
		return event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":{"type":"redacted_thinking","data":"%s"}`, i+1, secret))
	}, 200)
}
