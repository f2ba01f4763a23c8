package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/models"
	"agent/cmd/agent/settings"
	"agent/internal/history"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/realpath"
	"agent/internal/tools/caches"
	"agent/internal/tools/shell/sandbox"
)

// checkConfiguration reads and checks the configuration file.
func checkConfiguration(read func() (settings.File, error), check func(settings.Settings) error) (settings.File, row) {
	out := row{Name: "configuration", Status: ok}
	path, err := settings.Path(os.Getenv)
	if err != nil {
		out.Status, out.Detail = failed, err.Error()
		return settings.File{}, out
	}
	file, err := read()
	if err == nil {
		err = check(file.Settings)
	}
	if err != nil {
		out.Status, out.Detail, out.Advice = failed, err.Error(), "Correct the file."
		return file, out
	}
	out.Detail = path + " is valid"
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		out.Detail = path + " does not exist, so all settings have their defaults"
	}
	return file, out
}

// checkPolicy reads the system policy and describes its limits.
func checkPolicy(file settings.SystemFile) row {
	out := row{Name: "policy", Status: ok, Detail: file.Path + " does not exist, so no system policy applies"}
	p, err := file.Read()
	switch {
	case err != nil:
		out.Status, out.Detail, out.Advice = failed, capital(err.Error()), "agent does not start until it is corrected."
	case p.Path != "":
		out.Detail = p.Path + ": " + phrase.Count(len(p.Rules), "rule")
		if len(p.Modes) > 0 {
			out.Detail += ", permission modes " + strings.Join(event.ModeNames(p.Modes), ", ")
		}
		if p.Sandbox {
			out.Detail += ", the sandbox is required"
		}
	}
	return out
}

// checkModels tests the models that the user connected.
func checkModels(ctx context.Context, opts *Options, set settings.Settings) []row {
	h := models.New(models.Flags{}, set, "", false, opts.Cleanup).ModelStatus(ctx, !opts.Offline)
	out := row{Name: "model", Status: ok, Detail: h.Model + ", " + h.Why}
	switch {
	case h.Err != nil:
		out.Status, out.Detail, out.Advice = failed, h.Err.Error(), "To list models: agent models"
	case h.Offline:
		out.Status, out.Detail, out.Advice = warning, "no model is connected", "To see how to connect one: agent models"
	}
	rows := []row{out}
	for _, s := range h.Servers {
		r := row{Name: "server " + s.Provider, Status: ok, Detail: s.String()}
		if s.Err != nil {
			r.Status, r.Detail = failed, r.Detail+": "+s.Err.Error()
			r.Advice = "Check the base URL, the API key and the network. To store another key: agent login " + s.Provider
		}
		rows = append(rows, r)
	}
	return rows
}

// lowSpace is the free space in bytes below which saving sessions may soon fail.
const lowSpace = 100 << 20

// checkState describes the state directory, in which sessions are saved.
func checkState(ctx context.Context) []row {
	out := row{Name: "state", Status: ok}
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		out.Status, out.Detail = failed, err.Error()
		return []row{out}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.Detail = dir + " does not exist; the first session creates it"
		return []row{out}
	case err != nil:
		out.Status, out.Detail = failed, err.Error()
		return []row{out}
	case !info.IsDir():
		out.Status, out.Detail, out.Advice = failed, dir+" is not a directory", "Remove or rename it."
		return []row{out}
	}
	size, err := sizeOf(ctx, dir, caches.Dir(dir))
	if err != nil {
		out.Status, out.Advice = failed, "Part of the directory cannot be read: "+err.Error()
	}
	store := history.Open(dir)
	sessions, err := store.List("")
	if err != nil {
		out.Status, out.Advice = failed, capital(err.Error())
	}
	out.Detail = fmt.Sprintf("%s, mode %04o, %s in %s", command.Short(dir), info.Mode().Perm(), phrase.Bytes(size), phrase.Count(len(sessions), "session"))
	if out.Status == ok && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		out.Status, out.Advice = warning, "Other users can read your sessions. Run: chmod 700 "+dir
	}
	return []row{out, checkUndo(store), checkSpace(dir)}
}

// checkUndo describes the old contents of files that are stored for undo.
func checkUndo(store *history.Store) row {
	out := row{Name: "undo", Status: ok}
	_, size, err := store.UndoSizes("")
	if err != nil {
		out.Status, out.Detail = failed, err.Error()
		return out
	}
	out.Detail = phrase.Bytes(size) + " of old file contents in sessions"
	return out
}

// checkSpace describes the free space of the disk that holds dir.
func checkSpace(dir string) row {
	out := row{Name: "disk", Status: ok, Detail: "free space is unknown"}
	free, known := freeSpace(dir)
	if !known {
		return out
	}
	out.Detail = phrase.Bytes(free) + " free for sessions"
	if free < lowSpace {
		out.Status, out.Advice = warning, "Free up disk space, so that sessions can still be saved."
	}
	return out
}

// checkCaches describes the caches of commands that nobody approved, and tests whether the system can
// keep them apart from those of the user. Off says that the configuration turns the sandbox off.
func checkCaches(ctx context.Context, off bool) []row {
	state, err := history.Dir(os.Getenv)
	if info, e := os.Stat(state); err != nil || e != nil || !info.IsDir() {
		return nil
	}
	out := row{Name: "caches", Status: ok}
	size := caches.TotalSize(ctx, state)
	if size > 0 {
		out.Detail = phrase.Bytes(size) + " of builds that ran without approval"
	}
	if !off && sandbox.Probe().Form == sandbox.Complete {
		home, _ := os.UserHomeDir()
		var lower, failed []string
		for _, dir := range (sandbox.UserPaths{Home: home, Env: os.Getenv}).Caches() {
			lower = append(lower, realpath.Of(dir))
		}
		if failed, err = caches.Test(state, lower); len(failed) > 0 {
			for i, dir := range failed {
				failed[i] = command.Short(dir)
			}
			out.Status = warning
			out.Detail = "commands that nobody approved can write to " + strings.Join(failed, ", ") + ", because the system cannot mount overlays there: " + err.Error()
			out.Advice = "Code that they place there can run in your builds: see agent help sandbox."
		}
	}
	if out.Detail == "" {
		return nil
	}
	return []row{out}
}

// sizeOf returns the size of the files below dir in bytes, without those below skip.
func sizeOf(ctx context.Context, dir, skip string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if path == skip {
			return fs.SkipDir
		}
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size, err
}
