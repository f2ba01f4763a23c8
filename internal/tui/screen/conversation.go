package screen

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/transcript"
)

// Window is what all parts of the screen share: its size and look, the keys, the
// clock, and the line of hints.
type Window struct {
	Options Options
	Keys    keys.Map
	Look    ink.Look
	Styles  *ink.Styles

	Now func() time.Time
	// After sends a message to the model once that time has passed.
	After func(time.Duration, tea.Msg) tea.Cmd

	Width, Height int
	Flash         string    // shown as the hint until the next key
	LastKey       time.Time // when the user last typed or clicked
	Done          bool      // the program ends
}

// Conversation is the conversation that is shown, and the way to the agent.
type Conversation struct {
	*Window
	Transcript *transcript.Transcript
	Feed       *transcript.Feed
	Send       func(event.Command) // never blocks

	Play        []Prompt // prompts that are still to be played
	Broken      string   // why the session cannot be read; empty if it can
	Pending     tea.Cmd  // reads what is wanted of the session besides pages
	Spending    Spending
	KnownModels []Model // those that there are, once they are known
	Listing     bool    // the next JobsNow is to be shown
	forced      bool    // what Options.Forced was told last
	// Described is what /status shows and waits for the permissions; nil if nothing
	// does.
	Described *transcript.Row
}

// New returns a conversation of which nothing is shown yet. send must not block.
func New(o Options, now func() time.Time, send func(event.Command)) *Conversation {
	w := &Window{Options: o, Keys: keys.New(o.Keys), Look: o.Look(), Now: now, After: after, Width: 80, Height: 24}
	w.Styles = w.Look.Styles()
	t := transcript.New(w.Styles)
	t.OpenKey = w.Keys.Name(keys.Open)
	return &Conversation{Window: w, Transcript: t, Send: send, Play: o.Prompts}
}

// after is the clock of a running program.
func after(in time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(in, func(time.Time) tea.Msg { return msg })
}

// Open shows the end of the session, and notices above or below it.
func (c *Conversation) Open(notices []string) {
	c.Transcript.SetHeader(c.Options.Heading(""))
	c.Replay(c.Options.Session.History)
	put := c.Transcript.Head
	if len(c.Options.Session.History) > 0 { // whose end is on the screen
		put = c.Transcript.Add
	}
	for _, n := range append(slices.Clone(c.Options.Notices), notices...) {
		put(&transcript.Notice{Text: n})
	}
	if c.Options.Session.Title != "" { // the user's title stays, even if the prompts are rewound
		c.SetTitle(c.Options.Session.Title)
	}
}

// Apply takes an event of the agent.
func (c *Conversation) Apply(ev event.Event) {
	c.Feed.Apply(ev)
	c.Spending.Take(ev)
	switch ev := ev.(type) {
	case event.Unreadable:
		c.Unreadable(ev)
	case *event.Renamed:
		c.SetTitle(ev.Title)
	case *event.TurnEnd:
		if ev.Reason == event.UserInterrupt {
			c.Play = nil
		}
		c.PlayNext()
	}
}

// Take takes events of the session that were read. It reports whether msg is such.
func (c *Conversation) Take(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case transcript.PageRead:
		c.Transcript.TakePage(msg, c.Now)
	case transcript.LastFacts:
		c.Feed.TakeLastFacts(msg)
	default:
		return false
	}
	return true
}

// TakeSurvey takes what lies before the events that are shown. It reports false if
// that is known already.
func (c *Conversation) TakeSurvey(s event.Opened) bool {
	if c.Transcript.Settled && c.Transcript.Events() > 0 {
		return false
	}
	c.Transcript.Survey(s)
	c.Feed.TakeSurvey(s)
	if s.Title != "" {
		c.SetTitle(s.Title)
	}
	for _, p := range s.Problems {
		c.Transcript.Add(&transcript.Problem{Text: p})
	}
	return true
}

