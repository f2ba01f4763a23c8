package tui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/transcript"
)

// Model is a model that can be used, or a provider that something is missing
// for. Its texts are untrusted.
type Model struct {
	Name          string // PROVIDER/NAME, or PROVIDER alone
	Context       int    // tokens of its window, 0 if unknown
	Input, Output *float64
	Why           string // why it can be used
	Needs         string // what is missing; empty for one that can be used
	Default       bool   // what the provider's name alone means
}

// modelPicker knows the models that can be used, and shows them in a list, in the
// suggestions and in the welcome.
type modelPicker struct {
	*session
	lists    *listLayer
	asking   bool            // the models are being found out
	choosing *list.Menu      // the list that one is chosen from
	greeting *transcript.Row // the welcome, where there is one
}

// modelsRead brings the models that there are: at first those that are known at
// once, then all.
type modelsRead struct {
	models []Model
	whole  bool
	err    error
}

// read returns the command that finds out which models there are.
func (p *modelPicker) read(whole bool) tea.Cmd {
	if p.o.Models.List == nil {
		return nil
	}
	read := p.o.Models.List
	return func() tea.Msg {
		models, err := read(context.Background(), whole)
		return modelsRead{models, whole, err}
	}
}

// known sees to it that models are known once somebody is about to type
// the name of one.
func (p *modelPicker) known(command string) tea.Cmd {
	if command != "model" || p.models != nil || p.asking {
		return nil
	}
	p.asking = true
	return p.read(false)
}

// take takes the models, wherever they are shown.
func (p *modelPicker) take(r modelsRead) {
	p.asking = false
	if r.err == nil && (r.whole || p.models == nil) {
		p.models = merged(p.models, r.models)
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
func merged(before, now []Model) []Model {
	place := func(d Model) int {
		if i := slices.IndexFunc(before, func(b Model) bool { return b.Name == d.Name }); i >= 0 {
			return i
		}
		return len(before)
	}
	now = slices.Clone(now)
	slices.SortStableFunc(now, func(a, b Model) int { return place(a) - place(b) })
	return now
}

// modelCommand changes the model that answers: to the one named, else to one that
// is chosen from a list.
func modelCommand(m *model, name string) (tea.Cmd, error) {
	if name != "" {
		m.order(event.SetModel{Model: name})
		return nil, nil
	}
	return m.picker.show(), nil
}

// show opens the list of models.
func (p *modelPicker) show() tea.Cmd {
	if p.o.Models.List == nil {
		p.say(p.answering() + " /model PROVIDER/NAME changes it.")
		return nil
	}
	u := &list.Menu{Chooser: list.Chooser{Keys: p.keys, St: p.st, Under: list.DetailRows}, Head: "choose a model", Right: "looking …", None: "looking for models …",
		Hint: "type to search · enter takes it · esc closes", Chose: p.choose, Detail: p.describe, Free: anyModel}
	u.First = p.feed.Model
	u.Fill(p.options())
	p.choosing = u
	cmds := []tea.Cmd{p.lists.show(u), p.read(true)}
	if p.models == nil {
		cmds = append(cmds, p.read(false))
	}
	return tea.Batch(cmds...)
}

// options are the models as entries of a list.
func (p *modelPicker) options() []list.Option {
	var all []list.Option
	for _, d := range p.models {
		o := list.Option{ID: d.Name, Name: ink.SanitizeLine(d.Name), What: d.facts()}
		switch {
		case d.Needs != "":
			o.What, o.Last, o.Dim = ink.SanitizeLine(d.Needs), true, true
		case d.Name == p.feed.Model:
			o.Right = "this one"
		case d.Default:
			o.Right = "its default"
		}
		all = append(all, o)
	}
	return all
}

// facts are the window and the price of a model.
func (d Model) facts() string {
	var facts []string
	if d.Context > 0 {
		facts = append(facts, phrase.Thousands(d.Context))
	}
	switch {
	case d.Input == nil || d.Output == nil:
	case *d.Input == 0 && *d.Output == 0:
		facts = append(facts, "free")
	default:
		facts = append(facts, price(*d.Input)+" in, "+price(*d.Output)+" out")
	}
	return strings.Join(facts, " · ")
}

// price writes US dollars with at least the cents.
func price(usd float64) string {
	s := strconv.FormatFloat(usd, 'f', -1, 64)
	if _, cents, _ := strings.Cut(s, "."); len(cents) < 2 {
		s = fmt.Sprintf("%.2f", usd)
	}
	return "$" + s
}

// anyModel is the model of a name that is in no list.
func anyModel(typed string) (list.Option, bool) {
	if provider, name, ok := strings.Cut(typed, "/"); !ok || provider == "" || name == "" || strings.ContainsAny(typed, " \t") {
		return list.Option{}, false
	}
	return list.Option{ID: typed, Name: ink.SanitizeLine(typed), What: "as typed"}, true
}

// choose has the chosen model answer.
func (p *modelPicker) choose(o list.Option) tea.Cmd {
	i := slices.IndexFunc(p.models, func(d Model) bool { return d.Name == o.ID })
	if i >= 0 && p.models[i].Needs != "" {
		p.say(o.Name + " cannot be used yet. It needs: " + p.models[i].Needs)
		return nil
	}
	p.send(event.SetModel{Model: o.ID})
	return nil
}

// describe tells all that is known of a model.
func (p *modelPicker) describe(o list.Option, width int) []string {
	i := slices.IndexFunc(p.models, func(d Model) bool { return d.Name == o.ID })
	if i < 0 {
		return nil
	}
	d := p.models[i]
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
		text += "\n" + price(*d.Input) + " for a million tokens in, " + price(*d.Output) + " out"
	}
	return ink.Hang(" ", ink.RenderLines(p.st.Dim, ink.Wrap(text, max(width-ink.Gutter, 1))))
}

// modelNames completes /model.
func modelNames(m *session) []string {
	names := []string{}
	for _, d := range m.models {
		if d.Needs == "" {
			names = append(names, d.Name)
		}
	}
	return names
}
