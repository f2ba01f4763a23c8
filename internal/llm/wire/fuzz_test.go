package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/llm/wire/wiretest"
)

func FuzzEvents(f *testing.F) {
	files, err := filepath.Glob("../../../testdata/sse/*.sse")
	if err != nil || len(files) == 0 {
		f.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte("data: a\r\rdata:b\n\r\nevent: x\ndata\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		whole := allEvents(bytes.NewReader(body))
		pieces := allEvents(wiretest.Dribble(body))
		if strings.Join(whole, "|") != strings.Join(pieces, "|") {
			t.Errorf("whole %q, in pieces %q", whole, pieces)
		}
	})
}
