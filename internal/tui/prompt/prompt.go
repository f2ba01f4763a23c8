package prompt

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/terminal"
)

// Prompt is the bottom layer: the editor with the user's prompt, and what sends it.
type Prompt struct {
	*screen.Conversation
	editor      *editor.Editor
	dialog      *dialog.Dialog // is notified of changes of the draft
	Suggestions *Suggestions
	images      *Attacher
	history     *History
	Queue       *Queue
	Clipboard   *Clipboard
	External    *External
	Drafts      *Drafts
	slash       *slash.Session
	help        func()
	leave       func() tea.Cmd

	Again  *Again
	assist *assist
	sweeps bool // a drag selects text in the draft
}

// New returns the prompt with the editor e. help shows the help; leave quits the
// program.
func New(c *screen.Conversation, e *editor.Editor, d *dialog.Dialog, s *slash.Session, help func(), leave func() tea.Cmd) *Prompt {
	p := &Prompt{
		Conversation: c, editor: e, dialog: d, slash: s, help: help, leave: leave,
		Suggestions: &Suggestions{Window: c.Window, editor: e, slash: s, agents: c.Delegates.Agents},
		images:      &Attacher{Window: c.Window, feed: c.Feed, say: c.Say, editor: e},
		history:     &History{Window: c.Window, feed: c.Feed, editor: e},
		Queue:       &Queue{Conversation: c, editor: e},
		Clipboard:   &Clipboard{Window: c.Window, transcript: c.Transcript, say: c.Say},
	}
	p.External = &External{Window: c.Window, say: c.Say, send: c.Agent.SendCommand, editor: e, popup: p.Suggestions, Lend: terminal.Lend}
	p.Drafts = &Drafts{Window: c.Window, feed: c.Feed, send: c.Agent.Send, editor: e, dialog: d, queue: p.Queue}
	p.Again = &Again{Window: c.Window, stops: c.Delegates.StopsAtEnd}
	p.Suggestions.submit, p.Suggestions.shows, p.images.ready = p.Submit, func() bool { return !d.Takes() }, p.sendReady
	p.assist = &assist{
		Window: c.Window, editor: e, again: p.Again, images: p.images, history: p.history, suggestions: p.Suggestions, queue: p.Queue,
		edit: p.External.Start, palette: func() tea.Cmd { return s.Palette.Show() }, press: p.edit, edited: p.edited,
	}
	return p
}

// Key implements layer.Layer.
func (p *Prompt) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	defer p.edited(p.editor.Revision())
	k := msg.String()
	switch {
	case p.Keys.Is(k, keys.Quit) && p.editor.Empty():
		return p.leave(), layer.Taken
	case p.Keys.Is(k, keys.Rewind) && p.editor.Empty() && !p.editor.Mode.HandlesEscape():
		return p.rewind(), layer.Taken
	case p.Keys.Is(k, keys.Help) && p.editor.Empty():
		p.help()
	case p.Keys.Is(k, keys.Newline):
		p.editor.Newline()
	case p.Keys.Is(k, keys.Send):
		return p.Submit(), layer.Taken
	case p.Keys.Is(k, keys.Queue):
		return p.enqueue(), layer.Taken
	case p.Keys.Is(k, keys.Unqueue):
		p.Queue.drop()
	default:
		return p.edit(msg), layer.Taken
	}
	return nil, layer.Taken
}

// edit passes a key to the editor, and puts the text that the editor copied on the
// clipboard.
func (p *Prompt) edit(msg tea.KeyPressMsg) tea.Cmd {
	p.editor.Press(msg)
	if text, ok := p.editor.TakeCopied(); ok {
		return p.Clipboard.CopySelection(text)
	}
	return nil
}

// edited notifies the dialog if the draft has changed since that revision.
func (p *Prompt) edited(revision int) {
	if p.editor.Revision() != revision {
		p.dialog.DraftTyped(!p.editor.Blank())
	}
}