// Rewind cuts the session back to its first events. Its cost, its jobs, its title
// and its model stay. It reports false if there are not that many events.
func (c *Conversation) Rewind(keep int) bool {
	if keep < 0 || keep > c.Transcript.Events() || !c.Transcript.Settled {
		return false
	}
	if c.Options.Session.Page != nil {
		c.Pending = c.Feed.ReadLast(c.Options.Session.Page, keep)
	}
	c.Feed.Rewind(keep)
	c.Transcript.Rewind(keep)
	return true
}

// SayRewound says what a rewind has left as it is.
func (c *Conversation) SayRewound() {
	c.Say("what followed is taken back. The log of the session keeps it; files stay as they are")
}

// Interrupt ends the turn, and a shell command of the user's. Called again, it kills
// what does not end.
func (c *Conversation) Interrupt() {
	if !c.Feed.Killing {
		c.Send(event.Interrupt{})
	}
	c.Feed.Stopping, c.Feed.Killing = true, c.Feed.Stopping
	c.ReportForced()
}

// ReportForced tells Options.Forced when a turn is interrupted twice, and when that
// has ended.
func (c *Conversation) ReportForced() {
	if forced := c.Feed.Killing && c.Busy(); forced != c.forced {
		c.forced = forced
		if c.Options.Forced != nil {
			c.Options.Forced(forced)
		}
	}
}

// PlayNext sends the next prompt that plays by itself, when no turn runs.
func (c *Conversation) PlayNext() {
	if len(c.Play) == 0 || c.Feed.Running || len(c.Feed.Pending) > 0 {
		return
	}
	next := c.Play[0]
	c.Play = c.Play[1:]
	if next.Note != "" {
		c.Transcript.Add(&transcript.Notice{Text: next.Note})
	}
	c.SendPrompt(next.Text)
}

// SendPrompt sends what the person said.
func (c *Conversation) SendPrompt(text string, images ...llm.Image) {
	c.Feed.PromptSent(text)
	c.Send(event.Prompt{Text: text, Images: images})
}

// CanRetry reports whether Retry has an effect: the last answer was truncated, or the
// last turn failed.
func (c *Conversation) CanRetry() bool {
	return !c.Busy() && len(c.Feed.Pending) == 0 && (c.Feed.Cut || c.Feed.Failed)
}

// Retry continues a truncated answer, or sends the conversation of a failed turn
// again.
func (c *Conversation) Retry() {
	if c.Feed.Cut {
		c.SendPrompt(event.GoOn)
		return
	}
	c.Feed.RetrySent()
	c.Send(event.Retry{})
}

// Say shows a line of the screen's own.
func (c *Conversation) Say(text string) {
	c.Transcript.Add(&transcript.Notice{Text: text})
	c.Transcript.ShowEnd()
}

// AboutModel says which model answers and why.
func (c *Conversation) AboutModel() string {
	if c.Feed.Model == "" {
		return "No model answers yet."
	}
	text := ink.SanitizeLine(c.Feed.Model) + " answers"
	if c.Feed.Effort != "" {
		text += " with effort " + ink.SanitizeLine(c.Feed.Effort)
	}
	if c.Feed.Host != "" {
		text += " at " + ink.SanitizeLine(c.Feed.Host)
	}
	if c.Feed.Why != "" {
		text += ", because " + ink.SanitizeLine(c.Feed.Why)
	}
	return strings.TrimRight(text, ".") + "."
}

// SetMode sets the permission mode, and tells the agent.
func (c *Conversation) SetMode(mode event.Mode) {
	c.Feed.Mode = string(mode)
	c.Send(event.SetMode{Mode: mode})
}

// Replay draws the end of a session from its events.
func (c *Conversation) Replay(events []event.Event) {
	c.Feed = transcript.NewFeed(c.Transcript, c.Now)
	for _, ev := range events {
		c.Feed.Apply(ev)
	}
	c.continueWith(c.Options)
	c.Feed.FinishReplay()
	c.Transcript.Settled = c.Options.Session.Page == nil || len(events) == 0
	c.SetTitle(c.Feed.Title)
}

