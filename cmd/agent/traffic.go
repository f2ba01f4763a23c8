package main

import (
	"sync"

	"agent/cmd/agent/command"
	"agent/cmd/agent/models"
	"agent/internal/llm/recording"
)

// traffic is the recording of a process: that of --record, or that of --replay. All
// sessions of the process share it.
type traffic struct {
	record, replay string // files

	open     sync.Once
	err      error
	recorder *recording.Recorder // nil if nothing is recorded
	player   *recording.Player   // nil if nothing is replayed
	news     chan string         // differences from the recording and errors, for the user
}

// connect makes pick record or replay the traffic, if the user wants that.
func (t *traffic) connect(pick *models.Picker) error {
	if t == nil || t.record == "" && t.replay == "" {
		return nil
	}
	t.open.Do(func() { t.err = t.start() })
	pick.Recorder, pick.Player = t.recorder, t.player
	return t.err
}

func (t *traffic) start() (err error) {
	if t.record != "" && t.replay != "" {
		return command.Usage("--record and --replay exclude each other: use one of them")
	}
	t.news = make(chan string, 100)
	if t.record != "" {
		report := func(err error) { t.say("The recording is incomplete: " + err.Error()) }
		if t.recorder, err = recording.Create(t.record, version, report); err != nil {
			return command.Usage("--record: %w", err)
		}
		return nil
	}
	if t.player, err = recording.Open(t.replay); err != nil {
		return command.Usage("--replay: %w", err)
	}
	t.player.Report(t.say)
	return nil
}

// say shows the user a message.
func (t *traffic) say(text string) {
	select {
	case t.news <- text:
	default: // the user has enough to read
	}
}
