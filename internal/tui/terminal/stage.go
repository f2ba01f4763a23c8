package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/terminal/rescue"
)

// stage is the model that Bubble Tea runs: the one that is shown, and the
// terminal that it is shown on.
type stage struct {
	tea.Model
	tty *tty
	*renderer
	send func(tea.Msg)
	// first is the size of the first frame, which Bubble Tea tells once more when
	// it starts; zero once it has.
	first tea.WindowSizeMsg
}

// Update hands msg to the model and has drawn what comes of it.
func (s *stage) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	s.Model, cmd = s.Model.Update(msg)
	s.show(s.Model.View())
	return s, cmd
}

// View is empty: what is drawn was told to the renderer.
func (s *stage) View() tea.View { return tea.View{} }

// back takes the terminal again after something else had it.
func (s *stage) back() {
	_ = s.tty.raw()
	s.take()
	go s.send(tea.WindowSizeMsg{}) // it may have another size by now
}

// continued says that the program goes on after it was stopped, and has the
// terminal.
type continued struct{}

// hear takes the messages that concern the terminal, before the model does.
func (s *stage) hear(_ tea.Model, msg tea.Msg) tea.Msg {
	if s.tty.loan.lasts() {
		return s.hearMeanwhile(msg)
	}
	switch msg := msg.(type) {
	case lend:
		return s.lend(msg)
	case tea.PasteMsg:
		return s.tty.pastes.told(msg)
	case Pasting:
		if !s.tty.pastes.goesOn() {
			return nil
		}
	case tea.WindowSizeMsg:
		msg = s.tty.size() // now: it may have changed again since this was sent
		if msg != s.first {
			s.resize(msg.Height)
		}
		s.first = tea.WindowSizeMsg{}
		return msg
	case tea.ModeReportMsg:
		s.supports(msg)
	case tea.SuspendMsg:
		s.give()
		s.tty.restore()
		suspend()
		return nil
	case continued:
		s.back()
		return tea.ResumeMsg{}
	}
	if msg == tea.ClearScreen() {
		s.redraw()
		return nil
	}
	if text, ok := request(msg); ok {
		_, _ = s.Write([]byte(text))
		return nil
	}
	return msg
}

// request returns the sequence that a message asks to write: tea.Raw, with which
// the clipboard is set too, or tea.RequestBackgroundColor.
func request(msg tea.Msg) (string, bool) {
	if raw, ok := msg.(tea.RawMsg); ok {
		return fmt.Sprint(raw.Msg), true
	}
	return ansi.RequestBackgroundColor, msg == tea.RequestBackgroundColor()
}

// Grace is how long a terminal that takes no output any more may hold up the end
// of the program.
const Grace = 2 * time.Second

// Options say where a model is shown.
type Options struct {
	In  io.Reader // nil: the terminal
	Out io.Writer // nil: the terminal
	// Fault is the file for what is told of a fault in the program. It is made
	// when there is one. If it is empty, a fault leaves the terminal as it is.
	Fault string
}

// Show runs a model until it quits or ctx ends, and feed beside it, which sends
// it messages until its own context ends. It calls cancel, which ends ctx, when
// the terminal is gone. It reports whether the program came to its end: one that
// hangs is left behind, and its model must not be touched.
func Show(ctx context.Context, cancel func(), m tea.Model, o Options, feed func(send func(any))) (ended bool, err error) {
	t, err := openTTY(o.In, o.Out, cancel)
	if err != nil {
		return false, err
	}
	size := t.size()
	colours := colorprofile.Detect(t.out, os.Environ())
	for _, first := range []tea.Msg{size, tea.ColorProfileMsg{Profile: colours}} { // the first frame fits already
		m, _ = m.Update(first)
	}
	s := &stage{Model: m, tty: t, first: size, renderer: newRenderer(t.out, size.Height, t.foreground, cancel)}
	p := s.program(colours, size)
	s.send, t.pastes.tell = p.Send, p.Send
	s.show(m.View())
	caught := catchSignals() // before the person sees that the program runs
	defer caught.drop()
	if err := s.begin(o.Fault); err != nil {
		return false, err
	}
	defer s.end()
	unwatch := caught.watch(t, p.Send)
	defer unwatch()
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		if feed != nil {
			feed(func(msg any) { p.Send(msg) })
		}
	}()
	over := make(chan error, 1)
	go func() {
		_, err := p.Run()
		over <- err
	}()
	select {
	case err := <-over:
		return finish(ctx, cancel, err, fed)
	case <-ctx.Done():
		go p.Quit() // not tea.WithContext: a program that is killed does not wait for its reader
	}
	select {
	case err := <-over:
		return finish(ctx, cancel, err, fed)
	case <-time.After(Grace):
		return false, errors.New("the terminal does not answer any more")
	}
}

// program is what runs s. Bubble Tea looks at nothing but messages: a second is
// as seldom as it can be made to look for something to draw.
func (s *stage) program(colours colorprofile.Profile, size tea.WindowSizeMsg) *tea.Program {
	options := []tea.ProgramOption{
		tea.WithoutRenderer(), tea.WithFPS(1), tea.WithoutSignalHandler(), tea.WithFilter(s.hear),
		tea.WithInput(s.tty.in), tea.WithOutput(s.renderer), tea.WithColorProfile(colours), tea.WithWindowSize(size.Width, size.Height),
	}
	if rescue.Stands {
		options = append(options, tea.WithoutCatchPanics())
	}
	return tea.NewProgram(s, options...)
}

// begin takes the terminal.
func (s *stage) begin(fault string) error {
	found := s.tty.state()
	if err := s.tty.raw(); err != nil {
		s.close(Grace)
		return err
	}
	s.tty.rescuer = callRescuer(s.tty, found, fault)
	s.tty.hush()
	_, _ = s.Write([]byte(questions)) // before the first frame: answers come before keys then
	s.take()
	return nil
}

// end gives it back.
func (s *stage) end() {
	s.close(Grace)
	s.tty.restore()
	s.tty.dismiss()
}

// finish stops what ran beside the program. The end of ctx is no error.
func finish(ctx context.Context, cancel func(), err error, fed <-chan struct{}) (bool, error) {
	if ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		err = nil
	}
	cancel()
	<-fed
	return true, err
}
