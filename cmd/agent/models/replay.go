package models

import (
	"context"
	"encoding/json"
	"net/http"

	"agent/cmd/agent/command"
	"agent/internal/llm/catalog"
	"agent/internal/llm/recording"
)

// replayed returns the recorded model called name; the first one if name is empty. It
// has no credentials.
func (p *Picker) replayed(name string) (catalog.Choice, error) {
	m, err := p.Player.Model(name)
	if err != nil {
		return catalog.Choice{}, command.Usage("--replay: %w", err)
	}
	in := p.input(context.Background(), "")
	in.ServerLimits = nil // facts about the server of the recording
	c := in.Described(m.Name, m.BaseURL, catalog.Dialect(m.Dialect))
	if !c.Info.Exact && json.Unmarshal(m.Info, &c.Info) != nil {
		c.Info = catalog.Info{}
	}
	c.Why, c.Named = "replayed from a recording", true
	return c, nil
}

// wrap makes a choice record its traffic, or replay it.
func (p *Picker) wrap(c *catalog.Choice) {
	switch {
	case p.Player != nil:
		c.Wrap = func(http.RoundTripper) http.RoundTripper { return p.Player }
	case p.Recorder != nil:
		info, _ := json.Marshal(c.Info)
		p.Recorder.Add(recording.Model{Name: c.ID(), Dialect: string(c.Dialect()), BaseURL: c.At(), Info: info})
		c.Wrap = p.Recorder.Wrap
	}
}