// Paste implements layer.Layer.
func (p *Prompt) Paste(text string) (cmd tea.Cmd, _ bool) {
	switch h := &p.editor.History; {
	case h.Searching():
		line, _, _ := strings.Cut(strings.TrimSpace(editor.Typable(text)), "\n")
		h.Extend(line, p.history.prompts())
	case text == "": // terminals paste an image as empty text
		cmd = p.images.pasteClipboard(true)
	default:
		p.editor.Paste(text)
		cmd = p.images.readPaste(strings.TrimSpace(editor.UnixLines(text)))
	}
	p.dialog.DraftTyped(!p.editor.Blank())
	return cmd, true
}

// Cancel implements layer.Canceler. It moves the text into the prompt history; on an empty
// prompt, the second time quits. In vi mode it first cancels a pending command or leaves
// the mode, like esc.
func (p *Prompt) Cancel() (tea.Cmd, bool) {
	defer p.edited(p.editor.Revision())
	switch {
	case !p.editor.Empty() && p.editor.Mode.HandlesEscape():
		p.editor.Press(tea.KeyPressMsg{Code: tea.KeyEscape})
	case !p.editor.Empty():
		p.Feed.Recall = append(p.Feed.Recall, p.editor.Take().Text)
	case p.Again.Quit():
		return p.leave(), true
	}
	return nil, true
}

// rewind opens the list of prompts to rewind to on the second press.
func (p *Prompt) rewind() tea.Cmd {
	switch {
	case p.Again.recent(p.Again.rewind):
		p.Again.rewind = time.Time{}
		return p.slash.ChooseRewind()
	case len(p.Feed.Prompts) > 0:
		p.Again.rewind = p.Now()
	}
	return nil
}

// Submit sends the prompt or runs it as a command. An empty prompt releases the queue
// or retries a failed turn.
func (p *Prompt) Submit() tea.Cmd {
	if p.editor.ContinueLine() {
		p.editor.Newline()
		return nil
	}
	if problem := shellProblem(p.editor.Text()); problem != "" {
		p.Say(problem)
		return nil
	}
	if p.editor.Blank() {
		if !p.Queue.release() && p.Agent.CanRetry() {
			p.Transcript.ShowEnd()
			p.Agent.Retry()
		}
		return nil
	}
	if cmd, waits := p.images.unread(); waits {
		return cmd
	}
	if p.delegate() {
		return nil
	}
	typed, all := p.editor.Raw(), p.editor.Take()
	if name, arg, ok := slash.Parse(all.Text); ok {
		cmd, ok := p.slash.Run(name, arg)
		if !ok {
			p.editor.Set(typed)
		}
		return cmd
	}
	p.Transcript.ShowEnd()
	p.Queue.Submit(all)
	return nil
}

// shellProblem says why a draft that begins with ! is not run: it is empty, or a later line
// begins with ! too, as in several pasted commands. A here document may have such lines.
func shellProblem(draft string) string {
	draft = strings.TrimSpace(draft)
	if draft == "!" || draft == "!!" {
		return "Usage: !COMMAND, or !!COMMAND to run a command without telling the model."
	}
	if !strings.HasPrefix(draft, "!") || strings.Contains(draft, "<<") {
		return ""
	}
	for i, line := range strings.Split(draft, "\n") {
		rest, marked := strings.CutPrefix(strings.TrimSpace(line), "!")
		if i > 0 && marked && rest != "" && rest[0] != ' ' { // "! cmd" negates
			return fmt.Sprintf("Not run: line %d begins with ! too. Run one command at a time, or remove that ! to run all lines as one command.", i+1)
		}
	}
	return ""
}

// enqueue queues the prompt. If nothing runs, it is sent at once.
func (p *Prompt) enqueue() tea.Cmd {
	if p.editor.Blank() {
		return nil
	}
	if problem := shellProblem(p.editor.Text()); problem != "" {
		p.Say(problem)
		return nil
	}
	if _, _, command := slash.Parse(p.editor.Text()); command || len(Mentioned(p.editor.Text())) > 0 { // neither is queued
		return p.Submit()
	}
	if cmd, waits := p.images.unread(); waits {
		p.images.queue = true
		return cmd
	}
	if len(p.Queue.messages) == 0 { // an empty queue is no longer held
		p.Queue.held = ""
	}
	next := p.editor.Take()
	next.Text = strings.TrimSpace(next.Text)
	p.Queue.messages = append(p.Queue.messages, queued{Typed: next})
	p.Transcript.ShowEnd()
	p.Queue.sendNext()
	return nil
}

