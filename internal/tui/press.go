package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/keys"
)

// press takes a key: the help has it while it is open, then a dialog that takes
// keys, then what holds anywhere, then the editor.
func (m *model) press(msg tea.KeyPressMsg) tea.Cmd {
	if m.help.open {
		if m.stops(msg.String()) {
			m.interrupt()
		}
		m.help.press(msg)
		return nil
	}
	msg, whole := m.chords(msg)
	if !whole {
		return nil
	}
	marked := m.mouse.swept()
	m.flash = ""
	m.list.ClearSelection()
	m.mouse.p.drags, m.mouse.p.sweeps = false, false
	m.editor.Selection.Release()
	if m.keys.Is(msg.String(), keys.CopyMarked) && marked != "" {
		return m.clip.copyMarked(marked)
	}
	k, now := msg.String(), m.now()
	m.arm()
	if m.pager.open {
		m.dialog.Release()
		m.lastKey = now
		return m.pressWhole(msg)
	}
	switch {
	case m.keys.Is(k, keys.Interrupt) && m.busy() && !m.hints.dismisses(k):
		m.dialog.Release()
		m.interrupt()
		return nil
	case m.find.typing:
		m.dialog.Elsewhere()
		m.lastKey = now
		return m.pressEditor(msg)
	}
	return m.applyResult(msg, m.dialog.Key(msg))
}

// applyResult does what the dialog decided about a key.
func (m *model) applyResult(msg tea.KeyPressMsg, r dialog.Result) (cmd tea.Cmd) {
	if r.Rest != "" {
		m.editor.PutBefore(r.Rest)
	}
	switch {
	case r.Deferred != nil:
		return m.after(r.Deferred.After, *r.Deferred)
	case r.Interrupt:
		m.interrupt()
	case r.Draft != "":
		m.lastKey = m.now()
		m.editor.Type(r.Draft)
	case r.Answer != nil:
		m.give(r.Answer)
	case r.Pass == dialog.ToDraft:
		return m.pressDraft(msg)
	case r.Pass == dialog.ToScreen:
		cmd, _ = m.pressAnywhere(msg.String())
	}
	return cmd
}

// pressDue takes a key that the dialog deferred.
func (m *model) pressDue(due dialog.DeferredKey) tea.Cmd {
	if m.covered() {
		return nil
	}
	m.dialog.Tick()
	return m.applyResult(due.Key, m.dialog.Due(due))
}

// pressDraft takes a key for the draft, also while a question waits that does
// not take keys yet.
func (m *model) pressDraft(msg tea.KeyPressMsg) tea.Cmd {
	m.lastKey = m.now()
	before := m.editor.Revision()
	cmd := m.pressEditor(msg)
	if m.editor.Revision() != before {
		m.dialog.DraftTyped(!m.editor.Blank())
	}
	return cmd
}

// stops reports whether a key stops what runs, whatever is shown before it, and
// does not only take that away.
func (m *model) stops(k string) bool {
	return m.busy() && m.keys.Is(k, keys.Interrupt) && !m.keys.Is(k, keys.Dismiss)
}

// interrupt ends the turn, and the person's own command. Pressed again, it kills
// what does not end by itself.
func (m *model) interrupt() {
	if !m.feed.Killing {
		m.send(event.Interrupt{})
	}
	m.feed.Stopping, m.feed.Killing = true, m.feed.Stopping
	m.drafts.keepWords()
	m.dialog.Clear()
	m.tellForced()
}

// tellForced tells Options.Forced whether what runs was interrupted twice.
func (m *model) tellForced() {
	if forced := m.feed.Killing && m.busy(); forced != m.forced {
		m.forced = forced
		if m.o.Forced != nil {
			m.o.Forced(forced)
		}
	}
}

// give hands over an answer.
func (s *session) give(answer *event.Answer) {
	s.feed.Answered(answer.ID)
	s.send(*answer)
}

