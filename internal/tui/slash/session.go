package slash

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// Session runs the slash commands on a conversation and the front end that shows
// it. Front must be set before a command runs.
type Session struct {
	*screen.Window
	output
	Front   Front
	Models  *Models
	Connect *Connect
	Agents  *Agents
	Palette *Palette

	agent    *screen.Sender
	feed     *transcript.Feed
	spending *screen.Spending

	custom      *custom
	permissions *permissions
	undo        *undo
	trust       *trust
	mcp         *mcp
}

// output is where a command shows its result: the end of the transcript.
type output interface {
	Say(text string) // shows a notice
	Show(item transcript.Item) *transcript.Row
}

// New returns the session of a front end with the prompt editor e. Its commands are the
// built-in ones and those of c.Options.Custom; notices name the custom commands that
// cannot be used.
func New(c *screen.Conversation, e *editor.Editor) (s *Session, notices []string) {
	s = &Session{Window: c.Window, output: c, agent: c.Agent, feed: c.Feed, spending: &c.Spending}
	front := &s.Front
	s.Models = &Models{Window: c.Window, output: c, front: front, feed: c.Feed, list: c.Transcript, send: c.Agent.Send, recent: list.NewRecent(c.Options.RecentModels, c.Options.RememberModels)}
	s.Connect = &Connect{Window: c.Window, output: c, front: front, models: s.Models, send: c.Agent.Send}
	s.Models.connect = s.Connect.Show
	s.Agents = &Agents{Window: c.Window, output: c, front: front, agent: c.Agent, delegates: c.Delegates, editor: e}
	s.Palette = &Palette{Window: c.Window, front: front, feed: c.Feed, editor: e, commands: s.Commands, run: s.Run, recent: list.NewRecent(c.Options.Recent, c.Options.Remember)}
	s.permissions = &permissions{output: c, agent: c.Agent, short: s.short}
	s.undo = &undo{Window: c.Window, output: c, front: front, feed: c.Feed, agent: c.Agent, rewinds: c.Rewinds, editor: e}
	s.trust = &trust{Window: c.Window, output: c, front: front}
	s.mcp = &mcp{Window: c.Window, output: c, front: front, agent: c.Agent, editor: e}
	s.custom, notices = newCustom(c, c.Agent.SendPrompt, c.Options.Custom)
	return s, notices
}

// Take handles the result of a command that ran in the background. It reports
// whether msg is one. The command that it returns may be nil.
func (s *Session) Take(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case exported:
		s.showExported(msg)
	case spentRead:
		s.showCost(msg)
	case undoSizes:
		s.showStatus(msg)
	case inspected:
		s.showInspected(msg)
	case modelsRead:
		s.Models.apply(msg)
	case connectDone:
		return s.Connect.take(msg), true
	case instructionsWritten:
		s.showWritten(msg)
	case trustRead:
		s.trust.show(msg)
	case trustDecided:
		s.trust.reportDecision(msg)
	case mcpRead:
		return s.mcp.show(msg), true
	case mcpText:
		s.mcp.say(msg)
	case mcpPrompted:
		s.mcp.sendPrompt(msg)
	case serversRead:
		s.showServers(msg)
	case themeSaved:
		s.themeSaved(msg)
	default:
		return nil, false
	}
	return nil, true
}

// Apply handles an event of the agent that a command or the welcome waits for.
func (s *Session) Apply(ev event.Event) {
	s.undo.handleEvent(ev)
	s.agent.Answers.Take(ev)
	switch ev.(type) {
	case event.Searched:
		s.Models.searched()
	case *event.ModelSet:
		s.Models.connected()
	}
}

// Front holds the functions of a front end that commands call.
type Front struct {
	Quit    func(screen.Exit) tea.Cmd // closes the front end
	Lists   Lists
	Help    func()
	Copy    func(text, what string) tea.Cmd
	Restyle func(ink.Look)
	Ask     func(dialog.LocalQuestion) // asks the user
	// Withdraw removes the question of Ask, if it still waits.
	Withdraw func()
	Screen   *Screen // nil in plain mode
}

// Screen holds the functions of a front end that draws a screen.
type Screen struct {
	View func() // opens the pager
	// Manual opens the manual at a passage. leave is called after Esc closes it; it may be nil.
	Manual func(at screen.Passage, leave func() tea.Cmd) tea.Cmd
	Find   func(text string) tea.Cmd
	Edit   func() tea.Cmd // opens the prompt in the user's editor
	// EditFile opens a file in the user's editor.
	EditFile func(path string) tea.Cmd
	// EditSummary opens the summary of the conversation in the user's editor, and sends
	// the edited text to the agent.
	EditSummary func(text string) tea.Cmd
	Press       func(tea.KeyPressMsg) tea.Cmd
	// Delegate opens the transcript of a delegate; with typing set, the user types a
	// message to it.
	Delegate func(id int, typing bool) tea.Cmd
}

// Lists shows at most one list.
type Lists interface {
	Show(list.Overlay) tea.Cmd
	Close()
}
