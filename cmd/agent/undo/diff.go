package undo

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/undo"
	"agent/internal/tools/snapshot"
	"agent/internal/tui/diff"
)

// DiffOptions are the options of `agent diff`.
type DiffOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	Session string // ID; empty for the newest one with changes
	Here    bool   // the working directory is that of the session
	Stat    bool   // only the number of lines of each file
}

// NewCmdDiff returns `agent diff`.
func NewCmdDiff(f *command.Factory, runF command.RunFunc[DiffOptions]) *cobra.Command {
	opts := &DiffOptions{IO: f.IO, Store: f.Store}
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "show the file changes since a session began",
		Long: `Diff compares the files that a session changed with their contents before the
session. It prints a unified diff for git apply and patch, which includes changes
that others made to these files.`,
		Example: `  agent diff --stat
  agent diff | git apply -R    undo them all`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Or(runF, diffRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Session, "session", "", "session `ID` (default: the newest session of this directory that changed files)")
	cmd.Flags().BoolVar(&opts.Here, "here", false, hereUsage)
	cmd.Flags().BoolVar(&opts.Stat, "stat", false, "only print the number of changed lines of each file")
	return cmd
}

func diffRun(ctx context.Context, opts *DiffOptions) error {
	s, err := source{io: opts.IO, store: opts.Store, id: opts.Session, here: opts.Here}.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := s.restorer.Changes(ctx)
	if err != nil {
		return err
	}
	now := s.restorer.PreviewChanges(p)
	if opts.Stat {
		printStat(writer{opts.IO.Out}, now.Diffs)
	} else {
		printPatch(writer{opts.IO.Out}, p.Items, now.Diffs)
	}
	for _, l := range now.Lost {
		opts.IO.Warn("not shown: %s", shown(strings.TrimPrefix(l.Path+": ", ": ")+l.Why))
	}
	return nil
}

// printStat prints the number of changed lines of each file.
func printStat(w writer, all []event.Diff) {
	added, removed := 0, 0
	for _, d := range all {
		w.printf("%s  %s\n", shown(d.Path), diff.Stat(d))
		added, removed = added+d.Added, removed+d.Removed
	}
	w.printf("%s, +%d −%d\n", phrase.Count(len(all), "file"), added, removed)
}

// printPatch prints items of the plan that undoes all changes, and their diffs, in the
// format of git. What a diff cannot express is a comment, which git and patch skip: binary
// files, links, and directories without changed files.
func printPatch(w writer, items []undo.Item, diffs []event.Diff) {
	hunks := map[string]string{}
	for _, d := range diffs {
		hunks[d.Path] = d.Unified
	}
	for i, it := range items {
		before, after := gitMode(it.To), gitMode(it.Now)
		unified := hunks[it.Shown]
		isText := before+after != "" && !isLink(it.To) && !isLink(it.Now)
		switch {
		case before == "" && after == "":
			if i+1 == len(items) || !strings.HasPrefix(items[i+1].Path, it.Path+string(filepath.Separator)) {
				w.printf("# %s → %s: %s\n", describe(it.To), describe(it.Now), quoted(it.Shown))
			}
		case filepath.IsAbs(it.Shown):
			w.printf("# outside the directory of the session: %s\n", quoted(it.Shown))
		case !isText || strings.HasPrefix(unified, "@@ too large") || strings.HasPrefix(unified, "@@ binary"):
			kind := ""
			if isText {
				kind = "binary or large, "
			}
			w.printf("# %s%s → %s: %s\n", kind, describe(it.To), describe(it.Now), quoted(it.Shown))
		default:
			w.printf("%s", patch(it.Shown, before, after, unified))
		}
	}
}

// describe returns what was or is at a path: "12 KB" for a file.
func describe(s snapshot.State) string {
	switch s.Kind {
	case snapshot.Absent:
		return "nothing"
	case snapshot.File:
		return phrase.Bytes(s.Size)
	case snapshot.Dir:
		return fmt.Sprintf("directory with mode %04o", s.Mode)
	case snapshot.Link:
		return "link to " + quoted(s.Target)
	}
	return "special file"
}

// patch returns the patch of one file. The modes are empty if the file does not exist.
func patch(path, before, after, unified string) string {
	from, to := quoted("a/"+path), quoted("b/"+path)
	text := fmt.Sprintf("diff --git %s %s\n", from, to)
	switch {
	case before == "":
		text += "new file mode " + after + "\n"
		from = "/dev/null"
	case after == "":
		text += "deleted file mode " + before + "\n"
		to = "/dev/null"
	case before != after:
		text += "old mode " + before + "\nnew mode " + after + "\n"
	}
	if !strings.HasPrefix(unified, "@@ -") { // only the mode differs, or the file is empty
		return text
	}
	return text + "--- " + ended(from) + "\n+++ " + ended(to) + "\n" + strings.TrimSuffix(unified, "\n") + "\n"
}

// ended returns a name in a patch with the tab that ends it if it contains spaces.
func ended(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}

// gitMode returns the mode of a file or link as git writes it; empty for anything else.
func gitMode(s snapshot.State) string {
	switch {
	case s.Kind == snapshot.Link:
		return "120000"
	case s.Kind != snapshot.File:
		return ""
	case s.Mode&0o100 != 0:
		return "100755"
	}
	return "100644"
}

func isLink(s snapshot.State) bool { return s.Kind == snapshot.Link }

// quoted returns a path as git writes it: in quotes if it has special characters.
func quoted(path string) string {
	var b strings.Builder
	special := false
	for _, c := range []byte(path) {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
			continue
		}
		special = true
	}
	if !special {
		return path
	}
	return `"` + b.String() + `"`
}