// pressAnywhere takes a key that means the same whatever has the focus.
func (m *model) pressAnywhere(k string) (cmd tea.Cmd, taken bool) {
	page := max(m.list.Height-2, 1)
	switch {
	case m.keys.Is(k, keys.PageUp):
		m.list.Scroll(-page)
	case m.keys.Is(k, keys.PageDown):
		m.list.Scroll(page)
	case m.keys.Is(k, keys.Top):
		m.list.ShowStart()
	case m.keys.Is(k, keys.Bottom):
		m.list.ShowEnd()
	case m.keys.Is(k, keys.JumpBack), m.keys.Is(k, keys.JumpOn):
		m.jump(m.keys.Is(k, keys.JumpBack))
	case m.keys.Is(k, keys.Find):
		m.find.start()
	case m.keys.Is(k, keys.View):
		m.pager.show()
	case m.keys.Is(k, keys.Open):
		m.list.ToggleLast()
	case m.keys.Is(k, keys.OpenAll):
		m.list.ToggleAll()
	case m.keys.Is(k, keys.Palette):
		return m.table.showPalette(), true
	case m.keys.Is(k, keys.Mode):
		if m.dialog.Waits() { // a key that looks at the question must not approve what follows
			m.flash = "answer the question first"
			break
		}
		m.setMode(m.nextMode())
	case m.keys.Is(k, keys.Model):
		return m.chooseModelFromList(), true
	case m.keys.Is(k, keys.Mouse):
		m.mouse.toggle()
	case m.keys.Is(k, keys.Suspend):
		return tea.Suspend, true
	case m.keys.Is(k, keys.Redraw):
		return tea.ClearScreen, true
	default:
		return nil, false
	}
	return nil, true
}

func (m *model) pressEditor(msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	leaving, rewinding := m.ticker.leaving(m.now()), m.ticker.rewinding(m.now())
	m.ticker.warned, m.ticker.escaped = time.Time{}, time.Time{}
	if m.find.typing {
		cmd, taken := m.find.press(msg)
		if !taken {
			cmd, _ = m.pressAnywhere(k)
		}
		return cmd
	}
	if cmd, taken := m.pressTyping(msg); taken {
		return cmd
	}
	if cmd, taken := m.pressAnywhere(k); taken {
		return cmd
	}
	switch {
	case m.keys.Is(k, keys.Clear):
		return m.clear(leaving)
	case m.keys.Is(k, keys.Leave) && m.editor.Empty():
		return m.leave()
	case m.keys.Is(k, keys.Rewind) && m.editor.Empty() && !m.editor.Mode.HandlesEscape():
		return m.rewinder.goBack(rewinding)
	case m.keys.Is(k, keys.Help) && m.editor.Empty():
		m.help.show()
	case m.keys.Is(k, keys.Newline):
		m.editor.Newline()
	case m.keys.Is(k, keys.Send):
		return m.submit()
	case m.keys.Is(k, keys.Queue):
		return m.later()
	case m.keys.Is(k, keys.Unqueue):
		m.queue.drop()
	default:
		m.editor.Press(msg)
		if text, ok := m.editor.TakeCopied(); ok {
			return m.clip.copyMarked(text)
		}
	}
	return nil
}

// clear empties the prompt, which can still be walked back to; on an empty one
// it leaves when pressed twice. What vi has begun with a text ends first, as it
// does with esc.
func (m *model) clear(leaving bool) tea.Cmd {
	switch {
	case !m.editor.Empty() && m.editor.Mode.HandlesEscape():
		m.editor.Press(tea.KeyPressMsg{Code: tea.KeyEscape})
	case !m.editor.Empty():
		m.feed.Recall = append(m.feed.Recall, m.editor.Take().Text)
	case leaving:
		return m.leave()
	default:
		m.ticker.warned = m.now()
	}
	return nil
}

// submit sends what is typed, or carries out the command it is.
func (m *model) submit() tea.Cmd {
	if m.editor.ContinueLine() {
		m.editor.Newline()
		return nil
	}
	if typed := strings.TrimSpace(m.editor.Raw()); typed == "!" || typed == "!!" {
		m.say("use !COMMAND, or !!COMMAND for what the model is not to be told")
		return nil
	}
	if m.editor.Blank() {
		if !m.queue.letGo() && m.feed.Cut && !m.feed.Running {
			m.list.ShowEnd()
			m.prompt(event.GoOn)
		}
		return nil
	}
	if cmd, waits := m.images.unread(); waits {
		return cmd
	}
	typed, all := m.editor.Raw(), m.editor.Take()
	if name, arg, ok := parseSlash(all.Text); ok {
		return m.slash(name, arg, typed)
	}
	m.list.ShowEnd()
	m.queue.utter(all)
	return nil
}

// paste takes pasted text, which never sends and never answers anything.
func (m *model) paste(text string) tea.Cmd {
	if m.help.open {
		return nil
	}
	now := m.now()
	m.lastKey, m.flash = now, ""
	m.arm()
	if m.pager.open {
		m.dialog.Elsewhere()
	} else if m.dialog.Paste(text) {
		return nil
	}
	if cmd, taken := m.find.paste(text); taken || m.pager.open {
		return cmd
	}
	cmd := m.pasteTyped(text)
	m.dialog.DraftTyped(!m.editor.Blank())
	return cmd
}
