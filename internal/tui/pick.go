package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/terminal"
)

// Pick shows the session picker before a session is open and returns the ID of the
// selected session. The ID is empty if the user cancelled or ctx ended. Of o it uses
// the session list and preview, the directory, the keys, and the options for input,
// output and appearance.
func Pick(ctx context.Context, o screen.Options) (id string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newSessionPicker(o, time.Now)
	defer p.picker.Stop()
	drawn, err := terminal.Show(ctx, cancel, p, terminal.Options{In: o.Input, Out: o.Output, Fault: o.Fault}, nil)
	if !drawn {
		return "", err
	}
	return p.chosen, err
}

// sessionPicker is the Bubble Tea program of Pick.
type sessionPicker struct {
	picker *list.Picker
	o      screen.Options
	chosen string
	closed bool
}

func newSessionPicker(o screen.Options, now func() time.Time) *sessionPicker {
	p := &sessionPicker{o: o}
	st := p.o.Look().Styles()
	p.picker = list.NewPicker(slash.PickerSource(&p.o, st, now), keys.New(o.Keys), st, now, func(s list.Session) tea.Cmd {
		p.chosen = s.ID
		return nil
	})
	return p
}

// Init returns the command that reads the list of sessions.
func (p *sessionPicker) Init() tea.Cmd { return p.picker.Read("") }

// Update implements tea.Model.
func (p *sessionPicker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if pasted, ok := msg.(terminal.PasteEnter); ok {
		msg = tea.PasteMsg{Content: pasted.Content}
	}
	cmd, closed := p.picker.Update(msg)
	if closed {
		p.closed = true
		return p, tea.Quit
	}
	return p, cmd
}

// View implements tea.Model.
func (p *sessionPicker) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	if !p.o.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if p.picker.Width <= 0 || p.picker.Height <= 0 {
		return v
	}
	lines, cursor := p.picker.Lines()
	v.SetContent(p.picker.St.Letters.Write(strings.Join(ink.ClipLines(lines, p.picker.Width), "\n")))
	if !p.closed {
		v.Cursor = cursor
	}
	return v
}
