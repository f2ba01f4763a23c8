package prompt

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// Box is the bottom layer: the editor with the user's prompt, and the suggestions above
// it.
type Box struct {
	*screen.Window
	editor      *editor.Editor
	dialog      *dialog.Dialog // is notified of changes of the draft
	suggestions *Suggestions
	images      *Attacher
	history     *History
	queue       *Queue
	clipboard   *Clipboard
	again       *DoublePress
	submitter   *submitter
	hints       *hints
	rewind      func() tea.Cmd // opens the list of prompts to rewind to
	do          Actions

	sweeps bool // a drag selects text in the draft
}

// Key implements layer.Layer.
func (p *Box) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	defer p.edited(p.editor.Revision())
	k := msg.String()
	switch {
	case p.Keys.Is(k, keys.Quit) && p.editor.Empty():
		return p.do.Leave(), layer.Taken
	case p.Keys.Is(k, keys.Rewind) && p.editor.Empty() && !p.editor.Mode.HandlesEscape():
		return p.pressRewind(), layer.Taken
	case p.Keys.Is(k, keys.Help) && p.editor.Empty():
		p.do.Help()
	case p.Keys.Is(k, keys.Newline):
		p.editor.Newline()
	case p.Keys.Is(k, keys.Send):
		return p.submitter.submit(), layer.Taken
	case p.Keys.Is(k, keys.Queue):
		return p.submitter.enqueue(), layer.Taken
	case p.Keys.Is(k, keys.Unqueue):
		p.queue.drop()
	default:
		return p.edit(msg), layer.Taken
	}
	return nil, layer.Taken
}

// edit passes a key to the editor, and puts the text that the editor copied on the
// clipboard.
func (p *Box) edit(msg tea.KeyPressMsg) tea.Cmd {
	p.editor.Press(msg)
	if text, ok := p.editor.TakeCopied(); ok {
		return p.clipboard.CopySelection(text)
	}
	return nil
}

// edited notifies the dialog if the draft has changed since that revision.
func (p *Box) edited(revision int) {
	if p.editor.Revision() != revision {
		p.dialog.DraftTyped(!p.editor.Blank())
	}
}

// Paste implements layer.Layer.
func (p *Box) Paste(text string) (cmd tea.Cmd, _ bool) {
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
func (p *Box) Cancel() (tea.Cmd, bool) {
	defer p.edited(p.editor.Revision())
	switch {
	case !p.editor.Empty() && p.editor.Mode.HandlesEscape():
		p.editor.Press(tea.KeyPressMsg{Code: tea.KeyEscape})
	case !p.editor.Empty():
		p.history.add(p.editor.Take().Text)
	case p.again.Quit():
		return p.do.Leave(), true
	}
	return nil, true
}

// pressRewind opens the list of prompts to rewind to on the second press.
func (p *Box) pressRewind() tea.Cmd {
	switch {
	case p.again.rewinds():
		return p.rewind()
	case p.history.sent():
		p.again.expectRewind()
	}
	return nil
}

// Place implements layer.Drawn.
func (p *Box) Place() layer.Place { return layer.AtPrompt }

// View implements layer.Drawn. While the dialog takes keys, a draft is one dim line.
func (p *Box) View(width, _ int) ([]string, *tea.Cursor) {
	if p.dialog.Takes() {
		if p.editor.Blank() {
			return nil, nil
		}
		first, _, _ := strings.Cut(strings.TrimSpace(p.editor.Shown()), "\n")
		return []string{p.Styles.Dim.Render(ink.Spread(ink.MarkUser+" "+ink.SanitizeLine(first), "your draft", width))}, nil
	}
	lines := p.suggestions.Lines(p.Styles, width, list.PopupRows(p.Height))
	p.suggestions.drawn = len(lines)
	typed, cursor := p.editor.Lines()
	if cursor != nil {
		c := *cursor
		c.Y += len(lines)
		cursor = &c
	}
	return append(lines, typed...), cursor
}

// HiddenLines says how many lines of the draft are not shown; empty for none.
func (p *Box) HiddenLines() string {
	if p.dialog.Takes() {
		return ""
	}
	return p.editor.HiddenLines()
}

// Mouse implements layer.Pointed. A click accepts a suggestion or places the cursor; a
// drag selects text; the wheel moves through the suggestions.
func (p *Box) Mouse(msg tea.MouseMsg, clicks int) (tea.Cmd, bool) {
	if p.dialog.Takes() {
		return nil, false
	}
	at := msg.Mouse()
	y := at.Y - p.suggestions.drawn
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		if y >= 0 {
			return nil, false
		}
		p.suggestions.roll(layer.WheelRows(msg))
	case tea.MouseClickMsg:
		if p.sweeps = y >= 0; p.sweeps {
			p.editor.Click(at.X, y, clicks)
		} else {
			p.suggestions.click(at.Y)
		}
	case tea.MouseMotionMsg:
		if p.sweeps {
			p.editor.Drag(at.X, y)
		}
	case tea.MouseReleaseMsg:
		if text := p.editor.Selection.Text(); p.sweeps && strings.TrimSpace(text) != "" {
			return p.clipboard.Selected(text), true
		}
	}
	return nil, true
}

// Hint implements layer.Hinted.
func (p *Box) Hint() string { return p.hints.rule() }

// KeyHint implements layer.Keyed.
func (p *Box) KeyHint() string { return p.hints.keys() }

// Animates implements layer.Animated: a first press of a key expires.
func (p *Box) Animates() bool { return p.again.waits() }

// Tick implements layer.Animated.
func (p *Box) Tick() { p.again.expire() }

// Restyle implements layer.Styled.
func (p *Box) Restyle() { p.editor.Restyle(p.Styles) }
