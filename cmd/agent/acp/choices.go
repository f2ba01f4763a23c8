package acp

import (
	"context"
	"slices"
	"strings"

	"github.com/coder/acp-go-sdk"

	"agent/internal/llm/offline"
	"agent/internal/loop/event"
)

// The IDs of the configuration options.
const (
	modeOption   = "mode"
	modelOption  = "model"
	effortOption = "effort"
)

// modeTexts describe the permission modes.
var modeTexts = map[event.Mode]string{
	event.ModeAsk:   "Ask before each edit and command",
	event.ModeEdits: "Auto-approve file edits, ask before commands",
	event.ModePlan:  "Read only: make a plan",
	event.ModeAll:   "Approve everything except what destroys data, writes outside or uses the network",
}

// efforts are the values of the option for reasoning effort.
var efforts = []string{event.DefaultEffort, "low", "medium", "high"}

// choices returns the configuration options, and the modes for editors that do not know
// options.
func (s *session) choices(ctx context.Context) ([]acp.SessionConfigOption, *acp.SessionModeState) {
	s.mu.Lock()
	modes := &acp.SessionModeState{CurrentModeId: acp.SessionModeId(s.mode)}
	s.mu.Unlock()
	for _, m := range s.opened.Modes {
		text := modeTexts[m]
		modes.AvailableModes = append(modes.AvailableModes, acp.SessionMode{Id: acp.SessionModeId(m), Name: m.Label(), Description: &text})
	}
	return s.options(ctx), modes
}

// options returns the configuration options with their current values.
func (s *session) options(ctx context.Context) []acp.SessionConfigOption {
	s.mu.Lock()
	mode, model := s.mode, s.chosen
	s.mu.Unlock()
	var modes, models, levels acp.SessionConfigSelectOptionsUngrouped
	for _, m := range s.opened.Modes {
		modes = append(modes, selectOption(string(m), m.Label(), modeTexts[m]))
	}
	all := s.opened.Models(ctx)
	if !slices.ContainsFunc(all, func(m Model) bool { return m.Name == model.Model }) {
		all = append([]Model{{Name: model.Model, Why: model.Why}}, all...)
	}
	for _, m := range all {
		models = append(models, selectOption(m.Name, m.Name, m.Why))
	}
	out := []acp.SessionConfigOption{
		selection(modeOption, "Permission mode", acp.SessionConfigOptionCategoryMode, string(mode), modes),
		selection(modelOption, "Model", acp.SessionConfigOptionCategoryModel, model.Model, models),
	}
	if model.Model == offline.Name {
		return out
	}
	effort := model.Effort
	if effort == "" {
		effort = event.DefaultEffort
	}
	values := efforts
	if !slices.Contains(values, effort) {
		values = append(slices.Clone(values), effort)
	}
	for _, e := range values {
		levels = append(levels, selectOption(e, e, ""))
	}
	return append(out, selection(effortOption, "Reasoning effort", acp.SessionConfigOptionCategoryThoughtLevel, effort, levels))
}

func selection(id, name string, category acp.SessionConfigOptionCategory, value string, values acp.SessionConfigSelectOptionsUngrouped) acp.SessionConfigOption {
	return acp.SessionConfigOption{Select: &acp.SessionConfigOptionSelect{
		Type: "select", Id: acp.SessionConfigId(id), Name: name, Category: &category, CurrentValue: acp.SessionConfigValueId(value),
		Options: acp.SessionConfigSelectOptions{Ungrouped: &values},
	}}
}

func selectOption(value, name, text string) acp.SessionConfigSelectOption {
	o := acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(value), Name: clean(name)}
	if text = clean(text); text != "" {
		o.Description = &text
	}
	return o
}

// setMode sets the permission mode, from the next tool call on.
func (s *session) setMode(id string) error {
	mode := event.Mode(id)
	if !slices.Contains(s.opened.Modes, mode) {
		var known []string
		for _, m := range s.opened.Modes {
			known = append(known, string(m))
		}
		return invalid("unknown permission mode %q: use %s", id, strings.Join(known, ", "))
	}
	s.mu.Lock()
	s.mode = mode
	s.mu.Unlock()
	s.outbox.Send(event.SetMode{Mode: mode})
	return nil
}

// setOption sets an option and returns the task that answers with all of them.
func (s *session) setOption(id, value string) (task, error) {
	var wait chan error
	switch id {
	case modeOption:
		if err := s.setMode(value); err != nil {
			return nil, err
		}
	case modelOption, effortOption:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.switching != nil {
			return nil, invalid("the model is already being changed: wait for the answer")
		}
		next := event.SetModel{Model: s.chosen.Model, Effort: value}
		if id == modelOption {
			next = event.SetModel{Model: value}
		}
		wait = make(chan error, 1)
		s.switching = wait
		s.outbox.Send(next)
	default:
		return nil, invalid("unknown option %q: use %s, %s or %s", id, modeOption, modelOption, effortOption)
	}
	return func(ctx context.Context) (any, func(), error) {
		if wait != nil {
			select {
			case err := <-wait:
				if err != nil {
					return nil, nil, invalid("%v", err)
				}
			case <-s.ended:
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		}
		return acp.SetSessionConfigOptionResponse{ConfigOptions: s.options(ctx)}, nil, nil
	}, nil
}
