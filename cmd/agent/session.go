package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"agent/cmd/agent/command"
	"agent/cmd/agent/sessions"
	"agent/internal/history"
	"agent/internal/llm/offline"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// openLog makes a new log, or opens the one that f resumes and what it holds.
// A session that is resumed by its name runs where it ran before.
func (a *app) openLog(f flags) error {
	if f.noSession {
		return nil
	}
	id, err := a.sessionID(f)
	if err != nil {
		return err
	}
	switch {
	case id == "":
		a.log = a.store.Create(history.Header{Dir: a.dir, Version: version, Time: time.Now()})
		return nil
	case f.fork:
		err = a.forkLog(id, f.forkKeep)
	default:
		err = a.resumeLog(id)
	}
	if err != nil {
		return err
	}
	if err := a.enterDir(); err != nil {
		return err
	}
	return a.readEnd(f)
}

// sessionID returns the ID of the session that f resumes, empty for a new one.
func (a *app) sessionID(f flags) (string, error) {
	if !f.cont {
		return f.resume, nil
	}
	infos, err := a.store.List(a.dir)
	if err != nil {
		return "", err
	}
	if len(infos) == 0 {
		return "", fmt.Errorf("there is no session in %s yet. Start one with agent", a.dir)
	}
	return infos[0].ID, nil
}

// resumeLog opens the session id. What is damaged in it is told when it is
// read.
func (a *app) resumeLog(id string) error {
	log, problems, err := a.store.ResumeTail(id)
	if errors.Is(err, history.ErrNewer) {
		return fmt.Errorf("session %s: %w. agent sessions show %s prints it", id, err, id)
	}
	if errors.Is(err, history.ErrLocked) {
		return fmt.Errorf("%w. --fork goes on in a copy of it", err)
	}
	if err != nil {
		return sessions.HintList(err)
	}
	a.log = log
	for _, p := range problems {
		a.notices = append(a.notices, p.Text)
	}
	return nil
}

// forkLog makes a session that begins as id does. With keep, so much of it is
// kept as event.Rewound says.
func (a *app) forkLog(id string, keep *int) error {
	v, err := a.store.View(id)
	if err != nil {
		return sessions.HintList(err)
	}
	from := v.Header()
	if err := v.Close(); err != nil {
		return err
	}
	if _, err := os.Stat(from.Dir); err != nil && from.Dir != "" {
		return fmt.Errorf("the session ran in %s: %w", from.Dir, err) // before there is a fork of no use
	}
	if a.isNewer(from) {
		return fmt.Errorf("session %s was written by a newer version of this program: it can be read (agent sessions show %s), but neither continued nor forked", from.ID, from.ID)
	}
	if a.log, err = a.store.Fork(from.ID, math.MaxInt, history.Header{Version: version, Time: time.Now()}); err != nil {
		return err
	}
	a.notices = append(a.notices, "This is a fork of session "+from.ID+", which stays as it is.")
	if keep == nil {
		return nil
	}
	record, err := event.Encode(&event.Rewound{Meta: event.Meta{Time: time.Now()}, Keep: *keep})
	if err != nil {
		return err
	}
	return a.log.Append(record, true)
}

// isNewer reports whether a session is of a format that this program cannot
// continue. Of one whose header cannot be read, only opening it tells.
func (a *app) isNewer(h history.Header) bool {
	if h.Format > 0 {
		return h.Format > history.Format
	}
	log, _, err := a.store.ResumeTail(h.ID)
	if err == nil {
		_ = log.Close()
	}
	return errors.Is(err, history.ErrNewer)
}

// enterDir makes the directory of the session the one to work in.
func (a *app) enterDir() error {
	dir := a.log.Header().Dir
	if dir == "" || dir == history.AsWritten(a.dir) {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("the session ran in %s: %w", dir, err)
	}
	a.notices = append(a.notices, "This session works in "+command.Short(dir)+", where it began.")
	a.dir = dir
	return nil
}

// firstEvents is how many events of a session that is resumed a screen has at
// least, before it asks for more.
const firstEvents = 200

// readEnd reads how the session ended, and what was not sent. What is damaged
// before that is told by the agent.
func (a *app) readEnd(f flags) error {
	v, err := a.log.View()
	if err != nil {
		return err
	}
	defer v.Close()
	if a.ending, err = session.Ending(context.Background(), v, firstEvents); err != nil {
		return fmt.Errorf("read session %s: %w", a.id(), err)
	}
	if f.fork {
		a.options.Draft.Text = f.draft
		return nil
	}
	draft, err := a.log.Draft()
	if err == nil && draft != nil {
		err = json.Unmarshal(draft, &a.options.Draft)
	}
	if err != nil {
		a.notices = append(a.notices, "What was not sent is lost: "+err.Error())
	}
	return nil
}

// lastModel is the model used last and where it was: in the resumed session, else
// in the newest of this directory in which a model other than the guide answered.
func (a *app) lastModel() event.ModelSet {
	if s := a.ending; s.Model != "" {
		return event.ModelSet{Model: s.Model, BaseURL: s.BaseURL, Host: s.Host}
	}
	for _, e := range slices.Backward(a.ending.Events) { // the record of its model is damaged
		if step, ok := e.(*event.StepEnd); ok {
			return event.ModelSet{Model: step.Model}
		}
	}
	body, err := a.store.Last(a.dir, event.ModelRecord, ofGuide)
	if err != nil || body == nil {
		return event.ModelSet{}
	}
	e, err := event.Decode(body)
	if err != nil {
		return event.ModelSet{}
	}
	if m, ok := e.(*event.ModelSet); ok {
		return *m
	}
	return event.ModelSet{}
}

// ofGuide reports whether a record names the offline guide as the model.
func ofGuide(body json.RawMessage) bool {
	e, err := event.Decode(body)
	if err != nil {
		return false
	}
	m, ok := e.(*event.ModelSet)
	return ok && m.Model == offline.Name
}

// id is that of the session, empty where it is kept nowhere.
func (a *app) id() string {
	if a.log == nil {
		return ""
	}
	return a.log.Header().ID
}
