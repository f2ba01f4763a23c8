package mask

import (
	"strings"
	"testing"
)

// TestStream checks that text in parts of any length is masked as a whole.
func TestStream(t *testing.T) {
	kind := " PRIVATE" + " KEY-----\n"
	key := "-----BEGIN" + kind + random(1, 64, base64s) + "\n" + random(2, 64, base64s) + "\n-----END" + kind
	text := "first line\n" + shapes()["github-pat"] + "\n" + key + "middle\n" + shapes()["jwt"] + " last line"
	inParts(t, text)
	inParts(t, strings.NewReplacer("ghp_", "\x1b[01;31mghp_\x1b[m\x1b[K", "BEGIN", "\x1b[01;31mBEGIN\x1b[m").Replace(text))
	s := fixed().Stream()
	if out := s.Next([]byte(strings.Repeat("x", maxHeld+1))); len(out) != maxHeld+1 {
		t.Errorf("a long line is held back: %d bytes returned", len(out))
	}
}

func inParts(t *testing.T, text string) {
	t.Helper()
	want := fixed().Text(text)
	if strings.Count(want, "[secret:") != 4 {
		t.Fatalf("masked as a whole: %q", want)
	}
	for size := 1; size < len(text); size += 7 {
		s := fixed().Stream()
		var got strings.Builder
		for i := 0; i < len(text); i += size {
			got.Write(s.Next([]byte(text[i:min(len(text), i+size)])))
		}
		got.Write(s.Rest())
		if got.String() != want {
			t.Fatalf("in parts of %d bytes: %q, want %q", size, got.String(), want)
		}
	}
}
