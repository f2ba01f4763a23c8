// Package stored opens the stored session of a run: a new one, the most recent one of a
// directory, one named by its ID, or a fork of it. It also reads what a session used. It
// runs no agent. Start reading at Session.Open.
package stored

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
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

// Choice says which session to open.
type Choice struct {
	Unsaved  bool   // create no log
	Continue bool   // the most recent session in the directory
	Resume   string // ID of a session; empty for a new one
	New      string // ID of the new session; empty for any
	Fork     bool   // fork that session
	Here     bool   // run it in Session.Dir, which becomes its directory
	Keep     *int   // how much of the original a fork keeps, as in event.Rewound; nil keeps all
	Draft    string // prompt text of a fork
}

// Session is a session as it is stored. The zero value is that of a session without a
// store. Open sets the fields below Version.
type Session struct {
	Store   *history.Store
	Dir     string // where the session runs; Open changes it to that of a resumed session
	Version string // of the program

	Log     *history.Log  // nil if the session is not saved
	Ending  session.State // last events of the resumed session
	Draft   event.Draft   // its unsent prompt
	Notices []string      // for the user
}

// Open creates a log, or opens the one that c names and reads its end. A resumed
// session runs in its own directory, unless c says otherwise; if that cannot be opened,
// the error is a *MissingError. After an error, Discard deletes what Open created.
func (s *Session) Open(c Choice) error {
	if c.Unsaved {
		return nil
	}
	id, err := s.find(c)
	if err != nil {
		return err
	}
	switch {
	case id == "":
		s.Log = s.Store.Create(history.Header{ID: c.New, Dir: s.Dir, Place: placeOf(s.Dir), Version: s.Version, Time: time.Now()})
		return nil
	case c.Fork:
		err = s.fork(id, c)
	default:
		err = s.resume(id, c.Here)
	}
	if err != nil {
		return err
	}
	s.enterDir()
	return s.readEnd(c)
}

// find returns the ID of the session that c names; empty for a new one.
func (s *Session) find(c Choice) (string, error) {
	if !c.Continue {
		return c.Resume, nil
	}
	infos, err := s.Store.List("")
	if err != nil {
		return "", err
	}
	in := history.InDir(s.Dir)
	for _, i := range infos {
		if in(i.Header) && !session.IsUnused(s.Store, i.ID) {
			return i.ID, nil
		}
	}
	return s.findMoved(infos, c.Here)
}

// resume opens the session id for writing, and with here, makes s.Dir its directory.
// Damage before its end is reported when the agent reads it.
func (s *Session) resume(id string, here bool) error {
	from, err := s.header(id)
	if err != nil {
		return err
	}
	if !here {
		err = CheckDir(from, s.Dir)
	} else if !history.InDir(s.Dir)(from) {
		err = MoveHere(s.Store, from.ID, s.Dir)
	}
	if err != nil {
		return s.hint(err, from.ID)
	}
	log, problems, err := s.Store.ResumeTail(from.ID)
	if err != nil {
		return s.hint(err, from.ID)
	}
	if s.Log = log; here {
		s.noticeMove(from)
	}
	for _, p := range problems {
		s.Notices = append(s.Notices, p.Text)
	}
	return nil
}

// hint adds to the error of opening the session id what the user can do.
func (s *Session) hint(err error, id string) error {
	if errors.Is(err, history.ErrNewer) {
		return fmt.Errorf("resume session %s: %w. To print it: agent sessions show %s", id, err, id)
	}
	if errors.Is(err, history.ErrLocked) {
		return fmt.Errorf("%w. To continue in a copy of it, add --fork", err)
	}
	return sessions.HintList(err)
}

// header returns the header of the session id.
func (s *Session) header(id string) (history.Header, error) {
	v, err := s.Store.View(id)
	if err != nil {
		return history.Header{}, sessions.HintList(err)
	}
	return v.Header(), v.Close()
}

// fork creates a fork of the session id. If c.Keep is not nil, the fork is rewound
// to *c.Keep, as in event.Rewound.
func (s *Session) fork(id string, c Choice) error {
	from, err := s.header(id)
	if err != nil {
		return err
	}
	h := history.Header{Version: s.Version, Time: time.Now()}
	if c.Here {
		h.Dir, h.Place = s.Dir, placeOf(s.Dir)
	} else if err := CheckDir(from, s.Dir); err != nil { // before an unusable fork is created
		return err
	}
	if s.isNewer(from) {
		return fmt.Errorf("session %s was written by a newer version of agent and cannot be continued or forked. To print it: agent sessions show %s", from.ID, from.ID)
	}
	if s.Log, err = s.Store.Fork(from.ID, math.MaxInt, h); err != nil {
		return err
	}
	s.Notices = append(s.Notices, "This is a fork of session "+from.ID+". The original is unchanged.")
	if c.Here {
		s.noticeMove(from)
	}
	if c.Keep == nil {
		return nil
	}
	record, err := event.Encode(&event.Rewound{Meta: event.Meta{Time: time.Now()}, Keep: *c.Keep})
	if err != nil {
		return err
	}
	return s.Log.Append(record, true)
}

