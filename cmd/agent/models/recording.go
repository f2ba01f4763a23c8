package models

import (
	"sync"

	"agent/cmd/agent/command"
	"agent/internal/llm/recording"
)

// Recording is the recording of a process: that of --record, or that of --replay. All
// sessions of the process share it. A nil Recording does nothing.
type Recording struct {
	Record, Replay string // files; at most one is set
	Version        string // of the program

	open     sync.Once
	err      error
	recorder *recording.Recorder // nil if nothing is recorded
	player   *recording.Player   // nil if nothing is replayed
	news     chan string         // differences from the recording and errors, for the user
}

// Connect makes p record or replay the traffic, if the user wants that.
func (t *Recording) Connect(p *Picker) error {
	if t == nil || t.Record == "" && t.Replay == "" {
		return nil
	}
	t.open.Do(func() { t.err = t.start() })
	p.Recorder, p.Player = t.recorder, t.player
	return t.err
}

// Notices returns the messages for the user. It is nil if there are none.
func (t *Recording) Notices() <-chan string {
	if t == nil {
		return nil
	}
	return t.news
}

func (t *Recording) start() (err error) {
	if t.Record != "" && t.Replay != "" {
		return command.Usage("--record and --replay exclude each other: use one of them")
	}
	t.news = make(chan string, 100)
	if t.Record != "" {
		report := func(err error) { t.say("The recording is incomplete: " + err.Error()) }
		if t.recorder, err = recording.Create(t.Record, t.Version, report); err != nil {
			return command.Usage("--record: %w", err)
		}
		return nil
	}
	if t.player, err = recording.Open(t.Replay); err != nil {
		return command.Usage("--replay: %w", err)
	}
	t.player.Report(t.say)
	return nil
}

// say shows the user a message.
func (t *Recording) say(text string) {
	select {
	case t.news <- text:
	default: // the user has enough to read
	}
}
