package terminal

import (
	"os/exec"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Lend returns the command that runs another program on the terminal and sends the
// message done(err) when it exits. The terminal is the program's standard input and
// output unless c sets them. Meanwhile the model gets messages but no keys, and
// nothing is drawn. note is shown until the program draws.
func Lend(c *exec.Cmd, note string, done func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg { return lend{c, note, done} }
}

type lend struct {
	*exec.Cmd
	note string
	done func(error) tea.Msg
}

// returned reports that the other program exited; msg is the message for the model.
type returned struct {
	note string
	msg  tea.Msg
}

// loan blocks reading while another program has the terminal.
type loan struct {
	mu   sync.Mutex
	over chan struct{} // closed at the end of the loan; nil without one
}

func (l *loan) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = make(chan struct{})
}

func (l *loan) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.over)
	l.over = nil
}

// active reports whether another program has the terminal.
func (l *loan) active() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over != nil
}

// wait waits until no other program has the terminal. It reports whether it had to
// wait.
func (l *loan) wait() bool {
	l.mu.Lock()
	over := l.over
	l.mu.Unlock()
	if over == nil {
		return false
	}
	<-over
	return true
}

// handOver restores the terminal for another program and connects the program to it.
func (s *stage) handOver(l lend) {
	s.give()
	s.tty.restore()
	if s.tty.keys != nil && l.Stdin == nil {
		l.Stdin = s.tty.keys
	}
	if s.tty.screen == nil {
		return
	}
	if l.Stdout == nil {
		l.Stdout = s.tty.screen
	}
	if l.Stderr == nil {
		l.Stderr = s.tty.screen
	}
	_, _ = s.tty.screen.WriteString(l.note + "\n")
}

// takeBack takes the terminal back from the other program.
func (s *stage) takeBack(note string) {
	if s.tty.screen != nil && note != "" {
		_, _ = s.tty.screen.WriteString("\r" + ansi.EraseLineRight)
	}
	s.back()
}

// filterLent handles the messages about the terminal while another program has it.
// It drops keys and pastes that were still typed for this program.
func (s *stage) filterLent(msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case returned:
		s.tty.loan.end()
		s.takeBack(msg.note)
		return msg.msg
	case tea.SuspendMsg:
		suspend()
		return nil
	case tea.PasteMsg:
		_ = s.tty.pastes.complete(msg) // otherwise the next paste would get this content
		return nil
	case lend, continued, tea.WindowSizeMsg, tea.KeyPressMsg, tea.MouseMsg, tea.FocusMsg, tea.BlurMsg, Pasting:
		return nil
	}
	if _, ok := request(msg); ok || msg == tea.ClearScreen() {
		return nil
	}
	return msg
}
