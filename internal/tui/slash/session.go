package slash

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// Session is what the slash commands act on: the conversation, and the front end
// that shows it. Front must be set before a command runs.
type Session struct {
	*screen.Conversation
	Models *Models
	Front  Front
	lists  Lists
	editor *editor.Editor
	custom custom
	recent *list.Recent
}

// New returns the session of a front end that shows lists with l and in whose
// editor e the user types. Its commands are the built-in ones and those of
// c.Options.Custom; notices name the custom commands that cannot be used.
func New(c *screen.Conversation, e *editor.Editor, l Lists) (s *Session, notices []string) {
	s = &Session{Conversation: c, editor: e, lists: l, recent: list.NewRecent(c.Options.Recent, c.Options.Remember)}
	s.Models = &Models{Conversation: c, lists: l}
	return s, s.adopt(c.Options.Custom)
}

// Take takes a message that a command of the session was answered with. It
// reports whether msg is one.
func (s *Session) Take(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case exported:
		reportExport(s.Conversation, msg)
	case spentRead:
		showCost(s.Conversation, msg)
	case modelsRead:
		s.Models.take(msg)
	case themeSaved:
		s.themeSaved(msg)
	default:
		return false
	}
	return true
}

// Apply takes an event of the agent that a command or the welcome waits for.
func (s *Session) Apply(ev event.Event) {
	switch ev := ev.(type) {
	case event.JobsNow:
		s.ListJobs(ev.Jobs)
	case event.PermissionsNow:
		s.permissionsCame(ev.Allowed)
	case event.Searched:
		s.Models.searched()
	case *event.ModelSet:
		s.Models.connected()
	}
}

// Front is what a front end does for the commands.
type Front struct {
	Leave   func(screen.Exit) tea.Cmd // ends it
	Help    func()
	Copy    func(text, what string) tea.Cmd
	Restyle func(ink.Look)
	Screen  *Screen // nil where there are only lines
}

// Screen is what only a screen can do.
type Screen struct {
	View  func() // shows the pager
	Find  func(text string) tea.Cmd
	Edit  func() tea.Cmd // opens the user's editor
	Press func(tea.KeyPressMsg) tea.Cmd
}

// Lists shows one list at a time.
type Lists interface {
	Show(list.Overlay) tea.Cmd
	Close()
}
