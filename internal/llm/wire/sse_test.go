package wire

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestEvents(t *testing.T) {
	for name, row := range map[string]struct {
		in   string
		want []string
	}{
		"all line endings":               {"data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d", []string{": a", ": b", ": c", ": d"}},
		"no space, two":                  {"data:a\n\ndata:  b\n\n", []string{": a", ":  b"}},
		"several lines":                  {"data: a\ndata\ndata: b\n\n", []string{": a\n\nb"}},
		"names":                          {"event: x\n\ndata: a\n\nevent: y\ndata: b\n\ndata: c\n\n", []string{": a", "y: b", ": c"}},
		"an event without an end":        {": c\nid: 1\nretry: 2\nnonsense\n\n\n\ndata: a\n\n", []string{": a"}},
		"a byte order mark at the start": {"\ufeffdata: a\n\n", []string{": a"}},
		"a byte order mark later":        {"data: a\n\n\ufeffdata: b\n\n", []string{": a"}},
		"nothing":                        {"", nil},
		"a short body":                   {"d", nil},
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(row.in), "byte by byte": iotest.OneByteReader(strings.NewReader(row.in)),
			"with the end": iotest.DataErrReader(strings.NewReader(row.in))} {
			if diff := cmp.Diff(allEvents(r), row.want); diff != "" {
				t.Errorf("%s, %s: got, want:\n%s", name, how, diff)
			}
		}
	}
}

// TestEventsDoNotWait checks that an event is returned before more data
// arrives.
func TestEventsDoNotWait(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		r, w := io.Pipe()
		e := NewEvents(r)
		go func() { _, _ = io.WriteString(w, "data: a"+end) }()
		if _, data, err := e.Next(); string(data) != "a" || err != nil {
			t.Errorf("%q: got %q, %v", end, data, err)
		}
		_ = w.Close()
	}
}

// allEvents returns the names and data of all events.
func allEvents(r io.Reader) []string {
	var out []string
	e := NewEvents(r)
	for {
		name, data, err := e.Next()
		if err != nil {
			return out
		}
		out = append(out, fmt.Sprintf("%s: %s", name, data))
	}
}
