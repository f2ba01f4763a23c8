package slash

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// contextList shows the answer to /context.
type contextList struct {
	*screen.Window
	output
	front *Front
	agent *screen.Sender
}

// compactCommand summarizes the conversation, or undoes the summary.
func compactCommand(s *Session, focus string) (tea.Cmd, error) {
	if focus == "undo" {
		s.agent.SendCommand(event.EditContext{Step: event.CompactUndo})
		return nil, nil
	}
	s.feed.TurnSent()
	s.agent.SendCommand(event.Compact{Focus: focus})
	return nil, nil
}

// contextCommand lists what fills the context window.
func contextCommand(s *Session, _ string) (tea.Cmd, error) {
	s.agent.SendCommand(event.ListContext{Ref: screen.Await(&s.agent.Answers, contextList{s.Window, s.output, &s.Front, s.agent}.show)})
	return nil, nil
}

// Lists reports whether the list or the answer of a command is still to come.
func (s *Session) Lists() bool {
	return s.agent.Answers.Waiting() || s.trust.waiting || s.mcp.waiting || s.Connect.run != nil
}

// show opens the list of what fills the context window.
func (c contextList) show(now event.ContextNow) {
	head := "Context window: about " + phrase.Thousands(now.Used) + " tokens"
	if now.Window > 0 {
		head = fmt.Sprintf("Context window: about %s of %s tokens (%d%%)", phrase.Thousands(now.Used), phrase.Thousands(now.Window), 100*now.Used/now.Window)
	}
	u := &list.Menu{Chooser: list.Chooser{Keys: c.Keys, St: c.Styles}, Head: head, None: "No matching item.", Hint: "type to search · enter select · esc close"}
	if c.front.Screen == nil { // plain mode prints no heading
		c.Say(head + ".")
	}
	most := 1
	for _, item := range now.Items {
		most = max(most, item.Tokens)
	}
	var all []list.Option
	for i, item := range now.Items {
		o := list.Option{ID: fmt.Sprint(i), Name: nameOf(item), What: bar(item.Tokens, most), Right: phrase.Thousands(item.Tokens)}
		if item.Pinned {
			o.Right = "pinned · " + o.Right
		}
		all = append(all, o)
	}
	u.Fill(all)
	itemOf := func(o list.Option) event.ContextItem {
		var i int
		_, _ = fmt.Sscan(o.ID, &i)
		return now.Items[i]
	}
	u.Detail = func(o list.Option, width int) []string {
		return ink.Hang(" ", ink.RenderLines(c.Styles.Dim, ink.Wrap(ink.Sanitize(itemOf(o).Text), max(width-ink.Gutter, 1))))
	}
	u.Chose = func(o list.Option) tea.Cmd { return c.chooseAction(itemOf(o), now) }
	_ = c.front.Lists.Show(u) // a menu starts nothing
}

// nameOf describes an item on one line.
func nameOf(item event.ContextItem) string {
	title := ink.SanitizeLine(item.Title)
	switch item.Kind {
	case event.SystemItem, event.ToolsItem, event.OtherItems:
		return title
	}
	return strings.TrimSpace(string(item.Kind) + " " + title)
}

// bar draws a share of the largest item.
func bar(n, most int) string {
	const width = 20
	return strings.Repeat("█", (n*width+most-1)/most)
}

// chooseAction opens the list of actions for an item.
func (c contextList) chooseAction(item event.ContextItem, now event.ContextNow) tea.Cmd {
	type action struct {
		option list.Option
		run    func() tea.Cmd
	}
	send := func(edit event.EditContext) func() tea.Cmd {
		return func() tea.Cmd {
			c.agent.SendCommand(edit)
			return nil
		}
	}
	var all []action
	add := func(name, what string, run func() tea.Cmd) {
		all = append(all, action{list.Option{ID: name, Name: name, What: what}, run})
	}
	switch {
	case item.Kind == event.SummaryItem:
		add("read", "show the summary in the transcript", func() tea.Cmd { c.Say(now.Summary); return nil })
		if c.front.Screen != nil {
			add("edit", "edit the summary in your editor", func() tea.Cmd { return c.front.Screen.EditSummary(now.Summary) })
		}
		if now.CanUndo {
			add("undo", "undo the summary", send(event.EditContext{Step: event.CompactUndo}))
		}
	case item.ID == "" || item.Kind == event.NoteItem:
		c.Say("This part of the context cannot be changed.")
		return nil
	default:
		if item.Pinned {
			add("unpin", "allow a compaction to shorten it", send(event.EditContext{Step: event.CompactUnpin, Item: item.ID}))
		} else {
			add("pin", "keep it complete in the context", send(event.EditContext{Step: event.CompactPin, Item: item.ID}))
		}
		if item.Kind != event.CallItem {
			add("drop", "remove its text from the context; the transcript is kept", send(event.EditContext{Step: event.CompactDrop, Item: item.ID}))
		}
	}
	u := &list.Menu{Chooser: list.Chooser{Keys: c.Keys, St: c.Styles}, Head: ink.SanitizeLine(item.Title), None: "No matching action.", Hint: "enter select · esc close"}
	var options []list.Option
	for _, a := range all {
		options = append(options, a.option)
	}
	u.Fill(options)
	u.Chose = func(o list.Option) tea.Cmd {
		for _, a := range all {
			if a.option.ID == o.ID {
				return a.run()
			}
		}
		return nil
	}
	return c.front.Lists.Show(u)
}
