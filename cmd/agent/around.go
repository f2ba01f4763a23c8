package main

import (
	"bytes"
	"context"
	"os"
	"time"

	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tui"
)

// around tells the screen of what lies outside of the session: the terminal,
// the clipboard, the repository, and what the person set.
func (a *app) around(o *tui.Options) {
	o.Keys, o.Status = a.set.Keys, a.set.Status
	o.Terminal = terminalOf(a.set, os.Getenv)
	o.Copy = newClipboard().copy
	o.BranchNow = func() string {
		name, _ := branch(a.dir)
		return name
	}
	if a.log != nil {
		o.Spent = a.spent
	}
	if a.pick.keys != nil {
		o.Models = a.models
	}
	known := remembered(os.Getenv)
	state := known.read()
	o.Recent = state.Recent
	o.Remember = func(recent []string) { known.change(func(s *screenState) { s.Recent = recent }) }
}

// welcome is what the first start without a model begins with; empty at every
// other, and where the person said what shall answer or what to do.
func (a *app) welcome(prompts []tui.Prompt) string {
	known := remembered(os.Getenv)
	if len(prompts) > 0 || a.pick.flags.model != "" || os.Getenv("AGENT_MODEL") != "" || known.read().Welcomed {
		return ""
	}
	known.change(func(s *screenState) { s.Welcomed = true })
	return guide
}

// quickly is how long what is known of models without asking anybody may take.
const quickly = 100 * time.Millisecond

// models are those that can be used, and what the others need. Without whole,
// nobody is asked, and what nobody asked is left out.
func (a *app) models(ctx context.Context, whole bool) ([]tui.Model, error) {
	if !whole {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, quickly)
		defer stop()
	}
	in := a.pick.input(ctx, "")
	in.Wait = modelsTime
	only := ""
	if a.pick.flags.baseURL != "" { // which is the address of the provider that was chosen
		only = a.pick.bound.provider
	}
	l, err := listing(ctx, in, only, whole && a.pick.probes())
	if err != nil {
		return nil, err
	}
	var models []tui.Model
	for _, d := range l.Models {
		models = append(models, tui.Model{Name: d.Model, Context: d.Context, Input: d.Input, Output: d.Output, Why: d.Why, Default: d.Default})
	}
	if whole {
		for _, d := range l.Missing {
			models = append(models, tui.Model{Name: d.Provider, Needs: d.Needs})
		}
	}
	return models, nil
}

// spent returns what each model has used, by the log, and how much of that was
// taken back: it costs as much as the rest.
func (a *app) spent() (all []tui.Spent, back tui.Spent, err error) {
	if !a.begun() {
		return nil, back, nil
	}
	v, err := a.log.View()
	if err != nil {
		return nil, back, err
	}
	defer v.Close()
	for r, err := range v.From(0) {
		if err != nil || !bytes.Contains(r.Body, []byte(`"step_end"`)) {
			continue // damage was told when the session was opened
		}
		if e, err := event.Decode(r.Body); err == nil {
			if step, ok := e.(*event.StepEnd); ok {
				all = tui.SpentBy(all, step)
			}
		}
	}
	taken, err := session.TakenBack(context.Background(), v)
	for _, t := range taken {
		if step, ok := t.Event.(*event.StepEnd); ok {
			back.Add(step)
		}
	}
	return all, back, err
}
