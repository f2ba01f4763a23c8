package marker_test

import (
	"testing"

	"agent/internal/llm/marker"
)

func TestNotesOfAllFormsAreFound(t *testing.T) {
	for _, note := range []string{
		marker.Note("the result had %d bytes. Full text: /out/call-c1-e29180e5.txt. It begins:", 15000),
		marker.Note("a.go was read again or changed later."),
		marker.Note("%d bytes", 12),
		marker.Note("/tmp/x has the rest"),
		"[truncated: lines 1-20 of 300", // its end is missing
		"[truncated: lines 1-20 of 300; continue with offset 21]",
		"[lines 1-834 of 5013, limit 50 KB; continue with offset 835]",
		"[lines 1-2000 of a file of 5.4 GB, limit 2000 lines; continue with offset 2001",
		"[cut: this had 15000 bytes. All of it is in /out/call-c1-e29180e5.txt. It began:]",
		"[cut: a.go was read again or changed later. All of it is in /out/c.txt.]",
		"… [15000 bytes, cut]",
		"… [truncated, 15000 bytes]",
		"… (1 byte more)",
		"… (15000 bytes more)",
		"[1 image cut]",
		"[3 images cut]",
		"[... 818 bytes (12 lines) of output omitted ...]",
	} {
		if got := marker.Copied([]byte("func f() {\n\t" + note + "\n}\n")); got != note {
			t.Errorf("%q: got %q", note, got)
		}
		if got := marker.Copied([]byte("a "+note), []byte("nothing"), []byte("x "+note+" y")); got != "" {
			t.Errorf("%q is in a known text, but was found as %q", note, got)
		}
	}
}

func TestOtherTextHoldsNoNote(t *testing.T) {
	for _, text := range []string{
		"", "plain", "…", "[…]", "[ ]", "a[i], b[j]",
		`const truncatedMark = "[truncated: "`,
		`fmt.Sprintf("%s[truncated: %d bytes]", s, n)`,
		"`[truncated: ${n} bytes]`",
		`f"[truncated: {n} bytes]"`,
		"A note `[truncated: …]` stands for text that is left out.",
		"[truncated]", "[truncated: ]",
		"[lines 2-3 of 4]", "[lines %d-%d of %d, limit %s; continue with offset %d]",
		"[cut: here]", "[cut: along the dotted line. Then fold]",
		`fmt.Sprintf("… [%d bytes, cut]", n)`,
		"- [ ] wait… [5 bytes]",
	} {
		if got := marker.Copied([]byte(text)); got != "" {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
