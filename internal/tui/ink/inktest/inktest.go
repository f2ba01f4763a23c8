// Package inktest holds helpers for tests of drawn text: the looks of goldens, and
// checks that every line must pass. Production code never imports it.
package inktest

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/ink"
)

var updateGoldens = flag.Bool("update", false, "write the goldens of markdown and diffs")

// Looks holds the styles that goldens are drawn with.
var Looks = map[string]*ink.Styles{
	"dark":    ink.Look{Dark: true}.Styles(),
	"light":   ink.Look{}.Styles(),
	"nocolor": ink.Look{Dark: true, NoColor: true}.Styles(),
	"painted": ink.Look{Theme: "dark", Dark: true}.Styles(),
}

// CheckGolden compares lines with a golden file, in which ⎋ and ⍾ stand for ESC and
// BEL.
func CheckGolden(t *testing.T, file string, lines []string) {
	t.Helper()
	got := strings.NewReplacer("\x1b", "⎋", "\a", "⍾").Replace(strings.Join(lines, "\n")) + "\n"
	if *updateGoldens {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(got, string(want)); diff != "" {
		t.Errorf("%s (-got +want):\n%s", file, diff)
	}
}

// Bare returns lines without styles and links.
func Bare(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = ansi.Strip(line)
	}
	return out
}

var legal = regexp.MustCompile("\x1b\\[[0-9;]*m|\x1b\\]8;;(https?://[!-~]*)?\a")

// CheckLines checks that lines fit into width and contain no escape sequences but
// styles and web links.
func CheckLines(t testing.TB, lines []string, width int) {
	t.Helper()
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			t.Fatalf("%d columns where there are %d: %q", w, width, line)
		}
		text := legal.ReplaceAllString(line, "")
		if !utf8.ValidString(text) || strings.ContainsFunc(text, Control) {
			t.Fatalf("control characters reach the terminal: %q", line)
		}
		if strings.HasSuffix(ansi.Strip(line), " ") && !strings.Contains(line, ";48;2;") {
			t.Fatalf("unpainted trailing blanks in %q", line)
		}
	}
}

// Control reports whether r must never be drawn: it is a control character, changes
// the text direction, or is a private-use placeholder of the program.
func Control(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0xe000 && r <= 0xf8ff
}
