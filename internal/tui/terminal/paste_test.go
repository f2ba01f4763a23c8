package terminal

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// divided returns what passes of reads, with each complete paste in place of its
// markers.
func divided(p *pastes, reads ...string) string {
	var out string
	for _, read := range reads {
		passed := string(p.divide(nil, []byte(read)))
		for {
			before, after, ended := strings.Cut(passed, ansi.BracketedPasteEnd)
			out += before
			if !ended {
				break
			}
			switch msg := p.complete(tea.PasteMsg{}).(type) {
			case tea.PasteMsg:
				out += fmt.Sprintf("%q>", msg.Content)
			default:
				out += fmt.Sprintf("%T>", msg)
			}
			passed = after
		}
	}
	return strings.ReplaceAll(out, ansi.BracketedPasteStart, "<")
}

// A paste is complete however it is split into reads, and keys around it pass.
func TestPasteIsExtracted(t *testing.T) {
	const start, end = ansi.BracketedPasteStart, ansi.BracketedPasteEnd
	for typed, want := range map[string]string{
		"a" + start + "b\rc" + end + "d": `a<"b\rc">d`,
		start + end:                      `<"">`,
		start + "x" + end + start + "y" + end + "\x1b[A":         "<\"x\"><\"y\">\x1b[A",
		start + "\x1b[201\x1b[20\x1b\x1b[A" + end + "k":          `<"\x1b[201\x1b[20\x1b\x1b[A">k`,
		start + "in " + start + " out" + end:                     `<"in \x1b[200~ out">`,
		"\x1b" + start + "日本\xff" + end:                          "\x1b<\"日本\\xff\">",
		"\x1b[200x\x1b[20\x1b[200~one" + end + end[:4]:           "\x1b[200x\x1b[20<\"one\">" + end[:4],
		start + strings.Repeat("ten bytes ", 20) + end + "after": "<terminal.PasteTooLarge>after",
	} {
		for i := range len(typed) + 1 {
			if got := divided(newPastes(100), typed[:i], typed[i:]); got != want {
				t.Errorf("%q, cut at %d: got %q, want %q", typed, i, got, want)
			}
		}
		if got := divided(newPastes(100), strings.Split(typed, "")...); got != want {
			t.Errorf("%q, letter by letter: got %q, want %q", typed, got, want)
		}
	}
}

// ctrl+c ends a paste without an end marker, and is not a key then.
func TestPasteWithoutAnEnd(t *testing.T) {
	for _, interrupt := range []string{"\x03", "\x1b[99;5u", "\x1b[27;5;99~"} {
		p := newPastes(100)
		told := make(chan tea.Msg, 1)
		p.tell = func(msg tea.Msg) { told <- msg }
		got := divided(p, ansi.BracketedPasteStart+"all there is\x1b[20", interrupt, "\x03k")
		if want := "<\"all there is\\x1b[20\">\x03k"; got != want {
			t.Errorf("%q: got %q, want %q", interrupt, got, want)
		}
		if diff := cmp.Diff(<-told, tea.Msg(PasteCut{})); diff != "" {
			t.Errorf("told (-got +want):\n%s", diff)
		}
	}
}

// A paste that arrives while another program has the terminal is dropped, and the
// next one has its own content.
func TestPasteWhileLent(t *testing.T) {
	const start, end = ansi.BracketedPasteStart, ansi.BracketedPasteEnd
	s := &stage{tty: &tty{pastes: newPastes(100)}}
	s.tty.pastes.divide(nil, []byte(start+"lost"+end+start+"next"+end))
	s.tty.loan.begin()
	if got := s.filter(nil, tea.PasteMsg{}); got != nil {
		t.Errorf("got %v, want nothing", got)
	}
	s.tty.loan.end()
	if diff := cmp.Diff(s.filter(nil, tea.PasteMsg{}), tea.Msg(tea.PasteMsg{Content: "next"})); diff != "" {
		t.Errorf("told (-got +want):\n%s", diff)
	}
}
