package stored

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/loop/session"
	"agent/internal/tools/git"
)

// MissingError reports that the directory of a session cannot be opened, as after it was
// renamed. Choice.Here resumes the session in the current directory.
type MissingError struct {
	ID  string
	Dir string // of the session
	Err error
	// Continued is set if the session was not named: it is of the repository of the
	// current directory, which has no session.
	Continued bool
}

// What describes the missing directory for the user.
func (e *MissingError) What() string {
	if e.Continued {
		return fmt.Sprintf("this directory has no sessions yet. Session %s of the same project ran in %s, which cannot be opened: %v", e.ID, command.Short(e.Dir), e.Err)
	}
	return fmt.Sprintf("the directory of session %s, %s, cannot be opened: %v", e.ID, command.Short(e.Dir), e.Err)
}

func (e *MissingError) Error() string {
	return e.What() + ". To resume the session in the current directory, add --here. To leave it unchanged, also add --fork"
}

func (e *MissingError) Unwrap() error { return e.Err }

// CheckDir returns a *MissingError if the directory of a session cannot be opened, or was
// renamed to dir and another one has its name now.
func CheckDir(h history.Header, dir string) error {
	if h.Dir == "" || history.InDir(dir)(h) {
		return nil
	}
	if err := gone(h, placeOf(dir)); err != nil {
		return &MissingError{ID: h.ID, Dir: h.Dir, Err: err}
	}
	return nil
}

// gone returns why the directory of a session, which is of place, is not there; nil if it is.
func gone(h history.Header, place string) error {
	if err := statDir(h.Dir); err != nil {
		return err
	}
	if place != "" && h.Place == place && placeOf(h.Dir) != place {
		return errors.New("another directory is there now")
	}
	return nil
}

// statDir returns why dir is not a directory that can be opened.
func statDir(dir string) error {
	info, err := os.Stat(dir)
	var failed *fs.PathError
	switch {
	case errors.As(err, &failed):
		return failed.Err // the path is named already
	case err == nil && !info.IsDir():
		return errors.New("it is not a directory")
	}
	return err
}

// noticeMove says in which directory a session ran before.
func (s *Session) noticeMove(from history.Header) {
	if from.Dir != "" && !history.InDir(s.Dir)(from) {
		s.Notices = append(s.Notices, fmt.Sprintf("This session now runs in %s. Before, it ran in %s.", command.Short(s.Dir), command.Short(from.Dir)))
	}
}

// maxNamed limits the sessions that an error names.
const maxNamed = 5

// findMoved returns, if here is set, the last session of the repository whose directory
// cannot be opened. Otherwise the error names the sessions of the repository. infos are
// all sessions; none is of s.Dir.
func (s *Session) findMoved(infos []history.Info, here bool) (string, error) {
	place := placeOf(s.Dir)
	var named []string
	for i := range ofPlace(infos, place) {
		if session.IsUnused(s.Store, i.ID) {
			continue
		}
		gone := gone(i.Header, place)
		switch {
		case gone != nil && here:
			return i.ID, nil
		case gone != nil && len(named) == 0:
			return "", &MissingError{ID: i.ID, Dir: i.Dir, Err: gone, Continued: true}
		}
		if named = append(named, fmt.Sprintf("%s (%s)", i.ID, command.Short(i.Dir))); len(named) == maxNamed {
			break
		}
	}
	if len(named) == 0 {
		return "", fmt.Errorf("there are no sessions in %s yet. Run 'agent' to start one", s.Dir)
	}
	return "", fmt.Errorf("there are no sessions in %s yet. Sessions of the same repository: %s. To resume one: agent --resume ID. To resume it in the current directory, add --here",
		s.Dir, strings.Join(named, ", "))
}

// Moved returns the sessions among infos that ran in dir, or in its repository, before it was
// renamed.
func Moved(infos []history.Info, dir string) (all []history.Info) {
	place := placeOf(dir)
	for i := range ofPlace(infos, place) {
		if gone(i.Header, place) != nil {
			all = append(all, i)
		}
	}
	return all
}

// MoveHere makes dir the directory of a session.
func MoveHere(store *history.Store, id, dir string) error { return store.Move(id, dir, placeOf(dir)) }

// ofPlace returns the sessions of a place; none for "". A session of an unknown directory has none.
func ofPlace(infos []history.Info, place string) iter.Seq[history.Info] {
	return func(yield func(history.Info) bool) {
		known := map[string]string{}
		for _, i := range infos {
			if i.Dir == "" { // its log is damaged
				continue
			}
			if _, ok := known[i.Dir]; !ok && i.Place == "" { // of an older version
				known[i.Dir] = placeOf(i.Dir)
			}
			if place != "" && cmp.Or(i.Place, known[i.Dir]) == place && !yield(i) {
				return
			}
		}
	}
}

// placeOf identifies the repository that contains dir, or dir itself outside of one, also
// after it was renamed; empty if it cannot be read.
func placeOf(dir string) string {
	repo, _ := git.Open(dir)
	return history.FileID(cmp.Or(repo.Common(), dir))
}
