package tui

import (
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/terminal"
	"agent/internal/tui/transcript"
)

const (
	spin  = 100 * time.Millisecond // between frames of the spinner
	twice = 2 * time.Second        // within which the second ctrl+c leaves
)

// model is the whole screen. It routes messages to its parts.
type model struct {
	o    Options
	now  func() time.Time
	send func(event.Command) // never blocks
	// after sends a message to the model once that time has passed.
	after func(time.Duration, tea.Msg) tea.Cmd
	// lend lets another program have the terminal, as terminal.Lend does.
	lend func(c *exec.Cmd, note string, told func(error) tea.Msg) tea.Cmd
	keys keys.Map
	look ink.Look
	st   *ink.Styles

	width, height int
	list          *transcript.Transcript
	feed          *transcript.Feed
	editor        *editor.Editor
	popup         popup
	images        images
	earlier       earlier
	dialog        *dialog.Dialog
	help          *help
	over          list.Overlay // nil unless something is chosen from a list

	play    []Prompt  // prompts that are still to be played
	lastKey time.Time // when something was typed, or clicked
	warned  time.Time // when ctrl+c was pressed on an empty prompt
	escaped time.Time // when esc was
	chord   string    // keys that were pressed, and more of which are to come
	mouse   bool      // the mouse is ours
	editing bool      // the draft is in the person's editor, or on its way there
	pointer pointer
	forced  bool      // what Options.Forced was told last
	flash   string    // told until the next key
	listing bool      // the next JobsNow is to be shown
	ticking bool      // a tick is on its way
	moved   time.Time // when what moves last did
	along   bool      // with text that streams
	done    bool
	orphan  bool   // the agent is gone
	broken  string // why the session cannot be read; empty if it can
	misused bool   // the command that is carried out was typed wrongly
	lines   bool   // nothing is drawn: all is told in lines
	find    find
	whole   bool    // everything is shown uncut
	atEnd   bool    // and was asked for at the end
	recalls tea.Cmd // reads what is wanted of the session besides pages
	saving  bool    // the draft is going to be saved
	saved   event.Draft
	savedAt typedAt // what was typed then
	unsaid  unsaid
	waited  []event.Waiting // and what waited
	next    Exit            // what the person wants once this is over
	around
	queue
	custom custom

	panel panel
}

// tickMsg moves what moves.
type tickMsg struct{}

func newModel(o Options, now func() time.Time, send func(event.Command)) *model {
	m := &model{o: o, now: now, send: send, after: after, lend: terminal.Lend, look: o.look(), mouse: !o.NoMouse, play: o.Prompts, width: 80, height: 24}
	m.keys = keys.New(o.Keys)
	m.recent = list.NewRecent(o.Recent, o.Remember)
	m.st = m.look.Styles()
	m.list = transcript.New(m.st)
	m.editor = editor.New(m.keys, m.st, o.Vi)
	m.dialog = dialog.New(m.keys, m.st, o.Vi, o.Short, now)
	m.help = &help{keys: m.keys}
	m.list.Head(&transcript.Header{Text: o.heading("")})
	m.tell(o.History)
	put := m.list.Head
	if len(o.History) > 0 { // of which the end is on screen
		put = m.list.Add
	}
	for _, n := range append(slices.Clone(o.Notices), m.adopt(o.Custom)...) {
		put(&transcript.Notice{Text: n})
	}
	m.greet()
	if o.Title != "" { // what a person called it stays, though the words may be taken back
		m.entitle(o.Title)
	}
	m.restoreDraft(o.Draft)
	return m
}

// after is the clock of a running program.
func after(in time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(in, func(time.Time) tea.Msg { return msg })
}

// Init has nothing to do: what the terminal tells of itself it is asked when it is
// taken.
func (m *model) Init() tea.Cmd {
	return m.lookAround()
}

// Update routes msg and sees to it that what moves keeps moving.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	covered := m.covered()
	cmd := tea.Batch(m.route(msg), m.typedOn(), m.knownModels())
	if covered && m.dialog.Waits() {
		m.dialog.Hold()
	}
	m.arrangeAfter(msg)
	cmd = tea.Batch(cmd, m.keepDraft(), m.turnPages())
	m.tellForced()
	if !m.ticking && m.moves() {
		m.ticking = true
		cmd = tea.Batch(cmd, m.after(m.nextTick(), tickMsg{}))
	}
	return m, cmd
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	if cmd, taken := m.takeOver(msg); taken {
		return cmd
	}
	if cmd, taken := m.tookTyping(msg); taken {
		return cmd
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.playNext()
	case tea.FocusMsg:
		return tea.Batch(m.looked(msg), m.comesBack())
	case tea.BlurMsg:
		m.focus = elsewhere
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ResumeMsg, uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent, themeSaved:
		return m.looked(msg)
	case batch:
		for _, ev := range msg {
			m.apply(ev)
		}
		m.moveAlong(msg)
		return tea.Batch(m.alert(msg), m.followBranch(msg))
	case gone:
		m.orphan = true
		return m.leave()
	case draftDue:
		m.saving = false
		m.saveDraft()
	case tickMsg:
		m.tick()
		return m.retell()
	case tea.KeyPressMsg:
		return m.press(msg)
	case dialog.DeferredKey:
		return m.pressDue(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseMsg:
		return m.point(msg)
	case dragDue:
		if m.pointer.due = false; m.pointer.drags {
			return m.stretch()
		}
	default:
		return m.brought(msg)
	}
	return nil
}

