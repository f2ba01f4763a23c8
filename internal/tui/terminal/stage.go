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

// stage is the model that Bubble Tea runs. It wraps the program's model and draws
// it on the terminal.
type stage struct {
	tea.Model
	tty *tty
	*renderer
	send func(tea.Msg)
	// first is the size of the first frame, which Bubble Tea sends again when it
	// starts; zero after that.
	first tea.WindowSizeMsg
	init  tea.Cmd // what the model returned before Bubble Tea ran
}

// Init returns the commands of the first frame.
func (s *stage) Init() tea.Cmd { return tea.Batch(s.Model.Init(), s.init) }

// Update passes msg to the model and draws its view.
func (s *stage) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	s.Model, cmd = s.Model.Update(msg)
	s.show(s.Model.View())
	return s, cmd
}

// View is empty: Update passes the view to the renderer.
func (s *stage) View() tea.View { return tea.View{} }

// back takes the terminal again after something else had it.
func (s *stage) back() {
	_ = s.tty.raw()
	s.take()
	go s.send(tea.WindowSizeMsg{}) // the size may have changed
}

// continued reports that the program was resumed and is in the foreground.
type continued struct{}

// filter handles the messages about the terminal before the model gets them.
func (s *stage) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	if s.tty.loan.active() {
		return s.filterLent(msg)
	}
	switch msg := msg.(type) {
	case lend:
		return s.lend(msg)
	case tea.PasteMsg:
		return s.tty.pastes.complete(msg)
	case Pasting:
		if !s.tty.pastes.active() {
			return nil
		}
	case tea.WindowSizeMsg:
		msg = s.tty.size() // the current size: it may have changed since the message was sent
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

// request returns the sequence that a message requests to write: tea.Raw, which also
// sets the clipboard, or tea.RequestBackgroundColor.
func request(msg tea.Msg) (string, bool) {
	if raw, ok := msg.(tea.RawMsg); ok {
		return fmt.Sprint(raw.Msg), true
	}
	return ansi.RequestBackgroundColor, msg == tea.RequestBackgroundColor()
}

// Grace is how long the program waits at exit for a terminal that accepts no output.
const Grace = 2 * time.Second

// Options configures Show.
type Options struct {
	In  io.Reader // nil for the terminal
	Out io.Writer // nil for the terminal
	// Fault is the path of the crash report, which is created after a crash. If it
	// is empty, a crash does not restore the terminal.
	Fault string
}

// Show runs m until it quits or ctx ends. Meanwhile feed sends it messages; feed
// must return when ctx ends. Show calls cancel, which must end ctx, if the terminal
// is gone. ended is false if the program hangs and was abandoned: m must not be
// used then.
func Show(ctx context.Context, cancel func(), m tea.Model, o Options, feed func(send func(any))) (ended bool, err error) {
	t, err := openTTY(o.In, o.Out, cancel)
	if err != nil {
		return false, err
	}
	size := t.size()
	colors := colorprofile.Detect(t.out, os.Environ())
	var cmds [2]tea.Cmd
	for i, first := range []tea.Msg{size, tea.ColorProfileMsg{Profile: colors}} { // so that the first frame has the right size
		m, cmds[i] = m.Update(first)
	}
	s := &stage{Model: m, tty: t, first: size, init: tea.Batch(cmds[:]...), renderer: newRenderer(t.out, size.Height, t.foreground, cancel)}
	p := s.program(colors, size)
	s.send, t.pastes.tell = p.Send, p.Send
	s.show(m.View())
	caught := catchSignals() // before the first frame is visible
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
		go p.Quit() // not tea.WithContext, which does not wait for the input reader
	}
	select {
	case err := <-over:
		return finish(ctx, cancel, err, fed)
	case <-time.After(Grace):
		return false, errors.New("the terminal does not respond")
	}
}

// program returns the Bubble Tea program that runs s. Its own renderer is off; one
// frame per second is the lowest rate that it accepts.
func (s *stage) program(colors colorprofile.Profile, size tea.WindowSizeMsg) *tea.Program {
	options := []tea.ProgramOption{
		tea.WithoutRenderer(), tea.WithFPS(1), tea.WithoutSignalHandler(), tea.WithFilter(s.filter),
		tea.WithInput(s.tty.in), tea.WithOutput(s.renderer), tea.WithColorProfile(colors), tea.WithWindowSize(size.Width, size.Height),
	}
	if rescue.Supported {
		options = append(options, tea.WithoutCatchPanics())
	}
	return tea.NewProgram(s, options...)
}

// begin takes the terminal and starts the rescue process.
func (s *stage) begin(fault string) error {
	found := s.tty.state()
	if err := s.tty.raw(); err != nil {
		s.close(Grace)
		return err
	}
	s.tty.rescuer = callRescuer(s.tty, found, fault)
	s.tty.hush()
	_, _ = s.Write([]byte(queries)) // before the first frame, so that replies come before keys
	s.take()
	return nil
}

// end restores the terminal.
func (s *stage) end() {
	s.close(Grace)
	s.tty.restore()
	s.tty.dismiss()
}

// finish stops feed. The end of ctx is not an error.
func finish(ctx context.Context, cancel func(), err error, fed <-chan struct{}) (bool, error) {
	if ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		err = nil
	}
	cancel()
	<-fed
	return true, err
}
