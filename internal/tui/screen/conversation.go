package screen

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/transcript"
)

// Window holds what all parts of the screen share: options, size, look, keys, clock
// and hint.
type Window struct {
	Options Options
	Keys    keys.Map
	Look    ink.Look
	Styles  *ink.Styles

	Now func() time.Time
	// After returns the command that sends a message after that time.
	After func(time.Duration, tea.Msg) tea.Cmd

	Width, Height int
	Flash         string    // shown as the hint until the next key
	LastKey       time.Time // when the user last typed or clicked
	Done          bool      // the front end closes
}

// Conversation is the conversation on the screen. It takes the events of the agent. Its
// parts are the way to the agent and the delegates; most of the screen needs only those,
// the transcript or the feed.
type Conversation struct {
	*Window
	Transcript *transcript.Transcript
	Feed       *transcript.Feed
	Agent      *Sender // the way to the agent
	Delegates  *Delegates
	Rewinds    *Rewinds

	Play      []Prompt // prompts that are still to be sent automatically
	Choosing  bool     // they wait until the user has chosen a model
	Pending   tea.Cmd  // a read of the session to run with the next TurnPages; may be nil
	Spending  Spending
	forced    bool            // the last argument of Options.OnForcedInterrupt
	firstHint *transcript.Row // above the first prompt of a new session; nil if not shown
}

// New returns an empty conversation. send must not block.
func New(o Options, now func() time.Time, send func(event.Command)) *Conversation {
	w := &Window{Options: o, Keys: keys.New(o.Keys), Look: o.Look(), Now: now, After: after, Width: 80, Height: 24}
	w.Styles = w.Look.Styles()
	t := transcript.New(w.Styles)
	t.OpenKey = w.Keys.Name(keys.Open)
	f := transcript.NewFeed(t, now)
	return &Conversation{Window: w, Transcript: t, Feed: f, Play: o.Prompts,
		Agent: &Sender{Send: send, list: t, feed: f}, Delegates: &Delegates{Window: w, feed: f}, Rewinds: &Rewinds{list: t}}
}

// after implements Window.After with a real timer.
func after(in time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(in, func(time.Time) tea.Msg { return msg })
}

// Open shows the end of the session with the notices: above the first prompt of a new
// session, below the end of a resumed one.
func (c *Conversation) Open(notices []string) {
	c.Replay(c.Options.Session.History)
	add := c.Transcript.Head
	if summary := c.Options.Instructions.Summary; summary != "" && len(c.Options.Session.History) == 0 {
		add(&transcript.Notice{Text: summary})
	}
	if len(c.Options.Session.History) > 0 {
		add = c.Transcript.Add
	}
	for _, n := range append(slices.Clone(c.Options.Notices), notices...) {
		add(&transcript.Notice{Text: n})
	}
	if len(c.Options.Session.History) == 0 && c.connected() && len(c.Play) == 0 {
		c.firstHint = c.Transcript.Head(&transcript.Notice{Text: firstHint})
	}
	if c.Options.Session.Title != "" { // it may be older than the history
		c.SetTitle(c.Options.Session.Title)
	}
}

// firstHint is shown in a new session with a model, until the first turn.
const firstHint = "Try: explain this project · fix the failing test · /help"

// connected reports whether a language model is connected.
func (c *Conversation) connected() bool {
	return c.Feed.State.Model != "" && Status{Model: c.Feed.State.Model}.Offline() == ""
}

// Heading returns the first line of the transcript. A title takes the place of the
// model, which the status line shows as well.
func (c *Conversation) Heading() string {
	model := ""
	if c.connected() && c.Feed.State.Title == "" {
		model = c.Feed.State.Model
	}
	return c.Options.Heading(model, c.Feed.State.Title)
}

// Apply handles an event of the agent.
func (c *Conversation) Apply(ev event.Event) {
	c.Feed.Apply(ev)
	c.Spending.Take(ev)
	if _, delegates := ev.(*event.DelegateStart); c.firstHint != nil && (delegates || c.Feed.State.Turns > 0) {
		c.Transcript.RemoveHead(c.firstHint)
		c.firstHint = nil
	}
	switch ev := ev.(type) {
	case event.Unreadable:
		c.Unreadable(ev)
	case *event.ModelSet:
		c.Transcript.SetHeader(c.Heading())
		c.PlayNext()
	case *event.Renamed:
		c.SetTitle(ev.Title)
	case *event.TurnEnd:
		if ev.Reason == event.UserInterrupt {
			c.Play = nil
		}
		c.PlayNext()
	}
}

// Take takes events that were read from the session. It reports whether msg has some.
func (c *Conversation) Take(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case transcript.PageRead:
		c.Transcript.TakePage(msg, c.Now)
	case transcript.LastState:
		c.Feed.ApplyLastState(msg)
	default:
		return false
	}
	return true
}

// TakeSummary takes the facts of the whole session, after its end was shown. It
// reports false if they are known already.
func (c *Conversation) TakeSummary(s event.Opened) bool {
	if c.Transcript.Pages.Settled && c.Transcript.Pages.Events() > 0 {
		return false
	}
	c.Transcript.TakeSummary(s)
	c.Feed.TakeSummary(s)
	if s.Title != "" {
		c.SetTitle(s.Title)
	}
	for _, p := range s.Problems {
		c.Transcript.Add(&transcript.Problem{Text: p})
	}
	return true
}

