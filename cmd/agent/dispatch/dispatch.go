// Package dispatch starts helper processes. The program executes itself under the
// name of a helper and passes the arguments through pipes:
//
//   - supervisor.Name runs one command of the shell tool, keeps the files that it changes,
//     and kills the processes that it leaves behind.
//   - sandbox.Name creates the namespaces that the commands of a session share, and
//     finds out which sandbox the system supports.
//   - rescue.Name restores the terminal after a crash of the program.
//
// A helper does its work in the init function of this package and exits there; in
// the program itself that function returns at once. Go initializes packages in the
// order of their paths once their imports are ready, so this package comes first and
// a helper skips the initialization of the others: it starts in 2 ms instead of 20.
package dispatch

import (
	"agent/internal/history/blobs"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/shell/supervisor"
	"agent/internal/tools/snapshot"
	"agent/internal/tui/terminal/rescue"
)

func init() {
	supervisor.Run(openPack)
	sandbox.Run()
	rescue.Run()
}

// openPack opens the pack in which a supervisor keeps changed files.
func openPack(path string) (snapshot.Store, error) {
	p, err := blobs.Open(path, blobs.Limits{})
	if err != nil {
		return nil, err
	}
	_ = p.HoldForCommand() // without it, whoever takes over the session does not wait for the command
	return store{p}, nil
}

// store is a pack as a snapshot.Store. Touched paths are its notes.
type store struct{ *blobs.Pack }

func (s store) Add(t snapshot.Touched) error { return s.Append(t) }
