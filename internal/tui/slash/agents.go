package slash

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// agentsUsage describes the arguments of /agents.
const agentsUsage = "usage: /agents [start NAME TASK | stop N | steer N TEXT | background N]"

// agentsCommand lists delegates and agents, or acts on one.
func agentsCommand(s *Session, arg string) (tea.Cmd, error) {
	verb, rest, _ := strings.Cut(arg, " ")
	first, text, _ := strings.Cut(strings.TrimSpace(rest), " ")
	text = strings.TrimSpace(text)
	switch {
	case arg == "":
		return s.Agents.Show(), nil
	case verb == "start" && first != "":
		return nil, s.Agents.start(first, text)
	case verb != "stop" && verb != "steer" && verb != "background" || first == "" || verb == "steer" && text == "" || verb != "steer" && text != "":
		return nil, errors.New(agentsUsage)
	}
	d, err := s.Agents.running(first)
	if err != nil {
		return nil, err
	}
	switch verb {
	case "stop":
		s.agent.SendCommand(event.StopDelegate{ID: d.ID})
	case "steer":
		s.agent.SendCommand(event.SteerDelegate{ID: d.ID, Text: text})
		s.Say("Sent to " + transcript.DelegateLabel(d.Name, d.ID) + ": " + text)
	default:
		if transcript.InBackground(d) {
			return nil, errors.New(transcript.DelegateLabel(d.Name, d.ID) + " works in the background already.")
		}
		s.agent.SendCommand(event.DetachDelegate{ID: d.ID})
	}
	return nil, nil
}

// Agents lists the delegates and the agents that can be started.
type Agents struct {
	*screen.Window
	output
	front     *Front
	agent     *screen.Sender
	delegates *screen.Delegates
	editor    *editor.Editor
}

// start starts an agent with a task. Its error says why that is not possible.
func (a *Agents) start(name, task string) error {
	if problem := a.delegates.Check(name, task); problem != "" {
		return errors.New(problem)
	}
	a.agent.StartDelegate(name, task)
	return nil
}

// running returns the running delegate with a typed number.
func (a *Agents) running(number string) (event.Delegate, error) {
	id, err := strconv.Atoi(number)
	if err != nil {
		return event.Delegate{}, errors.New("name a delegate by its number, such as 2 for explore 2: /agents lists them")
	}
	d, ok := a.delegates.Find(id)
	switch {
	case !ok:
		return d, errors.New("There is no delegate " + number + ". /agents lists them.")
	case !d.Running():
		return d, errors.New(transcript.DelegateLabel(d.Name, id) + " has ended.")
	}
	return d, nil
}

// agentWords returns the completions of /agents.
func agentWords(s *Session) []string {
	var words []string
	for _, a := range s.Agents.delegates.Agents() {
		words = append(words, "start "+a.Name+" ")
	}
	for _, verb := range []string{"stop", "steer", "background"} {
		for _, d := range transcript.RunningDelegates(s.Agents.delegates.All()) {
			if verb == "background" && transcript.InBackground(d) {
				continue
			}
			word := verb + " " + strconv.Itoa(d.ID)
			if verb == "steer" {
				word += " "
			}
			words = append(words, word)
		}
	}
	return words
}

// Show opens the list of the delegates and of the agents that can be started. In plain
// mode it prints them.
func (a *Agents) Show() tea.Cmd {
	if a.front.Screen == nil {
		if a.Options.ReadAgents != nil {
			a.Options.ReadAgents()
		}
		a.print()
		return nil
	}
	a.agent.Send(event.ListDelegates{})
	l := &agentList{delegates: a.delegates, send: a.agent.Send, open: a.front.Screen.Delegate, editor: a.editor}
	l.Menu = list.Menu{Chooser: list.Chooser{Keys: a.Keys, St: a.Styles, Under: list.DetailRows}, Head: "Delegates and agents", None: "No matching delegate or agent.", Chose: l.choose, Detail: l.describe}
	l.Fill(l.options())
	return tea.Batch(a.front.Lists.Show(l), a.read())
}

// agentsRead is the message that the agents were read again. The list takes them when it
// is drawn.
type agentsRead struct{}

// read returns the command that reads the agents again.
func (a *Agents) read() tea.Cmd {
	read := a.Options.ReadAgents
	if read == nil {
		return nil
	}
	return func() tea.Msg {
		read()
		return agentsRead{}
	}
}

// print prints what Show lists.
func (a *Agents) print() {
	var lines []string
	for _, d := range a.delegates.All() {
		line := transcript.DelegateLabel(d.Name, d.ID) + ": " + transcript.DelegateNow(d) + ", " + strings.Join(a.delegates.Usage(d), ", ")
		if transcript.InBackground(d) {
			line += ", in the background"
		}
		lines = append(lines, line+": "+ink.SanitizeLine(d.Task))
	}
	for _, kind := range a.delegates.Agents() {
		lines = append(lines, event.Mention+ink.SanitizeLine(kind.Name)+": "+agentSummary(kind))
	}
	if len(lines) == 0 {
		a.Say("There are no agents in this session.")
		return
	}
	a.output.Show(&transcript.Report{Summary: strings.Join(lines, "\n")})
}

