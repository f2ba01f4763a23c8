package terminal

import (
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"agent/internal/tui/terminal/rescue"
)

// tty is the terminal, or its replacement in a test.
type tty struct {
	in       io.Reader // input, filtered
	out      io.Writer // output
	keys     *os.File  // the input if it is a terminal
	screen   *os.File  // the output if it is a terminal
	found    []saved   // the original states, while the terminal is raw
	pastes   *pastes
	loan     loan
	*rescuer // may be nil
}

// saved is a terminal and its original state.
type saved struct {
	file  *os.File
	state *term.State
}

// openTTY returns the terminal on in and out; nil means standard input or output. It
// calls gone when reading fails, because the program must exit when its terminal is
// closed without a signal.
func openTTY(in io.Reader, out io.Writer, gone func()) (*tty, error) {
	if out == nil {
		out = os.Stdout
	}
	if in == nil {
		in = os.Stdin
		if !term.IsTerminal(os.Stdin.Fd()) { // standard input is redirected
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

// size returns the size of the window, 80×24 if it is unknown.
func (t *tty) size() tea.WindowSizeMsg {
	if t.screen != nil {
		if w, h, err := term.GetSize(t.screen.Fd()); err == nil && w > 0 && h > 0 {
			return tea.WindowSizeMsg{Width: w, Height: h}
		}
	}
	return tea.WindowSizeMsg{Width: 80, Height: 24}
}

// state returns the termios settings of the terminal, nil if they are unknown.
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

// raw puts the terminal into raw mode.
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

// restore restores the original state of the terminal. In the background it does
// nothing: another program has the terminal.
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
