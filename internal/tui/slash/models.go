package slash

import (
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

// Models knows the models that can be used, and shows them in a list, in the
// suggestions and in the welcome.
type Models struct {
	*screen.Conversation
	lists    Lists
	asking   bool            // the models are being found out
	choosing *list.Menu      // the list that one is chosen from
	greeting *transcript.Row // the welcome, where there is one
}

// modelsRead brings the models that there are: at first those that are known at
// once, then all.
type modelsRead struct {
	models []screen.Model
	whole  bool
	err    error
}

// read returns the command that finds out which models there are.
func (p *Models) read(whole bool) tea.Cmd {
	if p.Options.Models.List == nil {
		return nil
	}
	read := p.Options.Models.List
	return func() tea.Msg {
		models, err := read(context.Background(), whole)
		return modelsRead{models, whole, err}
	}
}

// ReadFor sees to it that models are known once somebody is about to type
// the name of one.
func (p *Models) ReadFor(command string) tea.Cmd {
	if command != "model" || p.KnownModels != nil || p.asking {
		return nil
	}
	p.asking = true
	return p.read(false)
}

// take takes the models, wherever they are shown.
func (p *Models) take(r modelsRead) {
	p.asking = false
	if r.err == nil && (r.whole || p.KnownModels == nil) {
		p.KnownModels = merged(p.KnownModels, r.models)
	}
	if u := p.choosing; u != nil {
		u.Fill(p.options())
		switch {
		case r.err != nil:
			u.Right, u.None = "", ink.SanitizeLine(r.err.Error())
		case r.whole:
			u.Right, u.None = "", "no model fits: PROVIDER/NAME can be typed as well"
		}
	}
	p.welcomed(r)
}

// merged returns the models of now, those that were known before in their old
// order: what somebody looks at does not move.
func merged(before, now []screen.Model) []screen.Model {
	place := func(d screen.Model) int {
		if i := slices.IndexFunc(before, func(b screen.Model) bool { return b.Name == d.Name }); i >= 0 {
			return i
		}
		return len(before)
	}
	now = slices.Clone(now)
	slices.SortStableFunc(now, func(a, b screen.Model) int { return place(a) - place(b) })
	return now
}

// modelCommand changes the model that answers: to the one named, else to one that
// is chosen from a list.
func modelCommand(s *Session, name string) (tea.Cmd, error) {
	if name != "" {
		s.SendCommand(event.SetModel{Model: name})
		return nil, nil
	}
	return s.Models.Show(), nil
}

// Show opens the list of models.
func (p *Models) Show() tea.Cmd {
	if p.Options.Models.List == nil {
		p.Say(p.AboutModel() + " /model PROVIDER/NAME changes it.")
		return nil
	}
	u := &list.Menu{Chooser: list.Chooser{Keys: p.Keys, St: p.Styles, Under: list.DetailRows}, Head: "choose a model", Right: "looking …", None: "looking for models …",
		Hint: "type to search · enter takes it · esc closes", Chose: p.choose, Detail: p.describe, Free: anyModel}
	u.First = p.Feed.Model
	u.Fill(p.options())
	p.choosing = u
	cmds := []tea.Cmd{p.lists.Show(u), p.read(true)}
	if p.KnownModels == nil {
		cmds = append(cmds, p.read(false))
	}
	return tea.Batch(cmds...)
}

// options are the models as entries of a list.
func (p *Models) options() []list.Option {
	var all []list.Option
	for _, d := range p.KnownModels {
		o := list.Option{ID: d.Name, Name: ink.SanitizeLine(d.Name), What: d.Facts()}
		switch {
		case d.Needs != "":
			o.What, o.Last, o.Dim = ink.SanitizeLine(d.Needs), true, true
		case d.Name == p.Feed.Model:
			o.Right = "this one"
		case d.Default:
			o.Right = "its default"
		}
		all = append(all, o)
	}
	return all
}

// anyModel is the model of a name that is in no list.
func anyModel(typed string) (list.Option, bool) {
	if provider, name, ok := strings.Cut(typed, "/"); !ok || provider == "" || name == "" || strings.ContainsAny(typed, " \t") {
		return list.Option{}, false
	}
	return list.Option{ID: typed, Name: ink.SanitizeLine(typed), What: "as typed"}, true
}

// choose has the chosen model answer.
func (p *Models) choose(o list.Option) tea.Cmd {
	i := slices.IndexFunc(p.KnownModels, func(d screen.Model) bool { return d.Name == o.ID })
	if i >= 0 && p.KnownModels[i].Needs != "" {
		p.Say(o.Name + " cannot be used yet. It needs: " + p.KnownModels[i].Needs)
		return nil
	}
	p.Send(event.SetModel{Model: o.ID})
	return nil
}

// describe tells all that is known of a model.
func (p *Models) describe(o list.Option, width int) []string {
	i := slices.IndexFunc(p.KnownModels, func(d screen.Model) bool { return d.Name == o.ID })
	if i < 0 {
		return nil
	}
	d := p.KnownModels[i]
	text := ink.SanitizeLine(d.Name)
	if d.Needs != "" {
		text += " needs: " + ink.SanitizeLine(d.Needs)
	} else {
		text += ": " + ink.SanitizeLine(d.Why)
	}
	if d.Context > 0 {
		text += "\na window of " + phrase.Thousands(d.Context) + " tokens"
	}
	if d.Input != nil && d.Output != nil && *d.Input+*d.Output > 0 {
		text += "\n" + screen.Price(*d.Input) + " for a million tokens in, " + screen.Price(*d.Output) + " out"
	}
	return ink.Hang(" ", ink.RenderLines(p.Styles.Dim, ink.Wrap(text, max(width-ink.Gutter, 1))))
}

// modelNames completes /model.
func modelNames(m *screen.Conversation) []string {
	names := []string{}
	for _, d := range m.KnownModels {
		if d.Needs == "" {
			names = append(names, d.Name)
		}
	}
	return names
}