// brought takes what a command of the screen's own came back with.
func (m *model) brought(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case exported:
		m.exported(msg)
	case copied:
		m.wasCopied(msg)
	case spentRead:
		return m.showCost(msg)
	case modelsRead:
		m.modelsCame(msg)
	case branchRead:
		m.o.Branch, m.reading = msg.name, false
	case transcript.PageRead:
		m.list.TakePage(msg, m.now)
	case transcript.LastFacts:
		m.feed.TakeLastFacts(msg)
	case found:
		return m.foundSome(msg)
	}
	return nil
}

// apply takes an event of the agent.
func (m *model) apply(ev event.Event) {
	m.feed.Apply(ev)
	m.spending.take(ev)
	m.find.heard(ev, m.list.Events()-1)
	switch ev := ev.(type) {
	case event.Asked:
		m.dialog.Push(ev.Ask, !m.editor.Blank())
		m.takeUp(ev.Ask)
	case *event.Decided:
		m.withdraw(ev.ID)
	case *event.ToolEnd:
		m.withdraw(ev.Result.ID)
	case event.JobsNow:
		m.listJobs(ev.Jobs)
	case event.Opened:
		m.surveyed(ev)
	case event.Unreadable:
		m.unsurveyed(ev)
	case *event.ModelSet:
		m.connected()
	case event.PermissionsNow:
		m.permissionsCame(ev.Allowed)
	case event.Searched:
		m.searched()
	case event.Unsent:
		m.giveBack(ev.Text)
	case *event.Renamed:
		m.entitle(ev.Title)
	case *event.Rewound:
		m.rewound(ev.Keep)
	case *event.TurnEnd:
		m.keepWords()
		m.dialog.Clear()
		if ev.Reason == event.UserInterrupt {
			m.play = nil
		}
		m.playNext()
	}
	m.queueAfter(ev)
}

// withdraw takes a question away that is answered or gone.
func (m *model) withdraw(id string) {
	if m.dialog.First().ID == id {
		m.keepWords()
	}
	m.dialog.Withdraw(id)
}

// giveBack puts what was not sent into the editor, above what is typed there.
func (m *model) giveBack(text string) { m.editor.PutBefore(text) }

// playNext sends the next prompt that plays by itself, when no turn runs.
func (m *model) playNext() {
	if len(m.play) == 0 || m.feed.Running || len(m.feed.Pending) > 0 {
		return
	}
	next := m.play[0]
	m.play = m.play[1:]
	if next.Note != "" {
		m.list.Add(&transcript.Notice{Text: next.Note})
	}
	m.prompt(next.Text)
}

// prompt sends what the person said.
func (m *model) prompt(text string, images ...llm.Image) {
	m.feed.PromptSent(text)
	m.send(event.Prompt{Text: text, Images: images})
}

// say shows a line of the screen's own.
func (m *model) say(text string) {
	m.list.Add(&transcript.Notice{Text: text})
	m.list.ShowEnd()
}

// answering says which model answers and why.
func (m *model) answering() string {
	if m.feed.Model == "" {
		return "No model answers yet."
	}
	text := ink.SanitizeLine(m.feed.Model) + " answers"
	if m.feed.Effort != "" {
		text += " with effort " + ink.SanitizeLine(m.feed.Effort)
	}
	if m.feed.Host != "" {
		text += " at " + ink.SanitizeLine(m.feed.Host)
	}
	if m.feed.Why != "" {
		text += ", because " + ink.SanitizeLine(m.feed.Why)
	}
	return strings.TrimRight(text, ".") + "."
}

func (m *model) setMode(mode event.Mode) {
	m.feed.Mode = string(mode)
	m.send(event.SetMode{Mode: mode})
}

// leave ends the program.
func (m *model) leave() tea.Cmd {
	m.done = true
	return tea.Quit
}

// leaving reports whether another ctrl+c leaves.
func (m *model) leaving(now time.Time) bool { return since(m.warned, now) }

// rewinding reports whether another esc goes back.
func (m *model) rewinding(now time.Time) bool { return since(m.escaped, now) }

// since reports whether a key pressed at then is still to be pressed twice.
func since(then, now time.Time) bool { return !then.IsZero() && now.Sub(then) < twice }

// moves reports whether anything changes with time alone.
func (m *model) moves() bool {
	if m.dialog.Waits() {
		return !m.done && !m.covered() && m.dialog.Animates()
	}
	return !m.done && (m.busy() || !m.warned.IsZero() || !m.escaped.IsZero())
}

// moveAlong moves what moves with a batch that is drawn anyway: while text
// streams nothing else need wake the program for it.
func (m *model) moveAlong(b batch) {
	if m.ticking && b.onlyStreams() && m.now().Sub(m.moved) >= spin {
		m.move()
		m.along = true
	}
}

// tick moves what moves, unless what streams does.
func (m *model) tick() {
	m.ticking = false
	if m.along && m.now().Sub(m.moved) < 2*spin {
		return
	}
	m.move()
	m.along = false
}

// nextTick is how long the next tick can wait.
func (m *model) nextTick() time.Duration {
	if m.along {
		return 3 * spin
	}
	return spin
}

// move moves what moves with time alone.
func (m *model) move() {
	m.list.Frame++
	m.feed.Tick()
	now := m.now()
	m.moved = now
	if !m.leaving(now) {
		m.warned = time.Time{}
	}
	if !m.rewinding(now) {
		m.escaped = time.Time{}
	}
	m.arm()
}

// arm lets the dialog take keys once nobody types.
func (m *model) arm() {
	if !m.covered() {
		m.dialog.Tick()
	}
}

// covered reports whether something else has the keys before a question does. In
// plain mode it is the lines, always: their enter answers nothing.
func (m *model) covered() bool {
	return m.lines || m.find.typing || m.editing || m.whole || m.over != nil || m.help.open
}
