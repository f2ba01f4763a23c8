package main

import (
	"os"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
	"agent/internal/llm/offline"
	"agent/internal/loop"
)

// picker finds the model that answers.
type picker struct {
	flags    flags
	settings settings.Settings
	last     string // the model used last, as PROVIDER/NAME
}

// model returns the model that name says, or where it is empty the one that the
// environment, the configuration and what was used before say, and what the
// person should know about that. A name that means nothing is wrong usage.
func (p picker) model(name string) (loop.Model, []string, error) {
	in := catalog.Input{Getenv: os.Getenv, Flag: name, Last: p.last, BaseURL: p.flags.baseURL, ConfigURL: p.settings.BaseURL}
	if p.settings.Model != "" {
		in.Config = []string{p.settings.Model}
	}
	choice, err := catalog.Resolve(in)
	if err != nil {
		return loop.Model{}, nil, usage("%w", err)
	}
	m := loop.Model{
		Name: choice.ID(), ID: choice.Model, Why: choice.Why,
		Context: choice.Info.Context, Cost: choice.Info.Cost,
	}
	if choice.Offline() {
		m.Provider = offline.New()
		return m, choice.Notices, nil
	}
	m.Provider, err = choice.Connect()
	return m, choice.Notices, err
}

// named returns the model of a name that the person gives while the program
// runs.
func (p picker) named(name string) (loop.Model, error) {
	m, _, err := p.model(name)
	m.Why = "you chose it"
	return m, err
}
