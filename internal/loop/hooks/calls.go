package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/llm/phrase"
	"agent/internal/realpath"
	"agent/internal/tools"
)

// calls runs the hooks of the tool calls of one agent.
type calls struct {
	r     *Runner
	dir   string // the workspace of the agent
	real  string // dir without symbolic links
	agent string // number of the delegate; empty for the main agent

	mu   sync.Mutex
	seen map[callKey]decided
}

// callKey identifies a call. The ID alone does not: some servers count from 0 in every
// reply, and after a compaction or a rewind an ID can occur again.
type callKey struct {
	id, tool string
	step     int
	args     [sha256.Size]byte
}

func keyOf(in tools.Info) callKey {
	return callKey{in.ID, in.Tool, in.Step, sha256.Sum256(in.Args)}
}

// decided is what the hooks before a call decided.
type decided struct {
	outcome
	err   error    // why the call is blocked
	hooks []Hook   // of the tool, for all paths
	paths []string // all names of the files of the call
}

// maxSeen limits the decisions that are kept. They are needed from the preparation of a
// call to its run.
const maxSeen = 256

type before struct{ *calls }

// Arguments implements tools.ArgumentsInterceptor. A call that is prepared again keeps the
// decision, so that each hook runs once.
func (b before) Arguments(ctx context.Context, in tools.Info, args json.RawMessage) (json.RawMessage, error) {
	d, known := b.decision(in)
	if !known {
		tool, given := effective(in.Tool, args, in.Effective)
		if d.hooks = b.r.find(BeforeTool, in.Tool, tool); len(d.hooks) == 0 {
			return args, nil
		}
		input := Input{Event: BeforeTool, Agent: b.agent, Tool: tool, Call: in.ID, Arguments: given}
		input.locate = func(i *Input) { i.Paths, i.file = b.named(in, i.Arguments) }
		input.locate(&input)
		d.paths = input.Paths
		d.outcome = b.r.run(ctx, d.hooks, input)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d.blocked {
			d.err = errors.New("blocked by a hook of the user: " + d.reason)
		}
		b.keep(in, d)
	}
	switch {
	case d.err != nil:
		return nil, d.err
	case d.changed != nil && in.Effective != nil:
		return in.Effective.Wrap(d.changed)
	case d.changed != nil:
		return d.changed, nil
	}
	return args, nil
}

// errMoved is the error of a call whose path led elsewhere when the hooks ran.
var errMoved = errors.New("not run: the path was changed while the hooks of the user ran. Send the call again")

// Check implements tools.CheckInterceptor. It rejects a call if a hook for its paths did not
// run, because something has replaced a directory or a link since.
func (b before) Check(_ context.Context, in tools.Info, c *tools.Call) error {
	d, _ := b.decision(in)
	if d.changed != nil {
		c.Warnings = append(c.Warnings, "The hook "+d.by+" changed the arguments of this call.")
		return nil
	}
	now, _ := targetPaths(c.Targets)
	for _, h := range d.hooks {
		if !h.on(d.paths) && h.on(now) {
			return errMoved
		}
	}
	return nil
}

// named returns all names of the files of a call with arguments args: as the model wrote
// them, and without symbolic links and look-alikes. file is the one that the call acts on;
// empty if it has none or several.
func (b before) named(in tools.Info, args json.RawMessage) (paths []string, file string) {
	paths = b.pathsOf(args)
	if in.Effective != nil {
		var err error
		if args, err = in.Effective.Wrap(args); err != nil {
			return paths, ""
		}
	}
	if in.Targets == nil {
		return paths, ""
	}
	targets, file := targetPaths(in.Targets(args))
	return merged(paths, targets), file
}

// targetPaths returns all names of the paths among targets. file is the only one of them;
// empty if there are several or none.
func targetPaths(targets []tools.Target) (paths []string, file string) {
	n := 0
	for _, t := range targets {
		if t.Kind == tools.Path {
			paths = merged(merged(paths, []string{t.Value}), t.Spelled)
			file = t.Value
			n++
		}
	}
	if n != 1 {
		file = ""
	}
	return paths, file
}

// merged returns the strings of a and those of b that are not among them.
func merged(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

func (c *calls) decision(in tools.Info) (d decided, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, known = c.seen[keyOf(in)]
	return d, known
}

func (c *calls) keep(in tools.Info, d decided) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) >= maxSeen {
		clear(c.seen)
	}
	c.seen[keyOf(in)] = d
}

type after struct{ *calls }

