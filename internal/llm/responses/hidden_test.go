package responses_test

import (
	"fmt"
	"testing"

	"agent/internal/llm/responses"
	"agent/internal/llm/wire/wiretest"
)

// The number of items without content is limited.
func TestHiddenDataIsLimited(t *testing.T) {
	wiretest.Endless(t, responses.Decode, "items", "", func(i int) string {
		return fmt.Sprintf("data: {\"type\":\"response.output_item.added\",\"output_index\":%d,\"item\":{\"type\":\"reasoning\",\"id\":\"r%d\"}}\n\n", i, i)
	}, 20_000)
}
