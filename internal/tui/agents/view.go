package agents

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// View is the full-screen layer with the transcript of a delegate. While the delegate
// runs, the transcript is live, and the user can send messages to it. That of a delegate
// that has ended is read from its session.
type View struct {
	*screen.Window
	Layers    *layer.Stack
	Delegates *screen.Delegates
	Send      func(event.Command)
	Waits     func() bool           // reports whether the view covers a dialog that waits for the user
	Editor    func() *editor.Editor // makes the editor of a message

	id      int
	list    *transcript.Transcript
	feed    *transcript.Feed
	message *editor.Editor // kept while the delegate is shown; nil if none was typed
	typing  bool           // the message has the focus
	note    string         // shown instead of the hints, until the next key
}

// sessionRead is the message with the last events of the session of a delegate.
type sessionRead struct {
	id     int
	events []event.Event
	err    error
}

// Show opens the transcript of the delegate of that ID. With typing set, the user types
// a message to it.
func (v *View) Show(id int, typing bool) tea.Cmd {
	d, ok := v.Delegates.Find(id)
	if !ok {
		return nil
	}
	if id != v.id {
		v.message = nil
	}
	v.id, v.note, v.typing = id, "", false
	v.list = transcript.New(v.Styles)
	v.list.OpenKey = v.Keys.Name(keys.Open)
	v.feed = transcript.NewFeed(v.list, v.Now)
	v.Layers.Push(v)
	if !d.Running() {
		return v.read(d)
	}
	v.Send(event.WatchDelegate{ID: id})
	if typing {
		v.edit()
	}
	return nil
}

// read returns the command that reads the session of a delegate that has ended.
func (v *View) read(d event.Delegate) tea.Cmd {
	read := v.Options.Session.Preview
	if read == nil || d.Session == "" {
		v.list.Add(&transcript.Notice{Text: "The transcript of " + v.label() + " is not saved."})
		return nil
	}
	return func() tea.Msg {
		events, err := read(d.Session)
		return sessionRead{d.ID, events, err}
	}
}

// Receive implements layer.Receiver, for events of the delegate and its session.
func (v *View) Receive(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sessionRead:
		v.show(msg)
	case event.Delegated:
		if msg.ID == v.id {
			v.feed.Apply(msg.Event)
		}
	}
	return nil
}

// show shows a session that was read.
func (v *View) show(r sessionRead) {
	if r.id != v.id {
		return
	}
	for _, ev := range r.events {
		v.feed.Apply(ev)
	}
	v.feed.FinishReplay()
	if r.err != nil {
		v.list.Add(&transcript.Problem{Text: "cannot read the transcript of " + v.label() + ": " + r.err.Error()})
	}
}

// Animates implements layer.Animated.
func (v *View) Animates() bool { return v.running() }

// Tick implements layer.Animated. It advances the running times.
func (v *View) Tick() {
	v.list.Frame++
	v.feed.Tick()
}

// Writing reports whether the user types a message.
func (v *View) Writing() bool { return v.typing }

// Cancel implements layer.Canceler. It takes the focus from the message, or closes the
// view.
func (v *View) Cancel() (tea.Cmd, bool) {
	if v.typing {
		v.typing = false
	} else {
		v.close()
	}
	return nil, true
}

func (v *View) running() bool {
	d, ok := v.Delegates.Find(v.id)
	return ok && d.Running()
}

// label returns the name of the delegate.
func (v *View) label() string {
	d, _ := v.Delegates.Find(v.id)
	return transcript.DelegateLabel(d.Name, v.id)
}

// close closes the view. A message that was not sent is kept.
func (v *View) close() {
	v.Layers.Remove(v)
	v.typing = false
	v.Send(event.WatchDelegate{})
}

// edit moves the focus to the message.
func (v *View) edit() {
	if v.message == nil {
		v.message = v.Editor()
	}
	v.typing = true
	v.message.Mode.Begin()
}

