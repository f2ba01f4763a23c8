package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func TestJobs(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		now := event.JobsNow{Jobs: []event.Job{
			{ID: 1, Title: "npm run dev -- --port 8080 --host 0.0.0.0", Began: d.time.Add(-124 * time.Second), Lines: 120},
			{ID: 2, Title: "go test \x1b[2J./...", Began: d.time.Add(-time.Hour), State: "exit 1", Lines: 1},
		}}
		d.events(now)
		d.typeText("/jobs")
		d.press("enter")
		d.events(now, now)
		d.golden("jobs-" + size)
		d.typeText("/jobs stop 1")
		d.press("enter")
		d.wantCommands(event.ListJobs{}, event.StopJob{ID: 1})
		d.press("ctrl+c")
		d.golden("quit-with-jobs-" + size)
	})
}

func TestJobsUsage(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	for _, line := range []string{"/jobs stop", "/jobs 1", "/jobs stop it"} {
		d.typeText(line)
		d.press("enter")
		if !strings.Contains(d.screen(), "usage: /jobs [stop N]") {
			t.Errorf("%s shows no usage:\n%s", line, d.screen())
		}
		d.press("ctrl+u") // the command stays in the prompt
	}
	d.wantCommands()
	d.typeText("/jobs")
	d.press("enter")
	d.events(event.JobsNow{})
	if !strings.Contains(d.screen(), "no background jobs") {
		t.Errorf("the message that there are no jobs is missing:\n%s", d.screen())
	}
}
