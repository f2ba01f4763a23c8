package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// draft guards the draft file of a session.
type draft struct {
	mu     sync.Mutex
	closed bool
}

// SaveDraft replaces the saved draft, the unsent input of the user; empty text
// removes it. The format is up to the caller. A draft is not a record.
// SaveDraft is safe for concurrent use. Before the first Append it does
// nothing, because there is no session to resume.
func (l *Log) SaveDraft(text []byte) error {
	l.draft.mu.Lock()
	defer l.draft.mu.Unlock()
	err := l.saveDraft(text)
	if err != nil {
		return fmt.Errorf("save the draft of session %s: %w", l.header.ID, err)
	}
	return nil
}

func (l *Log) saveDraft(text []byte) error {
	if l.draft.closed {
		return fs.ErrClosed
	}
	if len(text) == 0 {
		return remove(l.draftPath())
	}
	if _, err := os.Lstat(l.Path()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return replace(l.draftPath(), text, false)
}

// Draft returns the draft last saved by any program, or nil.
func (l *Log) Draft() ([]byte, error) {
	l.draft.mu.Lock()
	defer l.draft.mu.Unlock()
	text, err := os.ReadFile(l.draftPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the draft of session %s: %w", l.header.ID, err)
	}
	return text, nil
}

func (l *Log) draftPath() string { return l.store.dir.sibling(l.header.ID, draftExtension) }

// close stops saving, because another program may open the session from now on.
func (d *draft) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}
