package loop

import "time"

// syncWithin is how long a loss of power may take what is on record.
const syncWithin = time.Second

// lateSync is the sync of records that were appended without one.
type lateSync struct {
	timer *time.Timer // until it; nil if there is nothing to sync
	err   error       // of the last, until it is told
}

// take returns the error that is to be told.
func (l *lateSync) take() error {
	err := l.err
	l.err = nil
	return err
}

// stop gives a sync up that is not wanted any more.
func (l *lateSync) stop() {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}

// syncSoon syncs within syncWithin what the log holds unsynced, unless it was
// synced with something else by then: a tool that reads may do so for long, and
// a person may think for long about a question. The caller holds a.log.
func (a *Agent) syncSoon() {
	switch {
	case !a.o.Log.Unsynced():
		a.late.stop()
	case a.late.timer == nil:
		a.late.timer = time.AfterFunc(syncWithin, a.syncLate)
	}
}

// syncLate syncs what there is, in a goroutine of its own.
func (a *Agent) syncLate() {
	a.log.Lock()
	defer a.log.Unlock()
	if a.late.timer != nil { // else it was given up meanwhile
		a.late.timer, a.late.err = nil, a.o.Log.Sync()
	}
}

// endSync leaves what is not synced to who closes the log.
func (a *Agent) endSync() {
	a.log.Lock()
	defer a.log.Unlock()
	a.late.stop()
}
