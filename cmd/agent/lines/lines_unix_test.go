//go:build unix

package lines

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/terminal/ptytest"
)

// Plain mode reads only requested lines of a terminal, so that an editor gets what
// the user types meanwhile.
func TestPlainReadsRequestedLines(t *testing.T) {
	x := ptytest.Open(t, 80, 24)
	lines, next := make(chan string), make(chan struct{})
	go readLines(x.Theirs, lines, next)
	in := &Input{C: lines, Next: next, Typed: true}

	var got []string
	read := func() {
		line, ok := in.Line()
		if !ok {
			t.Error("the input ended")
		}
		got = append(got, line)
	}
	x.Type("first \\\nof two\n")
	read()
	x.Type(":wq\n")
	got = append(got, readTerminal(t, x.Theirs)) // as an editor does
	x.Type("last\n")
	read()
	if diff := cmp.Diff(got, []string{"first \nof two", ":wq\n", "last"}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

// readTerminal reads a line as another program would.
func readTerminal(t *testing.T, f *os.File) string {
	t.Helper()
	b := make([]byte, 100)
	n, err := f.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n])
}
