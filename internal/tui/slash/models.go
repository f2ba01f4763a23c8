package slash

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// Models reads the available models, shows them in a list and in the suggestions, and
// greets a user without one.
type Models struct {
	*screen.Window
	output
	front    *Front
	feed     *transcript.Feed
	list     *transcript.Transcript // has the welcome at its head
	send     func(event.Command)
	connect  func(provider string) tea.Cmd // opens /connect
	reading  bool                          // LoadFor has started a read
	menu     *list.Menu                    // the list that was opened last; may be nil
	greeting *transcript.Row               // the welcome; nil if there is none
	known    []screen.Model                // the available models; nil until they are read
	recent   *list.Recent
}

// modelsRead is the result of reading the models.
type modelsRead struct {
	models   []screen.Model
	complete bool // providers and servers were queried
	err      error
}

// read returns the command that reads the models. If complete is set, it queries
// providers and servers, which takes a moment.
func (p *Models) read(complete bool) tea.Cmd {
	if p.Options.Models.List == nil {
		return nil
	}
	read := p.Options.Models.List
	return func() tea.Msg {
		models, err := read(context.Background(), complete)
		return modelsRead{models, complete, err}
	}
}

// LoadFor reads the models, once, if command takes the name of one.
func (p *Models) LoadFor(command string) tea.Cmd {
	if command != "model" || p.known != nil || p.reading {
		return nil
	}
	p.reading = true
	return p.read(false)
}

// apply updates everything that shows models.
func (p *Models) apply(r modelsRead) {
	p.reading = false
	if r.err == nil && (r.complete || p.known == nil) {
		p.known = merged(p.known, r.models)
	}
	if u := p.menu; u != nil {
		u.Fill(p.options())
		switch {
		case r.err != nil:
			u.Right, u.None = "", ink.SanitizeLine(r.err.Error())
		case r.complete:
			u.Right, u.None = "", "No matching model. You can also type PROVIDER/NAME."
		}
	}
}

// merged returns now with the models of before first, in their old order, so that
// rows on the screen do not move.
func merged(before, now []screen.Model) []screen.Model {
	index := func(d screen.Model) int {
		if i := slices.IndexFunc(before, func(b screen.Model) bool { return b.Name == d.Name }); i >= 0 {
			return i
		}
		return len(before)
	}
	now = slices.Clone(now)
	slices.SortStableFunc(now, func(a, b screen.Model) int { return index(a) - index(b) })
	return now
}

// modelCommand switches to the model called name. Without a name it opens the list of
// models.
func modelCommand(s *Session, name string) (tea.Cmd, error) {
	if name != "" {
		s.agent.SendCommand(event.SetModel{Model: name})
		return s.Models.recent.Use(name), nil
	}
	return s.Models.Show(), nil
}

// Show opens the list of models.
func (p *Models) Show() tea.Cmd {
	if p.Options.Models.List == nil {
		p.Say(screen.AboutModel(&p.feed.State) + " Switch with /model PROVIDER/NAME.")
		return nil
	}
	u := &list.Menu{Chooser: list.Chooser{Keys: p.Keys, St: p.Styles, Under: list.DetailRows}, Head: "Select a model", Right: "searching …", None: "Searching for models …",
		Hint: "type to search · enter select · esc close", Chose: p.choose, Detail: p.describe, Free: anyModel}
	u.First = p.feed.State.Model
	u.Fill(p.options())
	p.menu = u
	cmds := []tea.Cmd{p.front.Lists.Show(u), p.read(true)}
	if p.known == nil {
		cmds = append(cmds, p.read(false))
	}
	return tea.Batch(cmds...)
}

// options returns the models as list options, the recently selected ones first.
func (p *Models) options() []list.Option {
	var all []list.Option
	for _, d := range p.known {
		o := list.Option{ID: d.Name, Name: ink.SanitizeLine(d.Name), What: d.Summary()}
		switch {
		case d.Needs != "":
			o.What, o.Last, o.Dim = ink.SanitizeLine(d.Needs), true, true
		case d.Name == p.feed.State.Model:
			o.Right = "current"
		case p.recent.Used(d.Name):
			o.Right = "recent"
		case d.Default:
			o.Right = "default"
		}
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b list.Option) int { return p.recent.Rank(a.ID) - p.recent.Rank(b.ID) })
	return all
}

// anyModel returns the option for a typed PROVIDER/NAME that is not in the list.
func anyModel(typed string) (list.Option, bool) {
	if provider, name, ok := strings.Cut(typed, "/"); !ok || provider == "" || name == "" || strings.ContainsAny(typed, " \t") {
		return list.Option{}, false
	}
	return list.Option{ID: typed, Name: ink.SanitizeLine(typed), What: "as typed"}, true
}

// choose switches to the selected model.
func (p *Models) choose(o list.Option) tea.Cmd {
	i := slices.IndexFunc(p.known, func(d screen.Model) bool { return d.Name == o.ID })
	if i >= 0 && p.known[i].Needs != "" {
		if p.Options.Connect.Providers != nil {
			return p.connect(o.ID)
		}
		p.Say(o.Name + " is not connected. To connect it: " + p.known[i].Needs)
		return nil
	}
	return p.set(o.ID)
}

// set switches to the model called name, and remembers it.
func (p *Models) set(name string) tea.Cmd {
	p.send(event.SetModel{Model: name})
	return p.recent.Use(name)
}

// describe returns the details of a model.
func (p *Models) describe(o list.Option, width int) []string {
	i := slices.IndexFunc(p.known, func(d screen.Model) bool { return d.Name == o.ID })
	if i < 0 {
		return nil
	}
	d := p.known[i]
	text := ink.SanitizeLine(d.Name)
	text += ": " + ink.SanitizeLine(cmp.Or(d.Needs, d.Why))
	if d.Needs != "" && p.Options.Connect.Providers != nil {
		text = ink.SanitizeLine(d.Name) + " is not connected. Enter connects it.\n" + ink.SanitizeLine(d.Needs)
	}
	if d.Context > 0 {
		text += "\ncontext window: " + phrase.Thousands(d.Context) + " tokens"
	}
	if d.Input != nil && d.Output != nil && *d.Input+*d.Output > 0 {
		text += "\nper million tokens: " + phrase.Price(*d.Input) + " input, " + phrase.Price(*d.Output) + " output"
	}
	return ink.Hang(" ", ink.RenderLines(p.Styles.Dim, ink.Wrap(text, max(width-ink.Gutter, 1))))
}

// modelNames returns the completions of /model.
func modelNames(s *Session) []string {
	names := []string{}
	for _, d := range s.Models.known {
		if d.Needs == "" {
			names = append(names, d.Name)
		}
	}
	return names
}
