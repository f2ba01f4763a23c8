package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// repository is what a repository configures, as the functions of screen.Trust see it.
type repository struct {
	items   []screen.TrustItem
	decided []string
	err     error
}

func (r *repository) options() screen.Options {
	return screen.Options{Trust: screen.Trust{
		Items: func() ([]screen.TrustItem, []string) { return r.items, nil },
		Decide: func(i screen.TrustItem, confirm bool) error {
			r.decided = append(r.decided, fmt.Sprint(i.Name, " ", i.Content, " ", confirm))
			return r.err
		},
	}}
}

// The exact content must be read to its end before it can be confirmed. What is stored is
// the content that was shown.
func TestTrustShowsTheWholeContent(t *testing.T) {
	content := "first\n" + strings.Repeat("line\n", 40) + "\x1b[2Jlast"
	r := &repository{items: []screen.TrustItem{{Kind: "hooks", Name: ".agent/hooks.json", File: ".agent/hooks.json", Content: content, Live: true, Effect: "It can run programs as you, outside the sandbox. Files that it runs but that are not shown can change later."}}}
	d := newDriver(t, 80, 24, r.options())
	d.run("/trust")
	r.items[0].Content = "changed after it was shown"
	d.advance(dialog.Quiet)
	d.golden("trust-80x24")
	d.press("1")
	if len(r.decided) > 0 || !d.m.dialog.Waits() {
		t.Fatalf("confirmed without reading it: %q", r.decided)
	}
	d.press("end")
	d.shows("last")
	d.advance(dialog.Quiet)
	d.press("1")
	if want := ".agent/hooks.json " + content + " true"; len(r.decided) != 1 || r.decided[0] != want {
		t.Errorf("decided %q\n%s", r.decided, d.screen())
	}
	d.shows("Confirmed: hooks .agent/hooks.json is used from now on.")
}

// Several items are in a list. A confirmed one can be revoked; esc decides nothing.
func TestTrustList(t *testing.T) {
	r := &repository{items: []screen.TrustItem{
		{Kind: "mcp", Name: "git\x1b[2Jhub", File: ".mcp.json", Content: "{}"},
		{Kind: "lsp", Name: "gopls", File: ".agent/lsp.json", Content: "gopls", Confirmed: true},
	}, err: errors.New("disk full")}
	d := newDriver(t, 80, 24, r.options())
	d.run("/trust")
	d.golden("trust-list-80x24")
	d.press("enter")
	d.shows("Use mcp git")
	d.armDialog()
	d.press("enter") // Not now
	if len(r.decided) > 0 {
		t.Errorf("enter decided %q", r.decided)
	}
	d.run("/trust")
	d.press("down", "enter")
	d.shows("Revoke lsp gopls of this repository?")
	d.armDialog()
	d.press("1")
	if len(r.decided) != 1 || r.decided[0] != "gopls gopls false" {
		t.Errorf("decided %q", r.decided)
	}
	d.shows("Cannot change the confirmation: disk full")
	r.items = []screen.TrustItem{{Kind: "mcp", Name: "shop", File: ".mcp.json", Content: "{}", Changed: true}}
	d.run("/trust")
	d.shows("The content has changed since you confirmed it.")
	d.armDialog()
	d.press("esc")
	r.items = nil
	d.run("/trust")
	d.shows("This repository configures nothing that needs a confirmation.")
}
