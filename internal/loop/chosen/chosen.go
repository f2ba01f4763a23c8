// Package chosen makes the model of a turn from a choice of the catalog. It reads no
// configuration and sends no request. Start reading at Model.
package chosen

import (
	"agent/internal/llm/catalog"
	"agent/internal/llm/offline"
	"agent/internal/llm/text"
	"agent/internal/loop/turn"
)

// Model returns the model of a choice, without connecting yet and without fallbacks.
func Model(c catalog.Choice) (turn.Model, error) {
	m := turn.Model{
		Name: c.ID(), ID: c.Model, Why: c.Why,
		Context: c.Info.Context, Cost: c.Info.Cost, NoImages: c.Info.Vision != nil && !*c.Info.Vision,
	}
	if c.Offline() {
		m.Provider = offline.New()
		return m, nil
	}
	m.BaseURL, m.Host, m.Memory = c.At(), c.Host(), c
	if c.Info.Assumed {
		m.Window = &turn.AssumedWindow{Measure: c.Window, Advice: c.Provider.RaiseWindow()}
	}
	if q := c.Confirm; q != nil {
		m.Confirm = &turn.Confirm{Question: q.Question, Why: q.Why, Remedy: q.Remedy}
	}
	provider, err := c.Connect()
	if err != nil {
		return m, err
	}
	asText := text.Wrap(provider, text.Form(c.Info.Form))
	if c.Info.TextToolCalls() {
		m.Provider = asText
		return m, nil
	}
	m.Provider, m.AsText, m.WebSearch = provider, asText, c.SearchesWeb()
	m.NoTools = func() { c.Learn(catalog.NoTools) }
	return m, nil
}