// Paste implements layer.Layer.
func (v *View) Paste(text string) (tea.Cmd, bool) {
	if v.typing {
		v.message.Paste(text)
	}
	return nil, true
}

// Mouse implements layer.Pointed. The wheel scrolls; a click expands or collapses an item.
func (v *View) Mouse(msg tea.MouseMsg, _ int) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		v.list.Scroll(layer.WheelLines(msg))
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			v.list.ToggleAt(msg.Y - headLines)
		}
	}
	return nil, true
}

// Key implements layer.Layer.
func (v *View) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	k := msg.String()
	v.note = ""
	switch {
	case v.Keys.Is(k, keys.Suspend):
		return tea.Suspend, layer.Taken
	case v.Keys.Is(k, keys.Redraw):
		return tea.ClearScreen, layer.Taken
	case v.typing:
		v.typeKey(msg)
	case v.act(k), v.scroll(k):
	case v.Keys.Is(k, keys.ViewClose):
		v.close()
	}
	return nil, layer.Taken
}

// typeKey handles a key of the message.
func (v *View) typeKey(msg tea.KeyPressMsg) {
	k, e := msg.String(), v.message
	switch {
	case v.Keys.Is(k, keys.Dismiss) && e.Mode.HandlesEscape():
		e.Press(msg)
	case v.Keys.Is(k, keys.Dismiss):
		v.typing = false
	case v.Keys.Is(k, keys.Newline), v.Keys.Is(k, keys.Send) && e.ContinueLine():
		e.Newline()
	case v.Keys.Is(k, keys.Send):
		v.steer()
	case v.Keys.Is(k, keys.PageUp), v.Keys.Is(k, keys.PageDown):
		v.scroll(k)
	default:
		e.Press(msg)
	}
}

// steer sends the message to the delegate.
func (v *View) steer() {
	v.typing = false
	if v.message.Blank() {
		return
	}
	text := v.message.Take().Text
	v.Send(event.SteerDelegate{ID: v.id, Text: text})
	if v.running() { // if it has ended, the text returns to the prompt
		v.feed.PromptSent(text)
	}
	v.list.ShowEnd()
}

// act handles the keys that act on the delegate, if it runs. It reports whether k is
// one of them.
func (v *View) act(k string) bool {
	d, _ := v.Delegates.Find(v.id)
	switch {
	case !v.running():
		return false
	case v.Keys.Is(k, keys.SteerDelegate):
		v.edit()
	case v.Keys.Is(k, keys.StopDelegate):
		v.Send(event.StopDelegate{ID: v.id})
		v.note = "stopping " + v.label()
	case v.Keys.Is(k, keys.DetachDelegate) && !transcript.InBackground(d):
		v.Send(event.DetachDelegate{ID: v.id})
		v.note = v.label() + " continues in the background"
	default:
		return false
	}
	return true
}

// scroll handles the keys that scroll, or expand items. It reports whether k is one of
// them.
func (v *View) scroll(k string) bool {
	is := func(all ...keys.Action) bool {
		for _, a := range all {
			if v.Keys.Is(k, a) {
				return true
			}
		}
		return false
	}
	page := max(v.list.Height-2, 1)
	switch {
	case is(keys.ViewUp):
		v.list.Scroll(-1)
	case is(keys.ViewDown):
		v.list.Scroll(1)
	case is(keys.ViewPageUp, keys.PageUp):
		v.list.Scroll(-page)
	case is(keys.ViewPageDown, keys.PageDown):
		v.list.Scroll(page)
	case is(keys.ViewHalfUp):
		v.list.Scroll(-max(page/2, 1))
	case is(keys.ViewHalfDown):
		v.list.Scroll(max(page/2, 1))
	case is(keys.ViewTop, keys.Top):
		v.list.ShowStart()
	case is(keys.ViewBottom, keys.Bottom):
		v.list.ShowEnd()
	case is(keys.Open):
		v.list.ToggleLast()
	case is(keys.OpenAll):
		v.list.ToggleAll()
	default:
		return false
	}
	return true
}
