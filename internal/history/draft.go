package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// draft guards the file of a session's draft.
type draft struct {
	mu     sync.Mutex
	closed bool
}

// SaveDraft keeps what the person has not sent yet, in the place of what was
// kept before; nothing removes it. It is for the bytes of the caller's choice,
// changes with each key and is no record. It is safe for concurrent use. Before
// the first Append nothing is kept: there is no session to come back to.
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
	return replace(l.draftPath(), text)
}

// Draft returns what SaveDraft kept last, in this program or before; nil if
// there is nothing.
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

func (l *Log) draftPath() string { return l.store.beside(l.header.ID, draftExtension) }

// close ends the saving: the session may be another program's from here on.
func (d *draft) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}
