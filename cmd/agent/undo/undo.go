// Package undo holds `agent undo` and `agent diff`: they undo and show the file changes
// of a stored session. They start no session, run no program, and need neither a
// model nor git. Start reading at NewCmdUndo.
package undo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/internal/history"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/loop/undo"
	"agent/internal/tui/diff"
)

// Options are the options of `agent undo`.
type Options struct {
	IO    command.IO
	Store func() (*history.Store, error)

	Session string // ID; empty for the newest one with changes
	Here    bool   // the working directory is that of the session
	Turns   int    // 0 for the last turn that changed files
	Redo    bool
	Ignored bool // also remove files that git ignores
	DryRun  bool
	Yes     bool // do not ask for confirmation
}

// NewCmdUndo returns `agent undo`.
func NewCmdUndo(f *command.Factory, runF command.RunFunc[Options]) *cobra.Command {
	opts := &Options{IO: f.IO, Store: f.Store}
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "undo the file changes of a session",
		Long: `Undo restores the files that the last turn of a session changed, with tools or with
commands, also after a crash of the program. It shows the exact changes and asks
before it applies them.

A file that was changed since is merged if the changes do not overlap. Otherwise it
is a conflict and stays as it is. An undo can itself be undone: see --redo.

Exit code 1 means that some changes were in conflict or could not be undone.`,
		Example: `  agent undo                       undo the last turn that changed files in this directory
  agent undo --turns 3 --dry-run   show the undo of the last three such turns
  agent undo --redo                undo the last undo
  agent undo --session 1ng2j0n --yes`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case cmd.Flags().Changed("turns") && opts.Turns < 1:
				return command.Usage("--turns: %d is not a number of turns: give 1 or more", opts.Turns)
			case opts.Redo && (opts.Turns > 0 || opts.Ignored):
				return command.Usage("--redo undoes the last undo: remove --turns and --ignored")
			}
			return command.Or(runF, undoRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Session, "session", "", "session `ID` (default: the newest session of this directory that changed files)")
	cmd.Flags().BoolVar(&opts.Here, "here", false, hereUsage)
	cmd.Flags().IntVarP(&opts.Turns, "turns", "n", 0, "undo the last `N` turns that changed files (default 1)")
	cmd.Flags().BoolVar(&opts.Redo, "redo", false, "undo the last undo")
	cmd.Flags().BoolVar(&opts.Ignored, "ignored", false, "also remove files that git ignores and that commands created")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "show the changes and apply nothing")
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "apply without confirmation; conflicts are skipped")
	return cmd
}

// hereUsage describes --here.
const hereUsage = "use the current directory as that of the session, for example after it was renamed"

func undoRun(ctx context.Context, opts *Options) error {
	if !opts.Yes && !opts.DryRun && !opts.IO.Interactive() {
		return command.Usage("there is no terminal for the confirmation. Add --yes to undo without it, or --dry-run to show the changes")
	}
	back := undo.Back{Redo: opts.Redo, Turns: opts.Turns, Removes: opts.Ignored}
	s, err := source{io: opts.IO, store: opts.Store, id: opts.Session, here: opts.Here, back: back}.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	w := writer{opts.IO.Out}
	if finished, err := s.begin(ctx, w, opts.DryRun); err != nil || finished {
		return err
	}
	p, err := s.restorer.Plan(ctx, back)
	if err != nil {
		return err
	}
	shown := s.restorer.Preview(p)
	w.plan(shown, !opts.Yes)
	if shown.ID == "" {
		return fmt.Errorf("nothing was changed: %s", shown.Why)
	}
	if opts.DryRun {
		return nil
	}
	if !opts.Yes && !opts.IO.Confirm(question(p)) {
		return errors.New("nothing was changed")
	}
	done, err := s.restorer.Apply(ctx, p)
	if err != nil {
		return err
	}
	if err := s.append(ctx, &done, p.Turns); err != nil {
		return fmt.Errorf("the files were changed, but the session log could not be updated: %w", err)
	}
	w.result(&done, p.Partial)
	if err := s.move(); err != nil {
		return fmt.Errorf("the files were changed, but the directory of the session could not be: %w", err)
	}
	if len(done.Conflicts)+len(done.Lost) > 0 {
		return &exit.Error{Code: exit.Failed}
	}
	return nil
}

// begin names the session and locks it. It reports whether there was an undo that a crash
// interrupted, which it finishes: the user who repeats an undo does not want another one. With
// dry it changes nothing.
func (s *stored) begin(ctx context.Context, w writer, dry bool) (finished bool, err error) {
	if !dry {
		if err := s.lock(); err != nil {
			return false, err
		}
	}
	w.printf("Session %s: %s\n", s.id, s.title())
	if !dry {
		return s.recover(ctx, w)
	}
	if finished = s.restorer.Unfinished(); finished {
		w.printf("An undo was interrupted when the program exited. The next agent undo finishes it, and undoes nothing else.\n")
	}
	return finished, nil
}

