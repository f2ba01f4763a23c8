package terminal

import (
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"agent/internal/tui/terminal/rescue"
)

// tty is the terminal, or what stands for it in a test.
type tty struct {
	in       io.Reader // what is typed
	out      io.Writer // what is drawn
	keys     *os.File  // in, if that is a terminal
	screen   *os.File  // out, if that is one
	found    []saved   // how they were found, while they are raw
	pastes   *pastes
	loan     loan
	*rescuer // may be nil
}

// saved is a terminal and how it was.
type saved struct {
	file  *os.File
	state *term.State
}

// openTTY returns the terminal on in and out; nil stands for the program's own.
// It calls gone once nothing can be read from it any more: the program must not
// outlive a terminal that was closed without a signal.
func openTTY(in io.Reader, out io.Writer, gone func()) (*tty, error) {
	if out == nil {
		out = os.Stdout
	}
	if in == nil {
		in = os.Stdin
		if !term.IsTerminal(os.Stdin.Fd()) { // something else comes in there
			console, _, err := tea.OpenTTY()
			if err != nil {
				return nil, fmt.Errorf("open the terminal: %w", err)
			}
			in = console
		}
	}
	t := &tty{in: in, out: out, keys: terminalFile(in), screen: terminalFile(out), pastes: newPastes(PasteLimit)}
	if t.keys != nil {
		t.in = t.watch(t.keys, gone)
	}
	return t, nil
}

// terminalFile returns f as a file, if it is a terminal.
func terminalFile(f any) *os.File {
	if f, ok := f.(*os.File); ok && term.IsTerminal(f.Fd()) {
		return f
	}
	return nil
}

// size is that of the window; what windows used to have where none is known.
func (t *tty) size() tea.WindowSizeMsg {
	if t.screen != nil {
		if w, h, err := term.GetSize(t.screen.Fd()); err == nil && w > 0 && h > 0 {
			return tea.WindowSizeMsg{Width: w, Height: h}
		}
	}
	return tea.WindowSizeMsg{Width: 80, Height: 24}
}

// state is how the terminal treats what passes through it; nil if that is not
// known.
func (t *tty) state() []byte {
	if t.keys == nil {
		return nil
	}
	state, err := rescue.State(int(t.keys.Fd()))
	if err != nil {
		return nil
	}
	return state
}

// raw has every key told as it is typed, and nothing drawn for it.
func (t *tty) raw() error {
	var found []saved
	for i, f := range []*os.File{t.keys, t.screen} {
		if f == nil {
			continue
		}
		state, err := makeRaw(f, i == 0)
		if err != nil {
			return fmt.Errorf("prepare the terminal: %w", err)
		}
		if state != nil {
			found = append(found, saved{f, state})
		}
	}
	if t.found == nil {
		t.found = found
	}
	t.hush()
	return nil
}

// restore leaves the terminal as it was found. In the background it does not:
// there the terminal is another's, who sees to it.
func (t *tty) restore() {
	t.loud()
	if !t.foreground() {
		return
	}
	for _, s := range t.found {
		_ = term.Restore(s.file.Fd(), s.state)
	}
	t.found = nil
}
