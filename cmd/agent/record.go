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
	"agent/internal/tui/screen"
)

// record is a session as it is stored. The zero value is that of a session without a
// store.
type record struct {
	store   *history.Store
	log     *history.Log  // nil if the session is not saved
	ending  session.State // last events of the resumed session
	dir     string        // where the session runs
	draft   event.Draft   // its unsent prompt
	notices []string      // for the user
}

// open creates a log, or opens the one that f resumes and reads its end. A resumed
// session runs in its own directory. After an error, discard deletes what open created.
func (r *record) open(f opening) error {
	if f.noSession {
		return nil
	}
	id, err := r.find(f)
	if err != nil {
		return err
	}
	switch {
	case id == "":
		r.log = r.store.Create(history.Header{Dir: r.dir, Version: version, Time: time.Now()})
		return nil
	case f.fork:
		err = r.fork(id, f.forkKeep)
	default:
		err = r.resume(id)
	}
	if err != nil {
		return err
	}
	if err := r.enterDir(); err != nil {
		return err
	}
	return r.readEnd(f)
}

// find returns the ID of the session that f resumes; empty for a new one.
func (r *record) find(f opening) (string, error) {
	if !f.cont {
		return f.resume, nil
	}
	infos, err := r.store.List(r.dir)
	if err != nil {
		return "", err
	}
	if len(infos) == 0 {
		return "", fmt.Errorf("there are no sessions in %s yet. Run 'agent' to start one", r.dir)
	}
	return infos[0].ID, nil
}

// resume opens the session id for writing. Damage before its end is reported
// when the agent reads it.
func (r *record) resume(id string) error {
	log, problems, err := r.store.ResumeTail(id)
	if errors.Is(err, history.ErrNewer) {
		return fmt.Errorf("resume session %s: %w. To print it: agent sessions show %s", id, err, id)
	}
	if errors.Is(err, history.ErrLocked) {
		return fmt.Errorf("%w. To continue in a copy of it, add --fork", err)
	}
	if err != nil {
		return sessions.HintList(err)
	}
	r.log = log
	for _, p := range problems {
		r.notices = append(r.notices, p.Text)
	}
	return nil
}

// fork creates a fork of the session id. If keep is not nil, the fork is rewound
// to *keep, as in event.Rewound.
func (r *record) fork(id string, keep *int) error {
	v, err := r.store.View(id)
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
	if r.isNewer(from) {
		return fmt.Errorf("session %s was written by a newer version of agent and cannot be continued or forked. To print it: agent sessions show %s", from.ID, from.ID)
	}
	if r.log, err = r.store.Fork(from.ID, math.MaxInt, history.Header{Version: version, Time: time.Now()}); err != nil {
		return err
	}
	r.notices = append(r.notices, "This is a fork of session "+from.ID+". The original is unchanged.")
	if keep == nil {
		return nil
	}
	record, err := event.Encode(&event.Rewound{Meta: event.Meta{Time: time.Now()}, Keep: *keep})
	if err != nil {
		return err
	}
	return r.log.Append(record, true)
}

// isNewer reports whether a newer version of the program wrote the session, in a
// format that this one cannot continue. If the header has no format, it opens the
// session to find out.
func (r *record) isNewer(h history.Header) bool {
	if h.Format > 0 {
		return h.Format > history.Format
	}
	log, _, err := r.store.ResumeTail(h.ID)
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
func (r *record) enterDir() error {
	dir := r.log.Header().Dir
	if dir == "" || dir == history.AsWritten(r.dir) {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return missingDir(dir, err)
	}
	r.notices = append(r.notices, "Working directory of this session: "+command.Short(dir)+".")
	r.dir = dir
	return nil
}

// firstEvents is the minimum number of events that the screen shows of a resumed
// session before it loads more.
const firstEvents = 200

// readEnd reads the last events of the session and its unsent prompt. The agent
// reports damage before that.
func (r *record) readEnd(f opening) error {
	v, err := r.log.View()
	if err != nil {
		return err
	}
	defer v.Close()
	if r.ending, err = session.Ending(context.Background(), v, firstEvents); err != nil {
		return fmt.Errorf("read session %s: %w", r.id(), err)
	}
	if f.fork {
		r.draft.Text = f.draft
		return nil
	}
	draft, err := r.log.Draft()
	if err == nil && draft != nil {
		err = json.Unmarshal(draft, &r.draft)
	}
	if err != nil {
		r.notices = append(r.notices, "Your unsent prompt could not be restored: "+err.Error())
	}
	return nil
}

// lastModel returns the model used last and its base URL: in the resumed session,
// else in the most recent session in this directory that used a model other than
// the offline guide.
func (r *record) lastModel() event.ModelSet {
	if s := r.ending; s.Model != "" {
		return event.ModelSet{Model: s.Model, BaseURL: s.BaseURL, Host: s.Host}
	}
	for _, e := range slices.Backward(r.ending.Events) { // the record of the model is damaged
		if step, ok := e.(*event.StepEnd); ok {
			return event.ModelSet{Model: step.Model}
		}
	}
	body, err := r.store.Last(r.dir, event.ModelRecord, ofGuide)
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
func (r *record) id() string {
	if r.log == nil {
		return ""
	}
	return r.log.Header().ID
}

// saved reports whether the session is stored on disk.
func (r *record) saved() bool { return r.log != nil && r.log.Begun() }

// close closes the log.
func (r *record) close() {
	if r.log != nil {
		_ = r.log.Close()
	}
}

// discard deletes the closed fork that open created for f; it does nothing otherwise.
func (r *record) discard(f opening) {
	if f.fork && r.log != nil {
		_ = r.store.Remove(r.id())
	}
}

// spent reads from the log what each model used, and the part of it that was
// rewound, which costs the same.
func (r *record) spent() (all []screen.Spent, back screen.Spent, err error) {
	if !r.saved() {
		return nil, back, nil
	}
	v, err := r.log.View()
	if err != nil {
		return nil, back, err
	}
	defer v.Close()
	var kept, removed screen.Spending
	for stored, err := range v.From(0) {
		if err != nil { // it was reported when the session was opened
			continue
		}
		if name, err := event.NameIn(stored.Body); err != nil || !slices.Contains([]string{"step_end", "compact", "rename", "delegate_start", "delegate_end"}, name) {
			continue
		}
		if e, err := event.Decode(stored.Body); err == nil {
			kept.Take(e)
		}
	}
	rewound, err := session.RemovedEvents(context.Background(), v)
	for _, t := range rewound {
		removed.Take(t.Event)
	}
	for _, spent := range removed.All {
		back = back.Plus(spent)
	}
	return kept.All, back, err
}