// Unreadable makes the best of a session that cannot be read: there is no more
// of it than was told, and no way back in it.
func (c *Conversation) Unreadable(ev event.Unreadable) {
	c.Broken, c.Options.Session.Page, c.Transcript.Settled = ink.SanitizeLine(ev.Why), nil, true
	c.Transcript.ReachTarget()
	c.Transcript.Add(&transcript.Problem{Text: "the session cannot be read: " + c.Broken,
		Hint: "What is shown is what was read of it before. Its beginning is missing, and nothing can be taken back or copied. /new begins another session."})
}

// SetTitle says what the session is called.
func (c *Conversation) SetTitle(title string) {
	c.Feed.Title = title
	c.Transcript.SetHeader(c.Options.Heading(title))
}

// continueWith sets what answers from here on, and in which mode: it may be another
// than the session had.
func (c *Conversation) continueWith(o Options) {
	f := c.Feed
	if o.Models.Name != "" {
		f.Model, f.Why, f.Context, f.Effort = o.Models.Name, o.Models.Why, o.Models.Context, o.Models.Effort
		f.Host, f.BaseURL = o.Models.Host, o.Models.BaseURL
	}
	if o.Session.Mode != "" {
		f.Mode = o.Session.Mode
	}
}

// JumpToPrompt moves the window to the prompt above its first line, or to the next one
// below; after the last one comes the end.
func (c *Conversation) JumpToPrompt(back bool) {
	at, within := c.Transcript.TopEvent()
	prompts := c.Feed.Prompts
	n, _ := slices.BinarySearchFunc(prompts, at, func(s event.PastPrompt, at int) int { return s.At - at })
	switch {
	case back && within && n < len(prompts) && prompts[n].At == at:
		c.Transcript.Seek(transcript.Target{At: at})
	case back && n > 0:
		c.Transcript.Seek(transcript.Target{At: prompts[n-1].At})
	case back:
		c.Transcript.ShowStart()
	default:
		if n < len(prompts) && prompts[n].At == at {
			n++
		}
		if n == len(prompts) {
			c.Transcript.ShowEnd()
			return
		}
		c.Transcript.Seek(transcript.Target{At: prompts[n].At})
	}
}

// ListJobs shows what /jobs asked for.
func (c *Conversation) ListJobs(jobs []event.Job) {
	if c.Listing {
		c.Listing = false
		c.Transcript.Add(&transcript.JobList{Jobs: jobs, Now: c.Now()})
		c.Transcript.ShowEnd()
	}
}

// PromptsShown counts the prompts up to the last line of the window.
func (c *Conversation) PromptsShown() int {
	at, _ := c.Transcript.LowestEvent()
	n, found := slices.BinarySearchFunc(c.Feed.Prompts, at, func(s event.PastPrompt, at int) int { return s.At - at })
	if found {
		n++
	}
	return n
}

// GiveAnswer hands over an answer.
func (c *Conversation) GiveAnswer(answer *event.Answer) {
	c.Feed.Answered(answer.ID)
	c.Send(*answer)
}

// TurnPages drops the pages that are far from the window, and returns the
// command that reads those that it is near to, and what else is to be read.
func (c *Conversation) TurnPages() tea.Cmd {
	if c.Options.Session.Page == nil || !c.Transcript.Settled {
		return nil
	}
	recalls := c.Pending
	c.Pending = nil
	return tea.Batch(c.Transcript.TurnPages(c.Options.Session.Page), recalls)
}

// Busy reports whether something runs that can be stopped.
func (c *Conversation) Busy() bool { return c.Feed.Running || c.Feed.ShellLine() != "" }

// SendCommand sends what a typed command stands for, and shows the end, where the answer
// is told.
func (c *Conversation) SendCommand(command event.Command) {
	c.Send(command)
	c.Transcript.ShowEnd()
}

// NextMode is the mode after the current one. Approve all is part of the cycle
// only if the program was started in it: no key must turn every question off by
// accident.
func (c *Conversation) NextMode() event.Mode {
	modes := slices.Clone(event.Modes)
	if c.Options.Session.Mode != string(event.ModeAll) {
		modes = slices.DeleteFunc(modes, func(mode event.Mode) bool { return mode == event.ModeAll })
	}
	i := slices.Index(modes, event.Mode(c.Feed.Mode))
	return modes[(i+1)%len(modes)]
}
