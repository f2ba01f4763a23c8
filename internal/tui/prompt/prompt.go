package prompt

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/terminal"
)

// Prompt is the bottom layer: the editor in which the user types, and what is done
// with its text.
type Prompt struct {
	*screen.Conversation
	editor      *editor.Editor
	dialog      *dialog.Dialog // hears of what is typed while a question waits
	Suggestions *Suggestions
	images      *Attacher
	earlier     *History
	Queue       *Queue
	Clipboard   *Clipboard
	External    *External
	Drafts      *Drafts
	slash       *slash.Session
	help        func()
	leave       func() tea.Cmd

	warned  time.Time // when ctrl+c was pressed on an empty prompt
	escaped time.Time // when esc was
}

// New returns the prompt that is typed in e. help shows the help; leave ends
// the program.
func New(c *screen.Conversation, e *editor.Editor, d *dialog.Dialog, s *slash.Session, help func(), leave func() tea.Cmd) *Prompt {
	p := &Prompt{
		Conversation: c, editor: e, dialog: d, slash: s, help: help, leave: leave,
		Suggestions: &Suggestions{Conversation: c, editor: e, slash: s},
		images:      &Attacher{Conversation: c, editor: e},
		earlier:     &History{Conversation: c, editor: e},
		Queue:       &Queue{Conversation: c, editor: e},
		Clipboard:   &Clipboard{Conversation: c, editor: e},
	}
	p.External = &External{Conversation: c, editor: e, popup: p.Suggestions, Lend: terminal.Lend}
	p.Drafts = &Drafts{Conversation: c, editor: e, dialog: d, queue: p.Queue}
	p.Suggestions.submit, p.images.ready = p.Submit, p.sendReady
	return p
}

// twice is within which the second press of a key leaves, or rewinds.
const twice = 2 * time.Second

// Leaving reports whether another ctrl+c leaves.
func (p *Prompt) Leaving() bool { return p.since(p.warned) }

// Rewinding reports whether another esc opens the list of earlier prompts.
func (p *Prompt) Rewinding() bool { return p.since(p.escaped) }

// since reports whether a key that was pressed then can still be pressed twice.
func (p *Prompt) since(then time.Time) bool { return !then.IsZero() && p.Now().Sub(then) < twice }

// ConfirmLeave reports whether the key that leaves was pressed shortly before. If
// not, the next press confirms it.
func (p *Prompt) ConfirmLeave() bool {
	if p.Leaving() {
		return true
	}
	p.warned = p.Now()
	return false
}

// HalfPressed reports whether a key was pressed that is pressed twice. Expire ends
// that.
func (p *Prompt) HalfPressed() bool { return !p.warned.IsZero() || !p.escaped.IsZero() }

// Expire ends the wait for a second press that comes too late.
func (p *Prompt) Expire() {
	if !p.Leaving() {
		p.warned = time.Time{}
	}
	if !p.Rewinding() {
		p.escaped = time.Time{}
	}
}

// Key implements layer.Layer.
func (p *Prompt) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	defer p.edited(p.editor.Revision())
	k := msg.String()
	switch {
	case p.Keys.Is(k, keys.Clear):
		return p.clear(), layer.Taken
	case p.Keys.Is(k, keys.Leave) && p.editor.Empty():
		return p.leave(), layer.Taken
	case p.Keys.Is(k, keys.Rewind) && p.editor.Empty() && !p.editor.Mode.HandlesEscape():
		return p.goBack(), layer.Taken
	case p.Keys.Is(k, keys.Help) && p.editor.Empty():
		p.help()
	case p.Keys.Is(k, keys.Newline):
		p.editor.Newline()
	case p.Keys.Is(k, keys.Send):
		return p.Submit(), layer.Taken
	case p.Keys.Is(k, keys.Queue):
		return p.later(), layer.Taken
	case p.Keys.Is(k, keys.Unqueue):
		p.Queue.drop()
	default:
		return p.edit(msg), layer.Taken
	}
	return nil, layer.Taken
}

