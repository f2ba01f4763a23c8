package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/llm/openai"
	"agent/internal/llm/wire/wiretest"
)

// The data that is kept for the next request is limited.
func TestHiddenDataIsLimited(t *testing.T) {
	chunk := func(delta string) string {
		return `data: {"choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
	}
	secret := strings.Repeat("x", 100<<10)
	wiretest.Endless(t, openai.Decode, "encrypted reasoning", "", func(int) string {
		return chunk(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"` + secret + `"}]}`)
	}, 200)
	wiretest.Endless(t, openai.Decode, "elements of reasoning", "", func(i int) string {
		return chunk(fmt.Sprintf(`{"reasoning_details":[{"type":"t%d"}]}`, i))
	}, 20_000)
	wiretest.Endless(t, openai.Decode, "extras of calls", "", func(i int) string {
		return chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"read"},"extra_content":{"x":"%s"}}]}`, i, i, secret))
	}, 200)
}