// isNewer reports whether a newer version of the program wrote the session, in a
// format that this one cannot continue. If the header has no format, it opens the
// session to find out.
func (s *Session) isNewer(h history.Header) bool {
	if h.Format > 0 {
		return h.Format > history.Format
	}
	log, _, err := s.Store.ResumeTail(h.ID)
	if err == nil {
		_ = log.Close()
	}
	return errors.Is(err, history.ErrNewer)
}

// enterDir makes the directory of the session the working directory.
func (s *Session) enterDir() {
	h := s.Log.Header()
	if h.Dir == "" || history.InDir(s.Dir)(h) {
		return
	}
	s.Notices = append(s.Notices, "Working directory of this session: "+command.Short(h.Dir)+".")
	s.Dir = h.Dir
}

// firstEvents is the minimum number of events that the screen shows of a resumed
// session before it loads more.
const firstEvents = 200

// readEnd reads the last events of the session and its unsent prompt. The agent
// reports damage before that.
func (s *Session) readEnd(c Choice) error {
	v, err := s.Log.View()
	if err != nil {
		return err
	}
	defer v.Close()
	if s.Ending, err = session.Ending(context.Background(), v, firstEvents); err != nil {
		return fmt.Errorf("read session %s: %w", s.ID(), err)
	}
	if c.Fork {
		s.Draft.Text = c.Draft
		return nil
	}
	draft, err := s.Log.Draft()
	if err == nil && draft != nil {
		err = json.Unmarshal(draft, &s.Draft)
	}
	if err != nil {
		s.Notices = append(s.Notices, "Your unsent prompt could not be restored: "+err.Error())
	}
	return nil
}

// LastModel returns the model used last and its base URL: in the resumed session,
// else in the most recent session in this directory that used a model other than
// the offline guide.
func (s *Session) LastModel() event.ModelSet {
	if last := s.Ending; last.Model != "" {
		return event.ModelSet{Model: last.Model, BaseURL: last.BaseURL, Host: last.Host}
	}
	for _, e := range slices.Backward(s.Ending.Events) { // the record of the model is damaged
		if step, ok := e.(*event.StepEnd); ok {
			return event.ModelSet{Model: step.Model}
		}
	}
	return session.LatestModel(s.Store, s.Dir, func(m event.ModelSet) bool { return m.Model == offline.Name })
}

// ID returns the ID of the session; empty if it is not saved.
func (s *Session) ID() string {
	if s.Log == nil {
		return ""
	}
	return s.Log.Header().ID
}

// Saved reports whether the session is stored on disk.
func (s *Session) Saved() bool { return s.Log != nil && s.Log.Begun() }

// Close closes the log.
func (s *Session) Close() {
	if s.Log != nil {
		_ = s.Log.Close()
	}
}

// Discard deletes the closed fork that Open created for c; it does nothing otherwise.
func (s *Session) Discard(c Choice) {
	if c.Fork && s.Log != nil {
		_ = s.Store.Remove(s.ID())
	}
}

// Spent reads from the log what each model used, and the part of it that was
// rewound, which costs the same.
func (s *Session) Spent() (all []screen.Spent, back screen.Spent, err error) {
	if !s.Saved() {
		return nil, back, nil
	}
	v, err := s.Log.View()
	if err != nil {
		return nil, back, err
	}
	defer v.Close()
	var kept, removed screen.Spending
	priced := session.Only(&event.StepEnd{}, &event.Compacted{}, &event.Renamed{}, &event.DelegateStart{}, &event.DelegateEnd{})
	for e, err := range session.Events(v.Pass(0), priced) {
		if err == nil { // otherwise it was reported when the session was opened
			kept.Take(e.Event)
		}
	}
	rewound, err := session.RemovedEvents(context.Background(), v)
	for _, e := range rewound {
		removed.Take(e.Event)
	}
	for _, spent := range removed.All {
		back = back.Plus(spent)
	}
	return kept.All, back, err
}
