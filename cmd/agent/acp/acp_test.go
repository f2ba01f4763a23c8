package acp

import (
	"bufio"
	"io"
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

// TestControlCharactersAreVisible keeps the tabs of code.
func TestControlCharactersAreVisible(t *testing.T) {
	if got, want := clean("a\tb\r\n\x1b[31mred"), "a\tb\n␛[31mred"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An answer of the client that is too long ends our request, and is not answered: the client
// may have a request with the same ID.
func TestLongAnswers(t *testing.T) {
	for begins, ends := range map[string]string{`{"jsonrpc":"2.0","id":1,"result":{"content":"`: `"}}`, `{"jsonrpc":"2.0","result":"`: `","id":1}`} {
		in, answers := io.Pipe()
		requests, out := io.Pipe()
		c := newConn(t.Context(), out, t.Logf)
		ended := make(chan error, 1)
		go func() { ended <- c.read(in) }()
		go func() {
			line, _ := bufio.NewReader(requests).ReadString('\n')
			if !strings.Contains(line, `"id":1`) {
				t.Errorf("the request is %s", line)
			}
			_, _ = io.WriteString(answers, begins+strings.Repeat("x", maxLine)+ends+"\n")
			rest, _ := io.ReadAll(requests)
			if len(rest) > 0 {
				t.Errorf("the answer is answered with %s", rest)
			}
			ended <- nil
		}()
		var r struct{}
		if err := c.call(t.Context(), "fs/read_text_file", struct{}{}, &r); err == nil || !strings.Contains(err.Error(), "Invalid request") {
			t.Errorf("the call ends with %v", err)
		}
		_ = answers.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = out.Close()
		<-ended
	}
}