// sendReady sends or queues the prompt after its images were read.
func (p *Prompt) sendReady(queue bool) tea.Cmd {
	if queue {
		return p.enqueue()
	}
	return p.Submit()
}

// AfterMessage updates the suggestions and reads typed images, if the text has
// changed. It is called after every message of the program.
func (p *Prompt) AfterMessage() tea.Cmd {
	if seen := [2]int{p.editor.Revision(), p.editor.Caret()}; seen != p.Suggestions.seen {
		p.Suggestions.seen = seen
		if p.editor.Empty() {
			p.images.tried = nil
		}
		return tea.Batch(p.Suggestions.suggest(), p.images.typedImage())
	}
	return nil
}

// Assist returns the layer above the prompt: see assist.
func (p *Prompt) Assist() layer.Layer { return p.assist }

// Apply updates the questions, the draft and the queue with an event of the agent.
func (p *Prompt) Apply(ev event.Event) {
	switch ev := ev.(type) {
	case event.Asked:
		p.dialog.Push(ev.Ask, !p.editor.Blank())
		p.Drafts.Resume(ev.Ask)
	case *event.Decided:
		p.withdraw(ev.ID)
	case event.AskDone:
		p.withdraw(ev.ID)
	case *event.ToolEnd:
		p.withdraw(ev.Result.ID)
	case event.Unsent:
		p.editor.Prepend(ev.Text)
	case *event.Rewound:
		p.EndQuestions(func(ask event.Ask) bool { return ask.Agent == "" })
		if p.Rewinds.Returning != nil {
			p.editor.Prepend(p.Rewinds.Returning.Text)
			p.Rewinds.Returning = nil
		}
	case *event.TurnEnd:
		p.EndQuestions(func(ask event.Ask) bool { return ask.Agent == "" })
		p.takeBack()
	}
	p.Queue.Follow(ev)
}

// takeBack removes the prompt of an interrupted turn from the session and returns it to
// the editor, if nothing of the answer has arrived.
func (p *Prompt) takeBack() {
	n := len(p.Feed.Prompts)
	if !p.Feed.Unanswered || n == 0 || p.Rewinds.Problem() != "" {
		return
	}
	last := p.Feed.Prompts[n-1]
	p.Rewinds.Returning = &last
	p.Agent.Send(event.Rewind{Keep: last.At})
}

// EndQuestions closes the questions for which gone reports true. A comment or a
// plan that is being typed becomes the draft.
func (p *Prompt) EndQuestions(gone func(event.Ask) bool) {
	if p.dialog.Waits() && gone(p.dialog.First()) {
		p.Drafts.KeepTyped()
	}
	p.dialog.Drop(gone)
}

// withdraw closes a question that is answered, or whose call has ended. A comment or
// a plan that is being typed becomes the draft.
func (p *Prompt) withdraw(id string) {
	if p.dialog.First().ID == id {
		p.Drafts.KeepTyped()
	}
	p.dialog.Withdraw(id)
}

// Take handles the result of a command of this package. It reports whether msg is one.
func (p *Prompt) Take(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case filesFound:
		return p.Suggestions.take(msg), true
	case filesDue:
		return p.Suggestions.repeat(msg), true
	case earlierRead:
		p.history.take(msg)
	case draftWritten:
		return p.External.open(msg), true
	case fileEdited:
		p.External.takeFile(msg)
	case draftEdited:
		p.External.take(msg)
	case summaryEdited:
		p.External.takeSummary(msg)
	case planEdited:
		p.takePlan(msg)
	case hunkEdited:
		p.takeHunk(msg)
	case imagesRead:
		return p.images.take(msg), true
	case clipboardRead:
		p.images.takeClipboard(msg)
	case copied:
		p.Clipboard.report(msg)
	case draftDue:
		p.Drafts.pending = false
		p.Drafts.Save()
	case terminal.Pasting, terminal.PasteCut, terminal.PasteTooLarge:
		p.showPaste(msg)
	default:
		return nil, false
	}
	return nil, true
}