// edit hands a key to the editor, and copies what it copied.
func (p *Prompt) edit(msg tea.KeyPressMsg) tea.Cmd {
	p.editor.Press(msg)
	if text, ok := p.editor.TakeCopied(); ok {
		return p.Clipboard.CopyMarked(text)
	}
	return nil
}

// edited tells the dialog if keys changed the draft, which was at that revision.
func (p *Prompt) edited(was int) {
	if p.editor.Revision() != was {
		p.dialog.DraftTyped(!p.editor.Blank())
	}
}

// Paste implements layer.Layer.
func (p *Prompt) Paste(text string) (cmd tea.Cmd, _ bool) {
	switch h := &p.editor.History; {
	case h.Searching():
		line, _, _ := strings.Cut(strings.TrimSpace(editor.Typable(text)), "\n")
		h.Extend(line, p.earlier.prompts())
	case text == "": // all that a terminal can paste of an image
		cmd = p.images.pasteClipboard(true)
	default:
		p.editor.Paste(text)
		cmd = p.images.lookAtPaste(strings.TrimSpace(editor.UnixLines(text)))
	}
	p.dialog.DraftTyped(!p.editor.Blank())
	return cmd, true
}

// clear empties the prompt, which stays in the history; on an empty one it leaves
// when pressed twice. What vi has begun with a text ends first, as it does with
// esc.
func (p *Prompt) clear() tea.Cmd {
	switch {
	case !p.editor.Empty() && p.editor.Mode.HandlesEscape():
		p.editor.Press(tea.KeyPressMsg{Code: tea.KeyEscape})
	case !p.editor.Empty():
		p.Feed.Recall = append(p.Feed.Recall, p.editor.Take().Text)
	case p.ConfirmLeave():
		return p.leave()
	}
	return nil
}

// goBack opens the list of prompts when it is wanted twice.
func (p *Prompt) goBack() tea.Cmd {
	switch {
	case p.Rewinding():
		p.escaped = time.Time{}
		return p.slash.ChooseRewind()
	case len(p.Feed.Prompts) > 0:
		p.escaped = p.Now()
	}
	return nil
}

// Submit sends what is typed, or carries out the command it is.
func (p *Prompt) Submit() tea.Cmd {
	if p.editor.ContinueLine() {
		p.editor.Newline()
		return nil
	}
	if typed := strings.TrimSpace(p.editor.Raw()); typed == "!" || typed == "!!" {
		p.Say("use !COMMAND, or !!COMMAND for what the model is not to be told")
		return nil
	}
	if p.editor.Blank() {
		if !p.Queue.letGo() && p.CanRetry() {
			p.Transcript.ShowEnd()
			p.Retry()
		}
		return nil
	}
	if cmd, waits := p.images.unread(); waits {
		return cmd
	}
	typed, all := p.editor.Raw(), p.editor.Take()
	if name, arg, ok := slash.Parse(all.Text); ok {
		return p.slash.Run(name, arg, typed)
	}
	p.Transcript.ShowEnd()
	p.Queue.Submit(all)
	return nil
}

// later queues what is typed. If nothing runs, it is sent.
func (p *Prompt) later() tea.Cmd {
	if p.editor.Blank() {
		return nil
	}
	if _, _, command := slash.Parse(p.editor.Text()); command { // it is no message, and can be carried out now
		return p.Submit()
	}
	if cmd, waits := p.images.unread(); waits {
		p.images.later = true
		return cmd
	}
	if len(p.Queue.waits) == 0 { // what was held is gone otherwise
		p.Queue.held = ""
	}
	next := p.editor.Take()
	next.Text = strings.TrimSpace(next.Text)
	p.Queue.waits = append(p.Queue.waits, queued{Typed: next})
	p.Transcript.ShowEnd()
	p.Queue.sendNext()
	return nil
}

// sendReady sends or queues the prompt that waited for an image.
func (p *Prompt) sendReady(queue bool) tea.Cmd {
	if queue {
		return p.later()
	}
	return p.Submit()
}

// AfterMessage looks at what is typed after every message.
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

// Assist returns the layer above the prompt that helps to type in it.
func (p *Prompt) Assist() layer.Layer { return assist{p} }

