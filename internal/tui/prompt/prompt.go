package prompt

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/terminal"
)

// Prompt connects the parts of the user's input: the box in which the user types, and
// those that complete, send, queue and save the text. It passes messages and events to
// them.
type Prompt struct {
	Box         *Box
	Assist      layer.Layer // above the box: see assist
	Suggestions *Suggestions
	Queue       *Queue
	Clipboard   *Clipboard
	External    *External
	Drafts      *Drafts
	DoublePress *DoublePress
	Questions   *Questions

	editor    *editor.Editor
	images    *Attacher
	history   *History
	submitter *submitter
	returns   *returns
}

// Actions are what keys of the prompt do elsewhere.
type Actions struct {
	Help  func()         // shows the help
	Leave func() tea.Cmd // quits the program
}

// New returns the prompt with the editor e.
func New(c *screen.Conversation, e *editor.Editor, d *dialog.Dialog, s *slash.Session, do Actions) *Prompt {
	w := c.Window
	p := &Prompt{
		editor:      e,
		Suggestions: &Suggestions{Window: w, editor: e, slash: s, agents: c.Delegates.Agents},
		images:      &Attacher{Window: w, model: func() string { return c.Feed.State.Model }, say: c.Say, editor: e},
		history:     &History{Window: w, log: &c.Feed.Log, editor: e},
		Queue:       &Queue{Window: w, agent: c.Agent, feed: c.Feed, list: c.Transcript, say: c.Say, playing: func() bool { return len(c.Play) > 0 }, editor: e},
		Clipboard:   &Clipboard{Window: w, transcript: c.Transcript, say: c.Say},
		DoublePress: &DoublePress{Window: w, stops: c.Delegates.StopsAtEnd},
		returns:     &returns{feed: c.Feed, rewinds: c.Rewinds, send: c.Agent.Send, editor: e},
	}
	p.External = &External{Window: w, say: c.Say, send: c.Agent.SendCommand, editor: e, dialog: d, popup: p.Suggestions, Lend: terminal.Lend}
	p.Drafts = &Drafts{Window: w, log: &c.Feed.Log, send: c.Agent.Send, editor: e, dialog: d, queue: p.Queue}
	p.Questions = &Questions{editor: e, dialog: d, drafts: p.Drafts}
	p.submitter = &submitter{agent: c.Agent, delegates: c.Delegates, list: c.Transcript, say: c.Say, editor: e, images: p.images, history: p.history, queue: p.Queue, feed: c.Feed, run: s.Run, connects: s.Models.CanConnect}
	p.Suggestions.submit, p.images.ready = p.Submit, p.submitter.sendReady
	p.Box = &Box{
		Window: w, editor: e, dialog: d, suggestions: p.Suggestions, images: p.images, history: p.history, queue: p.Queue,
		clipboard: p.Clipboard, again: p.DoublePress, submitter: p.submitter, do: do, rewind: s.ChooseRewind,
		hints: &hints{Window: w, feed: c.Feed, editor: e, waits: d.Waits, suggestions: p.Suggestions, queue: p.Queue, canRetry: c.Agent.CanRetry, background: c.Delegates.Background, known: s.Has},
	}
	p.Assist = &assist{
		Window: w, editor: e, again: p.DoublePress, images: p.images, history: p.history, suggestions: p.Suggestions, queue: p.Queue,
		edit: p.External.Start, palette: s.Palette.Show, covered: d.Takes, press: p.Box.edit, edited: p.Box.edited,
	}
	return p
}

// Submit sends the prompt or runs it as a command. An empty prompt releases the queue
// or retries a failed turn.
func (p *Prompt) Submit() tea.Cmd { return p.submitter.submit() }

// AfterMessage updates the suggestions and reads typed images, if the text has
// changed. It is called after every message of the program.
func (p *Prompt) AfterMessage() tea.Cmd {
	if !p.Suggestions.changed() {
		return nil
	}
	if p.editor.Empty() {
		p.images.tried = nil
	}
	return tea.Batch(p.Suggestions.suggest(), p.images.typedImage())
}

// Apply updates the questions, the draft and the queue with an event of the agent.
func (p *Prompt) Apply(ev event.Event) {
	p.Questions.apply(ev)
	p.returns.apply(ev)
	p.Queue.Follow(ev)
}

// Take handles the result of a command of this package. It reports whether msg is one.
func (p *Prompt) Take(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case filesFound:
		return p.Suggestions.apply(msg), true
	case filesDue:
		return p.Suggestions.repeat(msg), true
	case earlierRead:
		p.history.apply(msg)
	case draftWritten:
		return p.External.open(msg), true
	case fileEdited:
		p.External.takeFile(msg)
	case draftEdited:
		p.External.apply(msg)
	case summaryEdited:
		p.External.takeSummary(msg)
	case planEdited:
		p.External.takePlan(msg)
	case hunkEdited:
		p.External.takeHunk(msg)
	case imagesRead:
		return p.images.apply(msg), true
	case clipboardRead:
		p.images.takeClipboard(msg)
	case copied:
		p.Clipboard.report(msg)
	case draftDue:
		p.Drafts.pending = false
		p.Drafts.Save()
	case terminal.Pasting, terminal.PasteCut, terminal.PasteTooLarge:
		p.Clipboard.showPaste(msg)
	default:
		return nil, false
	}
	return nil, true
}