// Rewind removes all events of the session but the first keep. Cost, jobs, title and
// model stay. It reports false if there are not that many events, or if their number
// is not known yet.
func (c *Conversation) Rewind(keep int) bool {
	if keep < 0 || keep > c.Transcript.Pages.Events() || !c.Transcript.Pages.Settled {
		return false
	}
	if c.Options.Session.Page != nil {
		c.Pending = c.Feed.ReadLast(c.Options.Session.Page, keep)
	}
	c.Feed.Rewind(keep)
	c.Transcript.Rewind(keep)
	c.Say(c.Rewinds.said())
	return true
}

// Interrupt interrupts the turn, and a shell command of the user. A second call kills
// them.
func (c *Conversation) Interrupt() {
	if !c.Feed.Killing {
		c.Agent.Send(event.Interrupt{})
	}
	c.Feed.Stopping, c.Feed.Killing = true, c.Feed.Stopping
	c.ReportForced()
}

// ReportForced calls Options.OnForcedInterrupt if a turn was interrupted twice, or if such a turn
// has ended.
func (c *Conversation) ReportForced() {
	if forced := c.Feed.Killing && c.Busy(); forced != c.forced {
		c.forced = forced
		if c.Options.OnForcedInterrupt != nil {
			c.Options.OnForcedInterrupt(forced)
		}
	}
}

// PlayNext sends the next automatic prompt, if no turn runs and a model is chosen.
func (c *Conversation) PlayNext() {
	if len(c.Play) == 0 || c.Feed.Running || len(c.Feed.Log.Pending) > 0 || c.Choosing && !c.connected() {
		return
	}
	next := c.Play[0]
	c.Play = c.Play[1:]
	if next.Note != "" {
		c.Transcript.Add(&transcript.Notice{Text: next.Note})
	}
	c.Agent.SendTyped(next.Text)
}

// Say shows a notice at the end of the transcript.
func (c *Conversation) Say(text string) {
	c.Transcript.Notify(text)
	c.Transcript.ShowEnd()
}

// Show adds an item to the end of the transcript, and scrolls to it.
func (c *Conversation) Show(item transcript.Item) *transcript.Row {
	row := c.Transcript.Add(item)
	c.Transcript.ShowEnd()
	return row
}

// Replay draws the end of a session from its events.
func (c *Conversation) Replay(events []event.Event) {
	for _, ev := range events {
		c.Feed.Apply(ev)
	}
	c.applyOptions(c.Options)
	c.Feed.FinishReplay()
	c.Transcript.Pages.Settled = c.Options.Session.Page == nil || len(events) == 0
	c.SetTitle(c.Feed.State.Title)
}

// Unreadable handles a session that cannot be read: only its end is shown, and it
// cannot be rewound or forked.
func (c *Conversation) Unreadable(ev event.Unreadable) {
	c.Rewinds.Broken, c.Options.Session.Page, c.Transcript.Pages.Settled = ink.SanitizeLine(ev.Why), nil, true
	c.Transcript.ReachTarget()
	c.Transcript.Add(&transcript.Problem{Text: "cannot read the session: " + c.Rewinds.Broken,
		Hint: "Only the end of the session is shown, and it cannot be rewound or forked. Start a new session with /new."})
}

// SetTitle sets the title on the screen.
func (c *Conversation) SetTitle(title string) {
	c.Feed.State.Title = title
	c.Transcript.SetHeader(c.Heading())
}

// applyOptions sets the model and the permission mode, which may differ from those of
// the replayed events.
func (c *Conversation) applyOptions(o Options) {
	f := c.Feed
	if o.Models.Name != "" {
		f.State.Model, f.State.Why, f.State.Context, f.State.Effort = o.Models.Name, o.Models.Why, o.Models.Context, o.Models.Effort
		f.State.Host, f.State.BaseURL = o.Models.Host, o.Models.BaseURL
	}
	if o.Session.Mode != "" {
		f.State.Mode = o.Session.Mode
	}
}

// TurnPages drops the pages of the transcript that are far from the window. It returns
// the command that reads the pages near it and runs Pending.
func (c *Conversation) TurnPages() tea.Cmd {
	if c.Options.Session.Page == nil || !c.Transcript.Pages.Settled {
		return nil
	}
	pending := c.Pending
	c.Pending = nil
	return tea.Batch(c.Transcript.TurnPages(c.Options.Session.Page), pending)
}

// Busy reports whether a turn or a shell command of the user runs.
func (c *Conversation) Busy() bool { return c.Feed.Busy() }

// NextMode returns the next mode of the cycle. The cycle includes ModeAll only if the
// program was started in it, so that no key approves everything by accident.
func (c *Conversation) NextMode() event.Mode {
	modes := slices.Clone(event.Modes)
	if c.Options.Session.Mode != string(event.ModeAll) {
		modes = slices.DeleteFunc(modes, func(mode event.Mode) bool { return mode == event.ModeAll })
	}
	if allowed := c.Options.Session.Modes; len(allowed) > 0 {
		modes = slices.DeleteFunc(modes, func(mode event.Mode) bool { return !slices.Contains(allowed, mode) })
	}
	if len(modes) == 0 {
		return event.Mode(c.Feed.State.Mode)
	}
	i := slices.Index(modes, event.Mode(c.Feed.State.Mode))
	return modes[(i+1)%len(modes)]
}
