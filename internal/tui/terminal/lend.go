package terminal

import (
	"os/exec"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Lend returns the command that lets another program have the terminal until it
// ends, and sends what told makes of its end. The model gets messages meanwhile,
// but for keys; nothing is drawn. Until that program draws, the person reads
// note. What stands for its input and output is the terminal.
func Lend(c *exec.Cmd, note string, told func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg { return lend{c, note, told} }
}

type lend struct {
	*exec.Cmd
	note string
	told func(error) tea.Msg
}

// returned says that the other program has ended, and what told made of that.
type returned struct {
	note string
	msg  tea.Msg
}

// loan is what keeps the program from reading while another has the terminal.
type loan struct {
	mu   sync.Mutex
	over chan struct{} // nil while there is none
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

// lasts reports whether another program has the terminal.
func (l *loan) lasts() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over != nil
}

// wait returns when no other program has the terminal. It reports whether one
// had.
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

// handOver leaves the terminal to another program.
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
	_, _ = s.tty.screen.WriteString(l.note)
}

// takeBack takes the terminal from the other program.
func (s *stage) takeBack(note string) {
	if s.tty.screen != nil && note != "" {
		_, _ = s.tty.screen.WriteString("\r" + ansi.EraseLineRight)
	}
	s.back()
}

// hearMeanwhile takes the messages that concern the terminal while another
// program has it: that program gets the signals too. What was still typed here
// is lost, rather than read as something else.
func (s *stage) hearMeanwhile(msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case returned:
		s.tty.loan.end()
		s.takeBack(msg.note)
		return msg.msg
	case tea.SuspendMsg:
		suspend()
		return nil
	case tea.PasteMsg:
		_ = s.tty.pastes.told(msg) // or it would be told in place of the next one
		return nil
	case lend, continued, tea.WindowSizeMsg, tea.KeyPressMsg, tea.MouseMsg, tea.FocusMsg, tea.BlurMsg, Pasting:
		return nil
	}
	if _, ok := request(msg); ok || msg == tea.ClearScreen() {
		return nil
	}
	return msg
}
