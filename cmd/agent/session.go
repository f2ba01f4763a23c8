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

// openLog creates a log, or opens the one that f resumes and reads its end. A
// resumed session runs in its own directory.
func (a *app) openLog(f opening) error {
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

// sessionID returns the ID of the session that f resumes; empty for a new one.
func (a *app) sessionID(f opening) (string, error) {
	if !f.cont {
		return f.resume, nil
	}
	infos, err := a.store.List(a.dir)
	if err != nil {
		return "", err
	}
	if len(infos) == 0 {
		return "", fmt.Errorf("there are no sessions in %s yet. Run 'agent' to start one", a.dir)
	}
	return infos[0].ID, nil
}

// resumeLog opens the session id for writing. Damage before its end is reported
// when the agent reads it.
func (a *app) resumeLog(id string) error {
	log, problems, err := a.store.ResumeTail(id)
	if errors.Is(err, history.ErrNewer) {
		return fmt.Errorf("resume session %s: %w. To print it: agent sessions show %s", id, err, id)
	}
	if errors.Is(err, history.ErrLocked) {
		return fmt.Errorf("%w. To continue in a copy of it, add --fork", err)
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

// forkLog creates a fork of the session id. If keep is not nil, the fork is rewound
// to *keep, as in event.Rewound.
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
		return missingDir(from.Dir, err) // before an unusable fork is created
	}
	if a.isNewer(from) {
		return fmt.Errorf("session %s was written by a newer version of agent and cannot be continued or forked. To print it: agent sessions show %s", from.ID, from.ID)
	}
	if a.log, err = a.store.Fork(from.ID, math.MaxInt, history.Header{Version: version, Time: time.Now()}); err != nil {
		return err
	}
	a.notices = append(a.notices, "This is a fork of session "+from.ID+". The original is unchanged.")
	if keep == nil {
		return nil
	}
	record, err := event.Encode(&event.Rewound{Meta: event.Meta{Time: time.Now()}, Keep: *keep})
	if err != nil {
		return err
	}
	return a.log.Append(record, true)
}

// isNewer reports whether a newer version of the program wrote the session, in a
// format that this one cannot continue. If the header has no format, it opens the
// session to find out.
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

// missingDir is the error of a session whose directory cannot be opened.
func missingDir(dir string, err error) error {
	return fmt.Errorf("open the directory of the session, %s: %w", dir, err)
}

// enterDir makes the directory of the session the working directory.
func (a *app) enterDir() error {
	dir := a.log.Header().Dir
	if dir == "" || dir == history.AsWritten(a.dir) {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return missingDir(dir, err)
	}
	a.notices = append(a.notices, "Working directory of this session: "+command.Short(dir)+".")
	a.dir = dir
	return nil
}

// firstEvents is the minimum number of events that the screen shows of a resumed
// session before it loads more.
const firstEvents = 200

// readEnd reads the last events of the session and its unsent prompt. The agent
// reports damage before that.
func (a *app) readEnd(f opening) error {
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
		a.notices = append(a.notices, "Your unsent prompt could not be restored: "+err.Error())
	}
	return nil
}

// lastModel returns the model used last and its base URL: in the resumed session,
// else in the most recent session in this directory that used a model other than
// the offline guide.
func (a *app) lastModel() event.ModelSet {
	if s := a.ending; s.Model != "" {
		return event.ModelSet{Model: s.Model, BaseURL: s.BaseURL, Host: s.Host}
	}
	for _, e := range slices.Backward(a.ending.Events) { // the record of the model is damaged
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

// id returns the ID of the session; empty if it is not saved.
func (a *app) id() string {
	if a.log == nil {
		return ""
	}
	return a.log.Header().ID
}