// question asks whether to apply a plan.
func question(p *undo.Plan) string {
	verb := "Undo"
	if p.Redo {
		verb = "Redo"
	}
	return fmt.Sprintf("%s these changes of %s? [y/N] ", verb, phrase.Count(len(p.Items), "path"))
}

// append appends an undo to the log of the session, after the events that a crash left
// missing, so that the model is told when the session is resumed. Turns are those that
// were undone.
func (s *stored) append(ctx context.Context, done *event.Undone, turns []event.ChangedTurn) error {
	v, err := s.log.View()
	if err != nil {
		return err
	}
	defer v.Close()
	index, err := session.ReadIndex(ctx, v)
	if err != nil {
		return err
	}
	missing := index.Closing()
	missing = append(missing, index.Lost(missing)...)
	done.Meta = event.Meta{Time: time.Now()}
	missing = append(missing, done)
	if todo, changed := session.TodoAfterUndo(index.Events(), session.FirstPrompt(index.Events(), turns), done.Redo); changed {
		missing = append(missing, &event.TodoSet{Meta: done.Meta, Items: todo})
	}
	for i, e := range missing {
		record, err := event.Encode(e)
		if err != nil {
			return err
		}
		if err := s.log.Append(record, i == len(missing)-1); err != nil {
			return err
		}
	}
	return nil
}

// writer prints plans and results. Paths and contents of files are not trusted.
type writer struct{ out command.Console }

func (w writer) printf(format string, args ...any) { w.out.Say(fmt.Sprintf(format, args...)) }

// plan prints what an undo would do, with full diffs or only the numbers of lines.
func (w writer) plan(p event.UndoPlan, full bool) {
	verb := "Undo"
	if p.Redo {
		verb = "Redo"
	}
	for _, t := range p.Turns {
		w.printf("%s %s\n", verb, turnLine(t))
	}
	w.diffs(p.Diffs, full)
	w.list("Merged with later changes by others:", p.Merged)
	if len(p.Conflicts) > 0 {
		w.printf("\nIn conflict with later changes by others. These files stay as they are. Not applied to them:\n")
		w.diffs(p.Conflicts, full)
	}
	w.list(unsaved, changeLines(p.Unsaved))
	w.rest(p.Lost, p.Ignored, p.Git)
}

// turnLine describes a turn, or a command that the user typed, on one line.
func turnLine(t event.ChangedTurn) string {
	name := fmt.Sprintf("turn %d: %s", t.Number, t.Prompt)
	if strings.HasPrefix(t.Prompt, "!") {
		name = t.Prompt
	}
	line := fmt.Sprintf("%s · %s, +%d −%d", name, phrase.Count(t.Files, "file"), t.Added, t.Removed)
	if t.Git {
		line += ", git"
	}
	if t.Commands > 0 {
		line += ", " + phrase.Count(t.Commands, "command")
	}
	return line
}

func (w writer) diffs(all []event.Diff, full bool) {
	for _, d := range all {
		if !full {
			w.printf("  %s  %s\n", shown(d.Path), diff.Stat(d))
			continue
		}
		w.printf("\n%s  %s\n", shown(d.Path), diff.Stat(d))
		for line := range strings.Lines(diff.HideMark(d.Unified)) {
			w.printf("  %s", line)
		}
	}
}

func (w writer) list(heading string, paths []string) {
	if len(paths) == 0 {
		return
	}
	w.printf("\n%s\n", heading)
	for _, p := range paths {
		w.printf("  %s\n", shown(p))
	}
}

// shown returns a text with a path on one line, in quotes if it has characters that cannot
// be printed.
func shown(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// rest prints what an undo does not do.
func (w writer) rest(lost []event.LostChange, ignored int, git []string) {
	w.list("Cannot be restored:", changeLines(lost))
	if ignored > 0 {
		w.printf("\nKept: %s that commands created and git ignores. To remove them, add --ignored.\n", phrase.Count(ignored, "file"))
	}
	w.list("Commits and branch switches stay. To undo them, run:", git)
}

// unsaved is the heading of the files whose content before an undo is not kept.
const unsaved = "This cannot be undone for:"

// changeLines returns a line for each path, with the reason.
func changeLines(all []event.LostChange) (lines []string) {
	for _, l := range all {
		lines = append(lines, strings.TrimPrefix(l.Path+": ", ": ")+l.Why)
	}
	return lines
}

// result prints what an undo has done. Partial is that of the plan.
func (w writer) result(e *event.Undone, partial bool) {
	verb := "restored"
	if e.Redo {
		verb = "changed again"
	}
	w.printf("\n%s %s.\n", phrase.Count(len(e.Restored)+len(e.Merged), "path"), verb)
	w.list("In conflict, not changed:", e.Conflicts)
	w.list("Not restored:", changeLines(e.Lost))
	w.list(unsaved, changeLines(e.Unsaved))
	again := "agent undo --redo"
	if e.Redo {
		again = "agent undo"
	}
	if partial {
		w.printf("To restore the rest, fix the problem, run %s, and then repeat this command.\n", again)
	}
	w.printf("To undo this: %s\n", again)
}
