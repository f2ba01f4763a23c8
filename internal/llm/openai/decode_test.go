package openai

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/wire/wiretest"
)

func TestDecodeIndexesFollowOrder(t *testing.T) {
	body := recording(t, "reasoning-details.sse")
	var got []string
	for _, d := range decode(bytes.NewReader(body)).Deltas {
		switch d := d.(type) {
		case llm.ThinkingDelta:
			got = append(got, fmt.Sprintf("thinking %d", d.Index))
		case llm.CallDelta:
			got = append(got, fmt.Sprintf("call %d", d.Index))
		case llm.BlockEnd:
			got = append(got, fmt.Sprintf("end %d", d.Index))
		case llm.Finish:
			got = append(got, "finish")
		}
	}
	want := []string{"thinking 0", "thinking 0", "end 0", "call 1", "end 0", "finish"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

const sseDir = "../../../testdata/sse"

func recording(t testing.TB, name string) []byte {
	t.Helper()
	return wiretest.Recording(t, filepath.Join(sseDir, name))
}

func decode(r io.Reader) *wiretest.Answer { return wiretest.Collect(Decode(r)) }
