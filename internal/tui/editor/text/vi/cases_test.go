package vi

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"agent/internal/tui/editor/text"
)

var (
	recordCases = flag.Int("record", 0, "record that many new cases with vim")
	recordSeed  = flag.Uint64("seed", 1, "of the cases that are recorded")
)

// The tables of cases.
const (
	sameAsVim = "testdata/vim.txt"
	notAsVim  = "testdata/vim-differs.txt"
)

// vimCase is a recorded result of vim: a text with its caret, keys, and the resulting
// text and unnamed register.
type vimCase struct {
	text, keys, want string
	register         text.Kill
}

// caretSign marks the caret in the texts of cases.
const caretSign = "¦"

// String returns the case as a line of the table.
func (c vimCase) String() string {
	how := "letters"
	if c.register.Lines {
		how = "lines"
	}
	return fmt.Sprintf("%q %q %q %s %q", c.text, c.keys, c.want, how, c.register.Text)
}

// parseCase parses a line of the table.
func parseCase(line string) (c vimCase, err error) {
	var parts [5]string
	for i := range parts {
		line = strings.TrimPrefix(line, " ")
		if i == 3 {
			parts[i], line, _ = strings.Cut(line, " ")
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return c, fmt.Errorf("field %d: %w", i, err)
		}
		if parts[i], err = strconv.Unquote(quoted); err != nil {
			return c, err
		}
		line = line[len(quoted):]
	}
	return vimCase{parts[0], parts[1], parts[2], text.Kill{Text: parts[4], Lines: parts[3] == "lines"}}, nil
}

// Keys have the recorded results of vim. make vim-cases records them again.
func TestVimCases(t *testing.T) {
	if *recordCases > 0 {
		record(t)
	}
	f, err := os.Open(sameAsVim)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count, bad := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		c, err := parseCase(lines.Text())
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		count++
		if got := c.played(); got != c {
			const enough = 20
			if bad++; bad <= enough {
				t.Errorf("%q  %s\n  got  %q %q\n  want %q %q", c.text, c.keys, got.want, got.register.Text, c.want, c.register.Text)
			}
		}
	}
	if count < 1000 || bad > 0 {
		t.Errorf("%d of %d cases differ", bad, count)
	}
}

// played returns the result of a case in this package.
func (c vimCase) played() (is vimCase) {
	defer func() {
		if r := recover(); r != nil {
			is = vimCase{want: fmt.Sprint(r)}
		}
	}()
	b := text.New(plain)
	b.Rows().SetWidth(1000)
	at := strings.Index(c.text, caretSign)
	b.Reset(c.text[:at] + c.text[at+len(caretSign):])
	b.MoveTo(at)
	kills := &text.Kills{}
	v := New(b, kills)
	v.Press("esc")
	b.MoveTo(at)
	v.sought.text = "qqq" // so that n, ; and . have something to repeat
	play(v, "fqi<esc>")
	b.MoveTo(at)
	v.Moved()
	play(v, strings.ReplaceAll(c.keys, " ", ""))
	is = vimCase{c.text, c.keys, b.String()[:b.Caret()] + caretSign + b.String()[b.Caret():], kills.Latest()}
	if c.register.Text == "" { // the case yanked nothing
		is.register = c.register
	}
	return is
}

// record records new cases with vim. The few that differ here go to a table of their
// own for review; most are quirks of vim.
func record(t *testing.T) {
	version, err := exec.Command("vim", "--version").Output()
	if err != nil {
		t.Skipf("vim: %v", err)
	}
	name, _, _ := strings.Cut(string(version), " (")
	cases := inventCases(*recordSeed, *recordCases)
	if err := askVim(t.TempDir(), cases); err != nil {
		t.Fatal(err)
	}
	var same, other strings.Builder
	const layout = "# What %s does: a text, keys, the text behind them, and the unnamed register.\n"
	fmt.Fprintf(&same, layout, name)
	fmt.Fprintf(&other, layout+"# Here, these come out otherwise.\n", name)
	differ := 0
	for _, c := range cases {
		if got := c.played(); got != c {
			differ++
			fmt.Fprintf(&other, "%v\n# %q %q\n", c, got.want, got.register.Text)
			continue
		}
		fmt.Fprintln(&same, c)
	}
	for file, table := range map[string]string{sameAsVim: same.String(), notAsVim: other.String()} {
		if err := os.WriteFile(file, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d cases differ", differ, len(cases))
	if differ*100 > len(cases)*2 {
		t.Errorf("too many differ: %d of %d, see %s", differ, len(cases), notAsVim)
	}
}
