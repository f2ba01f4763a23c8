package main

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"agent/internal/history"
	"agent/internal/llm/catalog"
	"agent/internal/llm/offline"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tui"
)

// typeIn says in o what helps to type.
func (a *app) typeIn(o *tui.Options) {
	o.Vi = a.set.Editor == "vim"
	o.Editor = personsEditor(os.Getenv)
	o.Blind = blindTo(changesOf(a.set))
	if a.store != nil {
		o.Earlier = earlier(a.store, a.dir, a.id())
	}
}

// personsEditor returns what edits a file in the editor that the person chose;
// nil if they chose none.
func personsEditor(getenv func(string) string) func(path string) *exec.Cmd {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if line := strings.TrimSpace(getenv(name)); line != "" {
			return func(path string) *exec.Cmd {
				c := editing(line, path)
				c.Env = withoutKeys(c.Environ())
				c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr // the terminal itself, and no copy of what comes from it
				return c
			}
		}
	}
	return nil
}

// blindTo reports which models are known to see no images.
func blindTo(known catalog.Changes) func(model string) bool {
	return func(model string) bool {
		if model == offline.Name {
			return true
		}
		provider, name, _ := strings.Cut(model, "/")
		sees := known.Lookup(provider, name).Vision
		return sees != nil && !*sees
	}
}

const (
	earlierSessions = 50              // that are looked into for what was said
	earlierTime     = 2 * time.Second // that it may take: what was found by then will do
)

// earlier returns what returns the prompts of the other sessions of a directory.
// The sessions themselves are read: what was removed with one is not found
// again, and what is kept nowhere is not kept for this either. What was taken back
// was said all the same, in the current session too, whose screen knows the rest.
func earlier(store *history.Store, dir, current string) func(context.Context, int) []string {
	return func(ctx context.Context, limit int) []string {
		ctx, stop := context.WithTimeout(ctx, earlierTime)
		defer stop()
		sessions, err := entries(ctx, store, dir)
		if err != nil {
			return nil // as if there were none: nothing but convenience is lost
		}
		slices.SortStableFunc(sessions, func(a, b entry) int { return b.Modified.Compare(a.Modified) })
		sessions = slices.DeleteFunc(sessions, func(e entry) bool { return e.ID == current })
		var latest []string
		for _, e := range sessions[:min(len(sessions), earlierSessions)] {
			latest = promptsOf(ctx, store, e.ID, latest, limit)
		}
		slices.Reverse(latest)
		if current == "" {
			return latest
		}
		for _, t := range takenBack(ctx, store, current) {
			if said, ok := t.Event.(*event.UserSaid); ok && !said.Auto && said.Text != event.GoOn {
				latest = append(latest, said.Text)
			}
		}
		return latest[max(len(latest)-limit, 0):]
	}
}

// promptsOf appends what was said in a session, the latest first, as long as
// there are fewer than limit. What was said twice in a row is there once.
func promptsOf(ctx context.Context, store *history.Store, id string, latest []string, limit int) []string {
	v, err := store.View(id)
	if err != nil {
		return latest
	}
	defer v.Close()
	for r, err := range v.Before(history.End) {
		if ctx.Err() != nil || len(latest) >= limit {
			break
		}
		if err != nil {
			continue
		}
		if text, ok := session.PromptIn(r.Body); ok && text != event.GoOn && (len(latest) == 0 || latest[len(latest)-1] != text) {
			latest = append(latest, text)
		}
	}
	return latest
}
