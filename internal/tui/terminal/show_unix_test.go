//go:build linux || darwin

package terminal

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"agent/internal/tui/terminal/ptytest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// noted is a model that records messages and returns commands that it is sent.
type noted struct {
	told  chan tea.Msg
	lines int
	sized tea.Cmd // returned for the first size
}

func (n *noted) Init() tea.Cmd { return nil }

func (n *noted) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	n.lines++
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		cmd := n.sized
		n.sized = nil
		return n, cmd
	case tea.Cmd:
		return n, msg
	case tea.PasteMsg, tea.KeyPressMsg, Pasting, string:
		n.told <- msg
	}
	return n, nil
}

func (n *noted) View() tea.View { return tea.NewView(strings.Repeat("drawn\n", n.lines%8+1)) }

// shown is a terminal that shows a model.
type shown struct {
	*testing.T
	*ptytest.Terminal
	told chan tea.Msg
	feed chan tea.Msg
}

func show(t *testing.T) *shown {
	t.Helper()
	return showModel(t, &noted{})
}

func showModel(t *testing.T, m *noted) *shown {
	t.Helper()
	s := &shown{T: t, Terminal: ptytest.Open(t, 80, 24), told: make(chan tea.Msg, 100), feed: make(chan tea.Msg)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	m.told = s.told
	go func() {
		_, err := Show(ctx, cancel, m, Options{In: s.Theirs, Out: s.Theirs}, func(send func(any)) {
			for {
				select {
				case msg := <-s.feed:
					send(msg)
				case <-ctx.Done():
					return
				}
			}
		})
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	s.Expect("drawn")
	return s
}

// next returns the next message that the model gets.
func (s *shown) next() tea.Msg {
	s.Helper()
	select {
	case msg := <-s.told:
		return msg
	case <-time.After(20 * time.Second):
		s.Fatal("the model got no message")
		return nil
	}
}

func (s *shown) nextKey(want string) {
	s.Helper()
	if key, ok := s.next().(tea.KeyPressMsg); !ok || key.String() != want {
		s.Errorf("got %v, want the key %s", key, want)
	}
}

// The command that a model returns for the size of the first frame runs.
func TestCommandOfFirstSize(t *testing.T) {
	s := showModel(t, &noted{sized: func() tea.Msg { return "sized" }})
	if got := s.next(); got != "sized" {
		t.Errorf("got %v, want the message of the command", got)
	}
}

// A large paste is complete and in order with the keys.
func TestLargePaste(t *testing.T) {
	s := show(t)
	large := strings.Repeat("a line of text copied from a file 日本\r", 100_000)
	s.Type("a" + ansi.BracketedPasteStart + large + ansi.BracketedPasteEnd + "b")
	s.nextKey("a")
	for {
		msg := s.next()
		if _, slow := msg.(Pasting); slow {
			continue
		}
		if paste, ok := msg.(tea.PasteMsg); !ok || paste.Content != large {
			t.Errorf("got %T of %d bytes, want the paste of %d", msg, len(paste.Content), len(large))
		}
		break
	}
	s.nextKey("b")
}

// A long paste is reported while it lasts, and ctrl+c ends it.
func TestOpenPaste(t *testing.T) {
	s := show(t)
	s.Type(ansi.BracketedPasteStart + "half")
	if got, want := s.next(), tea.Msg(Pasting{4}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	s.Type("\x03")
	for msg := s.next(); msg != tea.Msg(tea.PasteMsg{Content: "half"}); msg = s.next() {
		if _, again := msg.(Pasting); !again {
			t.Fatalf("got %v, want the paste", msg)
		}
	}
	s.Type("k")
	s.nextKey("k")
}

// While another program has the terminal, the model gets messages but no keys, and
// nothing is drawn.
func TestLend(t *testing.T) {
	s := show(t)
	told := func(err error) tea.Msg {
		if err != nil {
			return "failed: " + err.Error()
		}
		return "returned"
	}
	borrow := func(script string) {
		s.feed <- Lend(exec.Command("sh", "-c", script), "a note", told)
	}
	borrow("printf BEGUN; read line; printf 'ENDED %s' $line; exit 3")
	s.Expect("a note\r\nBEGUN")
	for _, msg := range []string{"one", "two", "three"} {
		s.feed <- msg
		if got := s.next(); got != tea.Msg(msg) {
			t.Errorf("got %v, want %s", got, msg)
		}
	}
	s.feed <- tea.RawMsg{Msg: "\a"}
	s.feed <- tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl} // as for an interrupt signal
	s.Type("theirs\r")
	if between := s.Expect("ENDED theirs"); strings.Contains(between, "drawn") || strings.ContainsAny(between, "\x1b\a") {
		t.Errorf("while it was lent, the terminal got %q", between)
	}
	if got, want := s.next(), tea.Msg("failed: exit status 3"); got != want {
		t.Errorf("got %v, want %s", got, want)
	}
	s.Expect("drawn")
	s.Type("k")
	s.nextKey("k")

	borrow("true")
	if got, want := s.next(), tea.Msg("returned"); got != want {
		t.Errorf("got %v, want %s", got, want)
	}
	s.Type("k")
	s.nextKey("k")
}
