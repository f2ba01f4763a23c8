package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"agent/cmd/agent/exit"
	"agent/cmd/agent/inspect"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/stored"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools/workspace"
)

// currentPrefix returns a function that returns the prefix that a new session would send.
// If the directory is gone, a temporary one replaces it.
func currentPrefix(end *exit.Signals) inspect.Prefix {
	return func(set settings.Settings, dir string, m turn.Model) (*event.Prefix, error) {
		a := &app{dir: dir, set: set, end: end}
		if _, err := os.Stat(a.dir); err != nil {
			if a.dir, err = os.MkdirTemp("", "agent-inspect-"); err != nil {
				return nil, fmt.Errorf("create a directory: %w", err)
			}
			defer os.Remove(a.dir)
		}
		var err error
		if a.work, err = workspace.Open(a.dir); err != nil {
			return nil, err
		}
		defer a.close()
		if err := a.addParts(true); err != nil {
			return nil, err
		}
		a.options.Models.Current = m
		p := loop.NewAgent(a.options).Prefix(m, nil)
		return &p, nil
	}
}

// inspectStep returns the function with which the screen shows the request of a step of the
// session r.
func inspectStep(r *stored.Session, set settings.Settings, end *exit.Signals) func(step int) (summary, request string, err error) {
	return func(step int) (summary, request string, err error) {
		if !r.Saved() {
			return "", "", errors.New("no request of this session has an answer yet")
		}
		v, err := r.Log.View()
		if err != nil {
			return "", "", err
		}
		defer v.Close()
		from := inspect.Source{Settings: set, View: v, Prefix: currentPrefix(end)} // damage was reported when the session was opened
		sent, err := inspect.Rebuild(context.Background(), from, step, "")
		if err != nil {
			return "", "", err
		}
		return sent.Summary(), sent.Body(), nil
	}
}
