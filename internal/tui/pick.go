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

// Pick lets the person choose one of o.Sessions before there is a session to
// show. The id is empty when they chose none or ctx ended. Besides, Dir,
// Preview, Keys and what says how to draw count.
func Pick(ctx context.Context, o screen.Options) (id string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newPicking(o, time.Now)
	defer p.picker.Stop()
	drawn, err := terminal.Show(ctx, cancel, p, terminal.Options{In: o.Input, Out: o.Output, Fault: o.Fault}, nil)
	if !drawn {
		return "", err
	}
	return p.chosen, err
}

// picking is a picker that is the whole program.
type picking struct {
	picker *list.Picker
	o      screen.Options
	chosen string
	over   bool
}

func newPicking(o screen.Options, now func() time.Time) *picking {
	p := &picking{o: o}
	st := p.o.Look().Styles()
	p.picker = list.NewPicker(slash.PickerSource(&p.o, st, now), keys.New(o.Keys), st, now, func(s list.Session) tea.Cmd {
		p.chosen = s.ID
		return nil
	})
	return p
}

// Init reads what there is to choose from.
func (p *picking) Init() tea.Cmd { return p.picker.Read("") }

// Update takes a message.
func (p *picking) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd, over := p.picker.Update(msg)
	if over {
		p.over = true
		return p, tea.Quit
	}
	return p, cmd
}

// View draws the window.
func (p *picking) View() tea.View {
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
	if !p.over {
		v.Cursor = cursor
	}
	return v
}
