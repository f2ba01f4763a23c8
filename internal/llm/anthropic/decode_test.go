package anthropic

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
	var got []string
	for _, d := range decode(bytes.NewReader(recording(t, "server-tools.sse"))).Deltas {
		switch d := d.(type) {
		case llm.TextDelta:
			got = append(got, fmt.Sprintf("text %d", d.Index))
		case llm.BlockEnd:
			got = append(got, fmt.Sprintf("end %d", d.Index))
		case llm.Finish:
			got = append(got, "finish")
		}
	}
	want := []string{"text 0", "end 0", "end 1", "text 2", "end 2", "finish"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

const sseDir = "../../../testdata/sse/anthropic"

func recording(t testing.TB, name string) []byte {
	t.Helper()
	return wiretest.Recording(t, filepath.Join(sseDir, name))
}

func decode(r io.Reader) *wiretest.Answer { return wiretest.Collect(Decode(r)) }
