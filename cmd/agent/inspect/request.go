package inspect

import (
	"context"
	"encoding/json"
	"fmt"

	"agent/cmd/agent/models"
	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/catalog"
	"agent/internal/loop/event"
	"agent/internal/loop/inspect"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
)

// Source is the session whose requests are rebuilt.
type Source struct {
	Settings settings.Settings
	View     *history.View
	Prefix   Prefix                // for sessions that did not record theirs
	Damaged  func(history.Problem) // reports damage of the log; may be nil
}

// Request is a rebuilt request.
type Request struct {
	Session string `json:"session"`
	Step    int    `json:"step"`
	Steps   int    `json:"steps"` // of the session
	Model   string `json:"model"`
	Dialect string `json:"dialect"`
	// Rebuilt is set if the session did not record its system prompt and tools, so
	// that the current ones are used.
	Rebuilt      bool                    `json:"rebuilt_with_todays_prompt"`
	Instructions []event.InstructionFile `json:"instructions,omitempty"`
	Parts        []inspect.Part          `json:"parts"`
	Tokens       int                     `json:"tokens_estimated"`
	Usage        llm.Usage               `json:"usage"`             // as the provider counted
	Since        *inspect.Change         `json:"changes,omitempty"` // since the previous step; nil for the first one
	Compacted    []string                `json:"compacted,omitempty"`
	Request      json.RawMessage         `json:"request"`
}

// Rebuild rebuilds the request of a step in a dialect. Step 0 is the last one; an empty
// dialect is that of the model.
func Rebuild(ctx context.Context, from Source, step int, d catalog.Dialect) (Request, error) {
	state, err := session.ReplayLog(ctx, from.View, from.Damaged)
	if err != nil {
		return Request{}, fmt.Errorf("read the log: %w", err)
	}
	return from.request(state.Events, step, d)
}

// request rebuilds the request of a step. The events are those of the session, without
// rewound ones.
func (from Source) request(events []event.Durable, step int, d catalog.Dialect) (Request, error) {
	s, err := session.SentAt(events, step)
	if err != nil {
		return Request{}, err
	}
	header := from.View.Header()
	in := catalog.Input{Changes: from.Settings.Changes(), ServerLimits: models.ServerLimits}
	choice := in.Described(s.Model.Model, s.Model.BaseURL, d)
	model := turn.Model{Name: s.Model.Model, ID: choice.Model, Effort: s.Model.Effort, Context: choice.Info.Context, NoImages: choice.Info.Vision != nil && !*choice.Info.Vision}
	r := Request{Session: header.ID, Step: s.Step, Steps: s.Steps, Model: s.Model.Model, Dialect: string(choice.Dialect()), Usage: s.End.Usage}
	if r.Rebuilt = s.Prefix == nil; r.Rebuilt {
		if s.Prefix, err = from.Prefix(from.Settings, header.Dir, model); err != nil {
			return r, err
		}
	}
	req := turn.NewRequest(*s.Prefix, s.Messages, model)
	req.CacheKey = header.ID
	if r.Request, err = choice.Encode(req); err != nil {
		return r, err
	}
	r.Instructions, r.Parts = s.Prefix.Instructions, inspect.Parts(req)
	r.Tokens = inspect.Sum(r.Parts)
	for _, e := range s.Notes {
		r.Compacted = append(r.Compacted, e.(*event.Compacted).Why)
	}
	if s.Step > 1 {
		before, err := session.SentAt(events, s.Step-1)
		if err != nil {
			return r, err
		}
		if before.Prefix == nil {
			before.Prefix = s.Prefix
		}
		c := inspect.Compare(turn.NewRequest(*before.Prefix, before.Messages, model), req)
		r.Since = &c
	}
	return r, nil
}
