package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// Session is one row of the picker.
type Session struct {
	ID, Dir, Title string
	Parent         string // the ID of the session that it is a fork of; may be empty
	Current        bool   // it is the one that is shown
	When           time.Time
	Messages       int
}

// Pick lets the person choose one of o.Sessions before there is a session to
// show. The id is empty when they chose none or ctx ended. Of the other options
// only those that say how to draw count.
func Pick(ctx context.Context, o Options) (id string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sessions, err := o.Sessions(ctx, "")
	if err != nil {
		return "", err
	}
	p := newPicker(sessions, time.Now, NewStyles(true, false))
	drawn, err := show(ctx, cancel, p, nil, nil, nil)
	if !drawn {
		return "", err
	}
	return p.chosen, err
}

// picker is the screen on which a session is chosen.
type picker struct {
	all    []Session
	found  []Session // those that the filter leaves
	filter string
	at     int // the marked one of found
	top    int // the first of found in the window
	chosen string
	over   bool

	keys          keymap
	st            *Styles
	now           func() time.Time
	width, height int
}

func newPicker(all []Session, now func() time.Time, st *Styles) *picker {
	return &picker{all: all, found: all, keys: newKeymap(nil), st: st, now: now, width: 80, height: 24}
}

// Init does nothing: the picker has all it needs.
func (p *picker) Init() tea.Cmd { return nil }

// Update takes a message.
func (p *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height = msg.Width, msg.Height
	case tea.PasteMsg:
		p.refine(p.filter + SanitizeLine(msg.Content))
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			p.at--
		case tea.MouseWheelDown:
			p.at++
		}
	case tea.KeyPressMsg:
		cmd = p.press(msg)
	}
	p.clamp()
	return p, cmd
}

func (p *picker) press(msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	switch {
	case p.keys.is(k, actSend):
		if len(p.found) == 0 {
			return nil
		}
		p.chosen, p.over = p.found[p.at].ID, true
		return tea.Quit
	case p.keys.is(k, actInterrupt), p.keys.is(k, actLeave):
		p.over = true
		return tea.Quit
	case p.keys.is(k, actPrevPrompt), k == "ctrl+p":
		p.at--
	case p.keys.is(k, actNextPrompt), k == "ctrl+n":
		p.at++
	case p.keys.is(k, actPageUp):
		p.at -= p.room()
	case p.keys.is(k, actPageDown):
		p.at += p.room()
	case p.keys.is(k, actEraseLeft):
		if r := []rune(p.filter); len(r) > 0 {
			p.refine(string(r[:len(r)-1]))
		}
	case p.keys.is(k, actEraseToHead), p.keys.is(k, actEraseWord):
		p.refine("")
	case msg.Text != "":
		p.refine(p.filter + msg.Text)
	}
	return nil
}

// refine keeps the sessions in which every word of filter occurs.
func (p *picker) refine(filter string) {
	p.filter, p.found, p.at = filter, nil, 0
	words := strings.Fields(strings.ToLower(filter))
	for _, s := range p.all {
		text, fits := strings.ToLower(s.Title+" "+s.Dir+" "+s.ID), true
		for _, w := range words {
			fits = fits && strings.Contains(text, w)
		}
		if fits {
			p.found = append(p.found, s)
		}
	}
}

// room is how many sessions fit in the window.
func (p *picker) room() int { return max(p.height-5, 1) }

func (p *picker) clamp() {
	p.at = max(0, min(p.at, len(p.found)-1))
	p.top = max(0, min(p.top, p.at, len(p.found)-p.room()))
	if p.at >= p.top+p.room() {
		p.top = p.at - p.room() + 1
	}
}

// View draws the window.
func (p *picker) View() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	if p.width <= 0 || p.height <= 0 {
		return v
	}
	filter := Truncate(SanitizeLine(p.filter), max(p.width-gutter-1, 0))
	lines := []string{
		p.st.Dim.Render(Truncate("resume a session", p.width)),
		Truncate(p.st.Cyan.Render(markUser)+" "+filter, p.width),
		"",
	}
	for i := p.top; i < len(p.found) && i < p.top+p.room(); i++ {
		lines = append(lines, p.row(p.found[i], i == p.at))
	}
	if len(p.found) == 0 {
		lines = append(lines, p.st.Dim.Render(Truncate("  no session fits", p.width)))
	}
	for len(lines) < p.height-1 {
		lines = append(lines, "")
	}
	hint := p.st.Dim.Render(Truncate("  type to filter · up and down · enter resumes · esc leaves", p.width))
	lines = append(lines[:max(min(len(lines), p.height-1), 0)], hint)
	v.SetContent(strings.Join(lines, "\n"))
	if p.height > 2 && !p.over {
		v.Cursor = tea.NewCursor(min(gutter+lipgloss.Width(filter), p.width-1), 1)
		v.Cursor.Shape, v.Cursor.Blink = tea.CursorBar, false
	}
	return v
}

// row draws one session: when, what about, where and how much.
func (p *picker) row(s Session, marked bool) string {
	mark := "  "
	if marked {
		mark = p.st.Cyan.Render(markUser) + " "
	}
	when := p.when(s.When)
	title := SanitizeLine(s.Title)
	if title == "" {
		title = s.ID
	}
	if marked {
		title = p.st.Bold.Render(title)
	}
	facts := count(s.Messages, "message")
	if s.Dir != "" && p.width >= 70 {
		facts = SanitizeLine(s.Dir) + "  " + facts
	}
	when += strings.Repeat(" ", max(12-len(when), 2))
	return Truncate(mark+p.st.Dim.Render(when)+spread(title, p.st.Dim.Render(facts), max(p.width-gutter-lipgloss.Width(when), 1)), p.width)
}

// when writes a time the shorter, the nearer it is.
func (p *picker) when(t time.Time) string {
	now := p.now()
	t = t.In(now.Location())
	switch days := now.Sub(t).Hours() / 24; {
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return t.Format("15:04")
	case days < 6:
		return t.Format("Mon 15:04")
	}
	return t.Format("2006-01-02")
}
