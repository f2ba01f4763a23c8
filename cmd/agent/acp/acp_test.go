package acp

import (
	"bufio"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHunks(t *testing.T) {
	unified := "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -10 +10,2 @@\n-ten\n\\ No newline at end of file\n+ten\n+eleven\n"
	want := []hunk{
		{line: 2, before: "one\ntwo\nthree\n", after: "one\n2\nthree\n"},
		{line: 10, before: "ten", after: "ten\neleven\n"},
	}
	if d := cmp.Diff(want, hunksOf(unified), cmp.AllowUnexported(hunk{})); d != "" {
		t.Error(d)
	}
	created := hunksOf("@@ -0,0 +1 @@\n+all\n\\ No newline at end of file\n")
	if d := cmp.Diff([]hunk{{line: 1, after: "all"}}, created, cmp.AllowUnexported(hunk{})); d != "" {
		t.Error(d)
	}
	if got := hunksOf("no diff"); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestLongOutputIsCut(t *testing.T) {
	text := strings.Repeat("a", 9<<10) + strings.Repeat("é", 9<<10)
	got := cut(text)
	if len(got) > maxOutput+100 || !strings.Contains(got, "omitted") || strings.Contains(got, "\uFFFD") {
		t.Errorf("%d bytes: %.100s", len(got), got)
	}
	if cut("short") != "short" {
		t.Error("a short text was cut")
	}
}

func TestFenceIsLongerThanThoseInTheText(t *testing.T) {
	if got, want := fence("sh", "echo '```'\n"), "````sh\necho '```'\n````"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinesAboveTheLimit(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":7,"params":{"x":"` + strings.Repeat("x", maxLine) + `"}}`
	r := bufio.NewReader(strings.NewReader(long + "\nnext\n"))
	line, isLong, err := readLine(r)
	if !isLong || err != nil || string(idIn(line)) != "7" {
		t.Errorf("got %d bytes, %v, %v, id %s", len(line), isLong, err, idIn(line))
	}
	if line, isLong, err = readLine(r); string(line) != "next\n" || isLong || err != nil {
		t.Errorf("got %q, %v, %v", line, isLong, err)
	}
}

// TestControlCharactersAreVisible keeps the tabs of code.
func TestControlCharactersAreVisible(t *testing.T) {
	if got, want := clean("a\tb\r\n\x1b[31mred"), "a\tb\n␛[31mred"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