// assist is the layer of what helps to type in the prompt: the search for an
// earlier prompt, the suggestions, the history, and the keys of vi that mean
// something to more than the text.
type assist struct{ *Prompt }

// Key implements layer.Layer.
func (t assist) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	defer t.edited(t.editor.Revision())
	if !t.editor.Empty() || !t.Keys.Is(msg.String(), keys.Clear) {
		t.warned = time.Time{}
	}
	if !t.editor.Empty() || !t.Keys.Is(msg.String(), keys.Rewind) {
		t.escaped = time.Time{}
	}
	t.images.sends, t.images.later, t.earlier.walks = false, false, false
	if cmd, ok := t.assist(msg); ok {
		return cmd, layer.Taken
	}
	return nil, layer.Below
}

// Paste implements layer.Layer.
func (t assist) Paste(string) (tea.Cmd, bool) { return nil, false }

// assist takes a key. It reports whether it did.
func (t assist) assist(msg tea.KeyPressMsg) (cmd tea.Cmd, ok bool) {
	k, e := msg.String(), t.editor
	if e.History.Searching() {
		if e.History.Press(msg, t.earlier.prompts()) {
			return nil, true
		}
		return nil, false
	}
	if cmd, ok := t.Suggestions.press(k); ok {
		return cmd, true
	}
	if cmd, ok := t.vi(msg); ok {
		return cmd, true
	}
	switch {
	case t.Keys.Is(k, keys.Dismiss) && (e.Mode.HandlesEscape() || e.Selection.ByKeys()):
		return t.edit(msg), true
	case t.Keys.Is(k, keys.StepRight) && e.Caret() < len(e.Raw()), t.Keys.Is(k, keys.StepUp) && e.CaretRow() > 0:
		e.Press(msg)
		return nil, true
	case t.Keys.Is(k, keys.Search) && e.Mode.Hint() == "":
		e.History.Search()
		return t.earlier.read(), true
	case t.Keys.Is(k, keys.Edit):
		return t.External.Start(), true
	case t.Keys.Is(k, keys.Attach):
		return t.images.pasteClipboard(false), true
	case t.Keys.Is(k, keys.PrevPrompt) && t.Queue.edit():
		return nil, true
	case t.Keys.Is(k, keys.PrevPrompt):
		return t.earlier.walkBack()
	case t.Keys.Is(k, keys.NextPrompt):
		return nil, e.History.Walk(false, t.earlier.prompts())
	}
	return nil, false
}

// vi takes a key of vi that means something to more than the text. It reports
// whether it did.
func (t assist) vi(msg tea.KeyPressMsg) (cmd tea.Cmd, ok bool) {
	k, e := msg.String(), t.editor
	switch {
	case e.Mode.InCommandLine():
		e.Press(msg)
		return nil, true
	case !e.Mode.Normal():
	case k == ":":
		return t.slash.ShowPalette(), true
	case k == "/" && e.Empty(): // there is nothing to look in: it begins a command
		e.Press(tea.KeyPressMsg{Code: 'i', Text: "i"})
	case k == "k":
		return t.earlier.walkBack()
	case k == "j":
		return nil, e.History.Walk(false, t.earlier.prompts())
	}
	return nil, false
}

// Take takes a message that something here waits for. It reports whether it is one.
func (p *Prompt) Take(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case filesFound:
		return p.Suggestions.take(msg), true
	case filesDue:
		return p.Suggestions.askAgain(msg), true
	case earlierRead:
		p.earlier.take(msg)
	case draftFiled:
		return p.External.open(msg), true
	case draftEdited:
		p.External.take(msg)
	case picturesRead:
		return p.images.take(msg), true
	case clipboardRead:
		p.images.takeClipboard(msg)
	case copied:
		p.Clipboard.report(msg)
	case draftDue:
		p.Drafts.saving = false
		p.Drafts.Save()
	case terminal.Pasting, terminal.PasteCut, terminal.PasteTooLarge:
		p.pasteGoes(msg)
	default:
		return nil, false
	}
	return nil, true
}
