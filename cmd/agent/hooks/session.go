package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
	"agent/internal/llm/phrase"
	loophooks "agent/internal/loop/hooks"
	"agent/internal/loop/instructions"
	"agent/internal/tools/confine"
	"agent/internal/tools/shell"
	"agent/internal/tools/snapshot"
)

// repositoryFile is the file with the hooks of a repository, relative to its root. It is
// protected, as the whole directory is.
const repositoryFile = ".agent/hooks.json"

// maxShown limits a command in an error, in bytes.
const maxShown = 80

// repository returns the hooks of the repository of dir, and the item that the user has to
// confirm: the file, with the files of the repository that the commands name. There are
// none without the file.
func repository(dir string) (settings.Hooks, []trust.Item, error) {
	root := instructions.Root(dir)
	text, err := trust.ReadFile(root, filepath.FromSlash(repositoryFile))
	if err != nil || text == "" {
		return settings.Hooks{}, nil, err
	}
	all, err := settings.ParseHooks(repositoryFile, []byte(text))
	if err != nil {
		return settings.Hooks{}, nil, fmt.Errorf("the hooks of this repository are not used: %w", err)
	}
	var commands []string
	for _, event := range settings.HookEvents {
		for _, h := range all.At(event) {
			if outside(h, false, dir) {
				return settings.Hooks{}, nil, fmt.Errorf("the hooks of this repository are not used: the hook `%s` at %s in %s has \"sandbox\": false, but the model can change what a hook of a repository runs. To run it outside the sandbox, move it to your configuration", phrase.OneLine(h.Command, maxShown), event, repositoryFile)
			}
			commands = append(commands, h.Command)
		}
	}
	programs, _ := trust.Commands(root, dir, commands...)
	item := trust.Item{Kind: trust.Hooks, Name: repositoryFile, File: repositoryFile, Content: text + programs, Live: true}
	return all, []trust.Item{item}, nil
}

// Items is the trust.Source of hooks.
func Items(dir string) ([]trust.Item, error) {
	_, items, err := repository(dir)
	return items, err
}

// Session is what the hooks of a session need.
type Session struct {
	ID, Dir string
	User    settings.Hooks // those of the configuration
	Review  *trust.Review  // decides on those of the repository
	Limits  shell.Limits   // environment variables of commands
	Mask    func(string) string
	// Area and Record are as in the options of the runner.
	Area   func() *confine.Area
	Record func() *snapshot.Order
}

// Open returns the runner of the hooks of a session; nil if there are none. It runs none
// of them.
func (s Session) Open() *loophooks.Runner {
	ofUser := slices.ContainsFunc(settings.HookEvents, func(event string) bool { return len(s.User.At(event)) > 0 })
	if items, _ := Items(s.Dir); !ofUser && len(items) == 0 { // the review reports the error
		return nil
	}
	words := []string{shell.Program(), "-c", "--"}
	if runtime.GOOS == "windows" {
		words = []string{shell.Program(), "/S", "/C"}
	}
	return loophooks.New(loophooks.Options{
		Session: s.ID, Dir: s.Dir, Find: s.finder(), Mask: s.Mask, Area: s.Area, Record: s.Record,
		Environment: func() []string { return shell.Scrub(os.Environ(), s.Limits) },
	}, words)
}

// finder returns the function for loophooks.Options.Find: it finds the user's hooks, and
// those of the repository if the user has confirmed the current content of its files.
// When confirmed hooks stop running because their files have changed, it reports that once.
func (s Session) finder() func(event string) ([]loophooks.Hook, string) {
	var confirmed atomic.Bool // hooks of the repository, at the last event
	return func(event string) (out []loophooks.Hook, problem string) {
		add := func(all []settings.Hook, ofUser bool) {
			for _, h := range all {
				out = append(out, loophooks.Hook{Tool: h.Tool, Path: h.Path, Command: h.Command, Claude: h.Format == "claude", Limit: time.Duration(h.Timeout) * time.Second, Outside: outside(h, ofUser, s.Dir)})
			}
		}
		add(s.User.At(event), true)
		theirs, items, err := repository(s.Dir)
		switch now := err == nil && len(items) > 0 && s.Review.Confirmed(items[0]); {
		case now:
			confirmed.Store(true)
			add(theirs.At(event), false)
		case confirmed.Swap(false) && (len(items) == 0 || s.Review.Changed(items[0])): // not if the user revoked them
			problem = "The hooks of this repository no longer run, because " + repositoryFile + " or a file that they name has changed. To confirm them again: /trust or `agent trust`"
		}
		return out, problem
	}
}
