package tui

import (
	"errors"
	"strings"
	"testing"

	"agent/internal/tui/screen"
)

func TestInspectShowsARequestCollapsed(t *testing.T) {
	steps := []int{}
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Inspect: func(step int) (string, string, error) {
		steps = append(steps, step)
		if step == 9 {
			return "", "", errors.New("there is no step 9")
		}
		return "Step 2 of 3\x1b[2J\nsystem  620\n", "{\n  \"model\": \"m\"\n}\n", nil
	}}})
	send := func(text string) {
		d.typeText(text)
		d.press("enter")
	}
	send("/inspect")
	d.shows("Step 2 of 3", "system  620", "+ 3 lines")
	if strings.Contains(d.screen(), `"model"`) {
		t.Errorf("the request is not collapsed:\n%s", d.screen())
	}
	d.press("ctrl+o")
	d.shows(`"model": "m"`)
	send("/inspect 9")
	d.shows("Cannot inspect: there is no step 9")
	send("/inspect x")
	d.shows("usage: /inspect [STEP]")
	if len(steps) != 2 || steps[0] != 0 || steps[1] != 9 {
		t.Errorf("inspected the steps %v", steps)
	}
}