// agentSummary describes an agent with its source.
func agentSummary(a screen.Agent) string {
	if a.Source == "" {
		return ink.SanitizeLine(a.Description)
	}
	return ink.SanitizeLine(a.Description) + " (" + ink.SanitizeLine(a.Source) + ")"
}

// agentList is the list of /agents: running delegates, those that have ended, and
// agents. It follows both while it is open.
type agentList struct {
	list.Menu
	delegates *screen.Delegates
	send      func(event.Command)
	open      func(id int, typing bool) tea.Cmd // opens the transcript of a delegate
	editor    *editor.Editor
}

// options returns the rows of the list: delegates that run, the oldest first, those that
// have ended, the latest first, and agents.
func (l *agentList) options() []list.Option {
	var running, ended, all []list.Option
	for _, d := range l.delegates.All() {
		facts := l.delegates.Usage(d)
		switch { // the other facts are below the list
		case l.Width < 60:
			facts = facts[:1]
		case l.Width < 100:
			facts = facts[:min(len(facts), 2)]
		}
		o := list.Option{
			ID: "delegate " + strconv.Itoa(d.ID), Name: transcript.DelegateLabel(d.Name, d.ID),
			What: transcript.DelegateNow(d) + " · " + ink.SanitizeLine(d.Task), Right: strings.Join(facts, " · "),
		}
		if d.Running() {
			running = append(running, o)
		} else {
			o.Last = true
			ended = append(ended, o)
		}
	}
	slices.Reverse(ended)
	all = append(running, ended...)
	for _, a := range l.delegates.Agents() {
		source := ink.SanitizeLine(a.Source)
		if source == "" {
			source = "built in"
		}
		all = append(all, list.Option{ID: event.Mention + a.Name, Name: event.Mention + ink.SanitizeLine(a.Name), What: ink.SanitizeLine(a.Description), Right: source, Last: true})
	}
	return all
}

// delegate returns the delegate of an option. It reports false for an agent.
func (l *agentList) delegate(o list.Option) (event.Delegate, bool) {
	number, ok := strings.CutPrefix(o.ID, "delegate ")
	if !ok {
		return event.Delegate{}, false
	}
	id, _ := strconv.Atoi(number)
	return l.delegates.Find(id)
}

// Update implements list.Overlay.
func (l *agentList) Update(msg tea.Msg) (cmd tea.Cmd, over bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		if cmd, over, taken := l.act(key.String()); taken {
			return cmd, over
		}
	}
	return l.Menu.Update(msg)
}

// act handles the keys that act on the marked delegate. It reports whether k is one of
// them.
func (l *agentList) act(k string) (cmd tea.Cmd, over, taken bool) {
	o, _ := l.Marked()
	d, ok := l.delegate(o)
	running := ok && d.Running()
	switch {
	case l.Keys.Is(k, keys.SteerDelegate) && running:
		return l.open(d.ID, true), true, true
	case l.Keys.Is(k, keys.StopDelegate) && running:
		l.send(event.StopDelegate{ID: d.ID})
	case l.Keys.Is(k, keys.DetachDelegate) && running && !transcript.InBackground(d):
		l.send(event.DetachDelegate{ID: d.ID})
	default:
		return nil, false, l.Keys.Is(k, keys.SteerDelegate) || l.Keys.Is(k, keys.StopDelegate) || l.Keys.Is(k, keys.DetachDelegate)
	}
	return nil, false, true
}

// Lines implements list.Overlay.
func (l *agentList) Lines() ([]string, *tea.Cursor) {
	l.Fill(l.options())
	l.Hint = l.hint()
	return l.Menu.Lines()
}

// hint returns the keys that do something with the marked row, the most important
// last.
func (l *agentList) hint() string {
	k := l.Keys.Name
	o, marked := l.Marked()
	d, ok := l.delegate(o)
	hints := []string{"type to search"}
	switch {
	case !marked:
	case !ok:
		hints = append(hints, k(keys.Send)+" put it into the prompt")
	default:
		hints = append(append(hints, l.delegates.Hints(d)...), k(keys.Send)+" open")
	}
	return strings.Join(append(hints, "esc close"), " · ")
}

// choose opens a delegate, or puts the mention of an agent before the prompt.
func (l *agentList) choose(o list.Option) tea.Cmd {
	if d, ok := l.delegate(o); ok {
		return l.open(d.ID, false)
	}
	draft := strings.TrimLeft(l.editor.Raw(), " \n")
	l.editor.Set(o.ID + " " + draft)
	return nil
}

// describe returns the details of a row.
func (l *agentList) describe(o list.Option, width int) []string {
	text := o.What
	if d, ok := l.delegate(o); ok {
		text = ink.SanitizeLine(d.Task)
		facts := l.delegates.Usage(d)
		if d.Model != "" {
			facts = append([]string{ink.SanitizeLine(d.Model)}, facts...)
		}
		if transcript.InBackground(d) {
			facts = append(facts, "in the background")
		}
		text += "\n" + transcript.DelegateNow(d) + " · " + strings.Join(facts, " · ")
	} else {
		text += "\n" + o.ID + " TASK starts it in the background · " + o.Right
	}
	return ink.Hang(" ", ink.RenderLines(l.St.Dim, ink.Wrap(text, max(width-ink.Gutter, 1))))
}
