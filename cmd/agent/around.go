package main

import (
	"bytes"
	"os"
	"time"

	"agent/cmd/agent/settings"
	"agent/internal/loop"
	"agent/internal/tui"
)

// around tells the screen of what lies outside of the session: the terminal,
// the clipboard, the repository, and what the person set.
func (a *app) around(o *tui.Options) {
	o.Keys, o.Status = a.set.Keys, a.set.Status
	o.Terminal = terminalOf(a.set, os.Getenv)
	o.Copy = newClipboard().copy
	o.BranchNow = func() string {
		name, _ := branch(a.dir)
		return name
	}
	if a.log != nil {
		o.Spent = a.spent
	}
}

// terminalOf is what is known of the terminal: by its variables, and by what
// the person set.
func terminalOf(set settings.Settings, getenv func(string) string) tui.Terminal {
	const least = 10 * time.Second
	t := tui.Terminal{Tmux: getenv("TMUX") != "", Notify: tui.Notify(set.Notify), Least: least}
	if set.NotifyAfter != nil {
		t.Least = time.Duration(*set.NotifyAfter) * time.Second
	}
	if t.Notify == "" || t.Notify == "auto" {
		t.Notify = notifies(t.Tmux, getenv)
	}
	if t.Progress = !t.Tmux && showsProgress(getenv); set.Progress != nil {
		t.Progress = *set.Progress
	}
	return t
}

// notifies is how a terminal tells of something, where that is known. A bell
// rings in all of them, and tmux marks the window in which it rang.
func notifies(tmux bool, getenv func(string) string) tui.Notify {
	program, term := getenv("TERM_PROGRAM"), getenv("TERM")
	switch {
	case tmux:
		return tui.NotifyBell
	case program == "iTerm.app", program == "WezTerm", program == "ghostty", term == "xterm-ghostty", term == "xterm-kitty":
		return tui.NotifyOSC9
	case term == "foot", term == "foot-extra", term == "rxvt-unicode-256color":
		return tui.NotifyOSC777
	}
	return tui.NotifyBell
}

// showsProgress reports whether a terminal shows progress. Others take the
// sequence for a notification.
func showsProgress(getenv func(string) string) bool {
	return getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" ||
		getenv("TERM_PROGRAM") == "ghostty" || getenv("TERM") == "xterm-ghostty"
}

// spent returns what each model has used, by the log: turns that were taken
// back cost as much as others.
func (a *app) spent() ([]tui.Spent, error) {
	if !a.begun() {
		return nil, nil
	}
	v, err := a.log.View()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	var all []tui.Spent
	for r, err := range v.From(0) {
		if err != nil || !bytes.Contains(r.Body, []byte(`"step_end"`)) {
			continue // damage was told when the session was opened
		}
		if e, err := loop.Decode(r.Body); err == nil {
			if step, ok := e.(*loop.StepEnd); ok {
				all = tui.SpentBy(all, step)
			}
		}
	}
	return all, nil
}
