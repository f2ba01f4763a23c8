package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// The theme list previews the marked theme. Enter saves it, esc restores the old one.
func TestThemeList(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		var kept []string
		d := newDriver(t, w, h, screen.Options{Appearance: screen.Appearance{SaveTheme: func(name string) error { kept = append(kept, name); return nil }}})
		d.events(asked()...)
		d.events(answered()...)
		d.events(closing()...)
		d.typeText("/theme")
		d.press("enter")
		d.golden("themes-" + size)
		d.press("down", "down", "down")
		if got := d.m.Look.Theme; got != ink.ThemeNames()[3] {
			t.Errorf("the marked theme is not previewed: %q", got)
		}
		d.press("esc")
		if got := d.m.Look.Theme; got != ink.ThemeNames()[0] || kept != nil {
			t.Errorf("theme %q after esc, saved %q", got, kept)
		}
		d.typeText("/theme")
		d.press("enter")
		d.typeText("gruv")
		d.press("enter")
		if got := d.m.Look.Theme; got != "gruvbox" || len(kept) != 1 || kept[0] != "gruvbox" {
			t.Errorf("theme %q, saved %q", got, kept)
		}
		if !strings.Contains(d.screen(), "Theme set to gruvbox.") {
			t.Errorf("the confirmation is missing:\n%s", d.screen())
		}
	})
}

func TestThemeByName(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Appearance: screen.Appearance{SaveTheme: func(string) error { return errors.New("the disk is full") }}})
	d.typeText("/theme purple")
	d.press("enter")
	if !strings.Contains(d.screen(), "unknown theme purple: use terminal, dark") {
		t.Errorf("screen:\n%s", d.screen())
	}
	d.press("ctrl+w") // delete the wrong name
	d.typeText("dark")
	d.press("enter")
	if !strings.Contains(d.screen(), "cannot save the theme") || d.m.Look.Theme != "dark" {
		t.Errorf("theme %q, screen:\n%s", d.m.Look.Theme, d.screen())
	}
}

// The text of the screen is the same in every theme and color profile.
func TestThemesShowTheSameText(t *testing.T) {
	want := ""
	for _, name := range ink.ThemeNames() {
		for _, can := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.ASCII} {
			d := newDriver(t, 80, 40, screen.Options{Appearance: screen.Appearance{Theme: name}})
			d.send(tea.ColorProfileMsg{Profile: can})
			d.send(tea.BackgroundColorMsg{Color: lightGrey{}})
			d.events(asked()...)
			d.armDialog()
			d.press("1")
			d.events(answered()...)
			d.events(closing()...)
			d.press("ctrl+t")
			if want == "" {
				want = strings.ReplaceAll(d.screen(), "`", "")
			}
			if diff := cmp.Diff(strings.ReplaceAll(d.screen(), "`", ""), want); diff != "" {
				t.Errorf("%s with %v (-got +want):\n%s", name, can, diff)
			}
			if got := d.m.View().Content; can == colorprofile.ASCII && strings.Contains(got, "\x1b[3") {
				t.Errorf("%s: colors without color support: %q", name, got)
			}
		}
	}
}

// The terminal's background is queried again after a focus gain, a resume and a change
// of its color scheme.
func TestBackgroundIsQueriedAgain(t *testing.T) {
	for _, msg := range []tea.Msg{tea.FocusMsg{}, tea.ResumeMsg{}, uv.LightColorSchemeEvent{}} {
		d := newDriver(t, 80, 24, screen.Options{})
		_, cmd := d.m.Update(msg)
		if cmd == nil || fmt.Sprintf("%T", cmd()) != fmt.Sprintf("%T", tea.RequestBackgroundColor()) {
			t.Errorf("the background is not queried after %T", msg)
		}
	}
}