// Run implements tools.RunInterceptor. It adds what the hooks have to say as notes.
func (a after) Run(ctx context.Context, in tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	got, err := next(ctx, c, ok)
	if in.Step == 0 || err != nil || ctx.Err() != nil { // the user typed the command, or it did not run
		return got, err
	}
	d, _ := a.decision(in)
	var notes []string
	if d.changed != nil {
		notes = append(notes, "[A hook of the user changed the arguments of this call to "+phrase.Clip(a.r.o.Mask(string(d.changed)), maxContext)+"]")
	}
	if d.context != "" {
		notes = append(notes, fromHook+d.context)
	}
	tool, args := effective(in.Tool, in.Args, c.Effective)
	if d.changed != nil {
		args = d.changed
	}
	paths := callPaths(c, got)
	if len(paths) == 0 {
		paths = a.pathsOf(args)
	}
	if all := a.r.find(AfterTool, in.Tool, tool); len(all) > 0 {
		names, file := targetPaths(c.Targets)
		out := a.r.run(ctx, all, Input{
			Event: AfterTool, Agent: a.agent, Tool: tool, Call: in.ID, Arguments: json.RawMessage(a.r.o.Mask(string(args))), Paths: paths,
			Title: c.Title, Result: got.Text, Failed: got.IsError,
			file: file, names: merged(names, a.pathsOf(args)),
		})
		if out.context != "" {
			notes = append(notes, fromHook+out.context)
		}
		if out.blocked {
			notes = append(notes, fromHook+out.reason)
		}
	}
	for _, n := range notes {
		got.Notes += n + "\n"
	}
	return got, nil
}

// effective returns the tool and the arguments that hooks get: those of the call of another
// tool that a call is in effect, if there is one.
func effective(tool string, args json.RawMessage, e *tools.Effective) (string, json.RawMessage) {
	if e == nil {
		return tool, args
	}
	return e.Tool, e.Arguments
}

// fromHook precedes the context of a hook in the result of a call.
const fromHook = "[From a hook of the user]\n"

// callPaths returns the paths that a call has as targets or changed.
func callPaths(c tools.Call, got tools.Result) (all []string) {
	for _, t := range c.Targets {
		if t.Kind == tools.Path && !slices.Contains(all, t.Value) {
			all = append(all, t.Value)
		}
	}
	for _, ch := range got.Changes {
		if !slices.Contains(all, ch.Path) {
			all = append(all, ch.Path)
		}
	}
	return all
}

// pathsOf returns the paths that the arguments of a call name, as they are and without
// symbolic links: the values of arguments that are called like a path, and the files of a
// patch. The tool itself may resolve them in another way.
func (c *calls) pathsOf(args json.RawMessage) (all []string) {
	var tree any
	if json.Unmarshal(args, &tree) != nil {
		return nil
	}
	var add func(name string, v any, depth int)
	add = func(name string, v any, depth int) {
		const maxDepth, maxPaths = 8, 1000
		if depth > maxDepth || len(all) >= maxPaths {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for k, child := range v {
				add(k, child, depth+1)
			}
		case []any:
			for _, child := range v {
				add(name, child, depth+1)
			}
		case string:
			found := patched(v)
			if isPathName(name) {
				found = append(found, v)
			}
			for _, p := range found {
				all = merged(all, c.relative(p))
			}
		}
	}
	add("", tree, 0)
	slices.Sort(all)
	return all
}

// isPathName reports whether an argument of that name is a path.
func isPathName(name string) bool {
	return slices.Contains([]string{"path", "paths", "file", "files", "file_path", "filename", "move_to", "from", "to"}, name)
}

// patched returns the files that a patch names.
func patched(text string) (all []string) {
	if !strings.Contains(text, "*** ") {
		return nil
	}
	for line := range strings.Lines(text) {
		for _, prefix := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(line, prefix); ok {
				all = append(all, strings.TrimSpace(name))
			}
		}
	}
	return all
}

// relative returns a path as it is and without symbolic links, both relative to the
// workspace if they are inside, with slashes.
func (c *calls) relative(name string) []string {
	name = filepath.Clean(filepath.FromSlash(name))
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	real := realpath.Of(path)
	if filepath.IsAbs(name) {
		name = realpath.Shorten(name, c.dir)
	}
	return []string{filepath.ToSlash(name), filepath.ToSlash(realpath.Shorten(real, c.real))}
}

// of reports whether h acts on calls of a tool with one of these names.
func (h Hook) of(names []string) bool {
	plain := func(name string) string { return strings.ReplaceAll(name, "/", "|") } // * stands for / too
	return h.Tool == "" || slices.ContainsFunc(names, func(n string) bool { return doublestar.MatchUnvalidated(plain(h.Tool), plain(n)) })
}

// on reports whether h acts on a call with one of these paths.
func (h Hook) on(paths []string) bool {
	return h.Path == "" || slices.ContainsFunc(paths, func(p string) bool {
		if !strings.Contains(h.Path, "/") {
			p = path.Base(p)
		}
		return doublestar.MatchUnvalidated(h.Path, p)
	})
}
