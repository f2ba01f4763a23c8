package tui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// The list of models begins with those that were selected recently, also in earlier sessions.
func TestRecentModelsFirst(t *testing.T) {
	var saved [][]string
	d := newDriver(t, 80, 24, screen.Options{
		RecentModels: []string{"beta/two"}, RememberModels: func(recent []string) { saved = append(saved, slices.Clone(recent)) },
		Models: screen.Models{List: func(context.Context, bool) ([]screen.Model, error) {
			return []screen.Model{{Name: "acme/one"}, {Name: "beta/two"}, {Name: "beta/three"}, {Name: "corp", Needs: "set CORP_API_KEY"}}, nil
		}}})
	order := func(names ...string) {
		t.Helper()
		s, at := d.screen(), 0
		for _, name := range names {
			i := strings.Index(s[at:], name)
			if i < 0 {
				t.Fatalf("want the order %v:\n%s", names, s)
			}
			at += i
		}
	}
	d.typeText("/model")
	d.press("enter")
	d.shows("recent")
	order("beta/two", "acme/one", "beta/three", "corp")
	d.typeText("three")
	d.press("enter")
	d.typeText("/model acme/one")
	d.press("enter")
	d.wantCommands(event.SetModel{Model: "beta/three"}, event.SetModel{Model: "acme/one"})
	d.typeText("/model")
	d.press("enter")
	order("acme/one", "beta/three", "beta/two", "corp")
	if len(saved) == 0 || !slices.Equal(saved[len(saved)-1], []string{"acme/one", "beta/three", "beta/two"}) {
		t.Errorf("saved %v", saved)
	}
}
