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
	*window
	*session
	// lend lets another program have the terminal, as terminal.Lend does.
	lend func(c *exec.Cmd, note string, told func(error) tea.Msg) tea.Cmd

	editor  *editor.Editor
	dialog  *dialog.Dialog
	popup   *suggestions
	images  *attacher
	earlier *promptHistory
	drafts  *draftKeeper
	queue   *messageQueue
	clip    *clipboard
	table   *commandTable
	picker  *modelPicker
	notify  *notifier
	find    *finder
	help    *help
	over    list.Overlay // nil unless something is chosen from a list

	warned  time.Time // when ctrl+c was pressed on an empty prompt
	escaped time.Time // when esc was
	chord   string    // keys that were pressed, and more of which are to come
	mouse   bool      // the mouse is ours
	editing bool      // the draft is in the person's editor, or on its way there
	pointer pointer
	forced  bool      // what Options.Forced was told last
	ticking bool      // a tick is on its way
	moved   time.Time // when what moves last did
	along   bool      // with text that streams
	orphan  bool      // the agent is gone
	lines   bool      // nothing is drawn: all is told in lines
	whole   bool      // everything is shown uncut
	atEnd   bool      // and was asked for at the end
	next    Exit      // what the person wants once this is over

	panel panel
}

// tickMsg moves what moves.
type tickMsg struct{}

func newModel(o Options, now func() time.Time, send func(event.Command)) *model {
	w := &window{o: o, keys: keys.New(o.Keys), look: o.look(), now: now, after: after, width: 80, height: 24}
	w.st = w.look.Styles()
	ses := &session{window: w, list: transcript.New(w.st), send: send, play: o.Prompts}
	m := &model{window: w, session: ses, lend: terminal.Lend, mouse: !o.NoMouse, help: &help{keys: w.keys}}
	m.editor = editor.New(w.keys, w.st, o.Vi)
	m.dialog = dialog.New(w.keys, w.st, o.Vi, o.Short, now)
	m.table = &commandTable{session: ses, recent: list.NewRecent(o.Recent, o.Remember)}
	m.popup = &suggestions{session: ses, editor: m.editor, table: m.table, submit: m.submit}
	m.images = &attacher{session: ses, editor: m.editor, ready: m.sendReady}
	m.earlier = &promptHistory{session: ses, editor: m.editor}
	m.queue = &messageQueue{session: ses, editor: m.editor}
	m.drafts = &draftKeeper{session: ses, editor: m.editor, dialog: m.dialog, queue: m.queue}
	m.clip = &clipboard{session: ses, editor: m.editor}
	m.picker = &modelPicker{session: ses}
	m.notify = &notifier{session: ses, dialog: m.dialog}
	m.find = &finder{session: ses}
	m.list.SetHeader(o.heading(""))
	m.tell(o.History)
	put := m.list.Head
	if len(o.History) > 0 { // of which the end is on screen
		put = m.list.Add
	}
	for _, n := range append(slices.Clone(o.Notices), m.table.adopt(o.Custom)...) {
		put(&transcript.Notice{Text: n})
	}
	m.picker.greet()
	if o.Title != "" { // what a person called it stays, though the words may be taken back
		m.entitle(o.Title)
	}
	m.drafts.restore(o.Draft)
	return m
}

// sendReady sends or queues the prompt that waited for an image.
func (m *model) sendReady(queue bool) tea.Cmd {
	if queue {
		return m.later()
	}
	return m.submit()
}

// after is the clock of a running program.
func after(in time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(in, func(time.Time) tea.Msg { return msg })
}

// Init has nothing to do: what the terminal tells of itself it is asked when it is
// taken.
func (m *model) Init() tea.Cmd {
	return m.picker.lookAround()
}

// Update routes msg and sees to it that what moves keeps moving.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	covered := m.covered()
	cmd := tea.Batch(m.route(msg), m.typedOn(), m.picker.known(m.popup.command))
	if (covered || m.covered()) && m.dialog.Waits() {
		m.dialog.Hold()
	}
	m.arrangeAfter(msg)
	cmd = tea.Batch(cmd, m.drafts.keep(), m.turnPages())
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
		return tea.Batch(m.looked(msg), m.notify.comesBack())
	case tea.BlurMsg:
		m.notify.focus = elsewhere
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ResumeMsg, uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent, themeSaved:
		return m.looked(msg)
	case batch:
		for _, ev := range msg {
			m.apply(ev)
		}
		m.moveAlong(msg)
		return tea.Batch(m.notify.alert(msg), m.notify.followBranch(msg))
	case gone:
		m.orphan = true
		return m.leave()
	case draftDue:
		m.drafts.saving = false
		m.drafts.save()
	case tickMsg:
		m.tick()
		return m.notify.retell()
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
		m.clip.report(msg)
	case spentRead:
		return m.showCost(msg)
	case modelsRead:
		m.picker.take(msg)
		if m.popup.command == "model" {
			m.popup.seen = [2]int{-1, -1} // it is suggested anew
		}
	case branchRead:
		m.o.Branch, m.notify.reading = msg.name, false
	case transcript.PageRead:
		m.list.TakePage(msg, m.now)
	case transcript.LastFacts:
		m.feed.TakeLastFacts(msg)
	case found:
		return m.find.take(msg)
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
		m.drafts.takeUp(ev.Ask)
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
		m.picker.connected()
	case event.PermissionsNow:
		m.permissionsCame(ev.Allowed)
	case event.Searched:
		m.picker.searched()
	case event.Unsent:
		m.editor.PutBefore(ev.Text)
	case *event.Renamed:
		m.entitle(ev.Title)
	case *event.Rewound:
		m.rewound(ev.Keep)
	case *event.TurnEnd:
		m.drafts.keepWords()
		m.dialog.Clear()
		if ev.Reason == event.UserInterrupt {
			m.play = nil
		}
		m.playNext()
	}
	m.queue.follow(ev)
}

// withdraw takes a question away that is answered or gone.
func (m *model) withdraw(id string) {
	if m.dialog.First().ID == id {
		m.drafts.keepWords()
	}
	m.dialog.Withdraw(id)
}

// playNext sends the next prompt that plays by itself, when no turn runs.
func (s *session) playNext() {
	if len(s.play) == 0 || s.feed.Running || len(s.feed.Pending) > 0 {
		return
	}
	next := s.play[0]
	s.play = s.play[1:]
	if next.Note != "" {
		s.list.Add(&transcript.Notice{Text: next.Note})
	}
	s.prompt(next.Text)
}

// prompt sends what the person said.
func (s *session) prompt(text string, images ...llm.Image) {
	s.feed.PromptSent(text)
	s.send(event.Prompt{Text: text, Images: images})
}

// say shows a line of the screen's own.
func (s *session) say(text string) {
	s.list.Add(&transcript.Notice{Text: text})
	s.list.ShowEnd()
}

// answering says which model answers and why.
func (s *session) answering() string {
	if s.feed.Model == "" {
		return "No model answers yet."
	}
	text := ink.SanitizeLine(s.feed.Model) + " answers"
	if s.feed.Effort != "" {
		text += " with effort " + ink.SanitizeLine(s.feed.Effort)
	}
	if s.feed.Host != "" {
		text += " at " + ink.SanitizeLine(s.feed.Host)
	}
	if s.feed.Why != "" {
		text += ", because " + ink.SanitizeLine(s.feed.Why)
	}
	return strings.TrimRight(text, ".") + "."
}

func (s *session) setMode(mode event.Mode) {
	s.feed.Mode = string(mode)
	s.send(event.SetMode{Mode: mode})
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
