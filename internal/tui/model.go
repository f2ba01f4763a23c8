package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/layer"
	"agent/internal/tui/pager"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/terminal"
)

// startPause is the time from the start to the call of Options.Shown. The first frame and
// the first letters of the user come before it.
const startPause = 200 * time.Millisecond

// spinnerPause is the time between two frames of the spinner.
const spinnerPause = 100 * time.Millisecond

// model is the screen. It routes messages to its parts.
type model struct {
	*screen.Window
	session *screen.Conversation

	editor   *editor.Editor
	dialog   *dialog.Dialog
	slash    *slash.Session
	notify   *notifier
	layers   *layer.Stack
	question *question
	prompt   *prompt.Prompt
	pager    *pager.Pager
	display  *display
	ticker   *ticker
	mouse    *mouse

	end ending
}

// ending is how the screen closes.
type ending struct {
	orphan bool        // the agent has ended
	next   screen.Exit // what the program does then
}

// tickMsg is the timer message that advances the spinner and expires hints.
type tickMsg struct{}

func newModel(o screen.Options, now func() time.Time, send func(event.Command)) *model {
	c := screen.New(o, now, send)
	c.Choosing = o.Models.Choose
	m := &model{Window: c.Window, session: c}
	m.editor = editor.New(c.Keys, c.Styles, o.Vi)
	m.dialog = dialog.New(c.Keys, c.Styles, o.Vi, o.Files.ShortDir, now)
	notices := m.assemble()
	m.session.Open(notices)
	m.slash.Models.Greet()
	m.prompt.Drafts.Restore(o.Session.Draft)
	return m
}

// Init implements tea.Model. It returns the call of Options.Shown.
func (m *model) Init() tea.Cmd {
	var cmds []tea.Cmd
	if m.Options.Models.Choose {
		cmds = append(cmds, func() tea.Msg { return chooseModel{} })
	}
	if shown := m.Options.Shown; shown != nil {
		cmds = append(cmds, tea.Tick(startPause, func(time.Time) tea.Msg {
			shown()
			return nil
		}))
	}
	return tea.Batch(cmds...)
}

// chooseModel opens the list of models at the start.
type chooseModel struct{}

// Update routes msg, then updates the layout, the stored draft and the timers.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	covered := m.covered()
	cmd := tea.Batch(m.route(msg), m.prompt.AfterMessage(), m.slash.Models.LoadFor(m.prompt.Suggestions.Command()))
	if (covered || m.covered()) && m.dialog.Waits() {
		m.dialog.Hold()
	}
	m.display.arrangeAfter(msg)
	cmd = tea.Batch(cmd, m.prompt.Drafts.Keep(), m.session.TurnPages())
	m.session.ReportForced()
	if !m.ticker.ticking && m.ticker.needsTick() {
		m.ticker.ticking = true
		cmd = tea.Batch(cmd, m.After(m.ticker.nextTick(), tickMsg{}))
	}
	return m, cmd
}

// route passes msg to the part that handles it.
func (m *model) route(msg tea.Msg) tea.Cmd {
	if cmd, taken := m.prompt.Take(msg); taken {
		return cmd
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.Width, m.Height = msg.Width, msg.Height
		m.layers.Receive(msg)
		m.session.PlayNext()
	case chooseModel:
		return m.slash.Models.Show()
	case tea.FocusMsg:
		return tea.Batch(m.looked(msg), m.notify.gainFocus())
	case tea.BlurMsg:
		m.notify.focus = elsewhere
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ResumeMsg, uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		return m.looked(msg)
	case batch:
		for _, ev := range msg {
			m.apply(ev)
		}
		m.ticker.advanceWithText(msg)
		return tea.Batch(m.notify.alert(msg), m.notify.followBranch(msg))
	case eventsClosed:
		m.end.orphan = true
		return m.leave()
	case tickMsg:
		m.ticker.tick()
		return m.notify.resendProgress()
	case tea.KeyPressMsg:
		return m.press(msg)
	case dialog.DeferredKey:
		return m.pressDue(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case terminal.PasteEnter:
		return m.pasteEnter(msg.Content)
	case tea.MouseMsg:
		return m.point(msg)
	case dragDue:
		return m.mouse.scrollOn()
	default:
		return m.result(msg)
	}
	return nil
}

// result handles the result of a command that the screen started.
func (m *model) result(msg tea.Msg) tea.Cmd {
	if cmd, taken := m.slash.Take(msg); taken {
		m.prompt.Suggestions.Refresh("model")
		return cmd
	}
	if m.session.Take(msg) {
		return nil
	}
	switch msg := msg.(type) {
	case branchRead:
		m.Options.Files.Branch, m.notify.reading = msg.name, false
	default:
		return m.layers.Receive(msg)
	}
	return nil
}

// apply handles an event of the agent.
func (m *model) apply(ev event.Event) {
	m.session.Apply(ev)
	m.slash.Apply(ev)
	m.layers.Receive(ev)
	switch ev := ev.(type) {
	case event.Opened:
		if m.session.TakeSummary(ev) {
			m.session.Pending = tea.Batch(m.session.Pending, m.pager.Find.Again())
		}
	case *event.Rewound:
		if m.session.Rewind(ev.Keep) {
			m.pager.Find.Close()
		}
	}
	m.prompt.Apply(ev)
}

// leaveFor closes the screen; the program then continues with next.
func (m *model) leaveFor(next screen.Exit) tea.Cmd {
	m.end.next = next
	return m.leave()
}

// leave closes the screen.
func (m *model) leave() tea.Cmd {
	m.Done = true
	return tea.Quit
}

// covered reports whether another part of the screen receives keys before the dialog.
func (m *model) covered() bool {
	return m.prompt.External.Editing || m.layers.Covers(m.question)
}
