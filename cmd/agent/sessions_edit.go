package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agent/internal/history"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// renameCommand is `agent sessions rename`.
func renameCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rename ID TITLE...",
		Short:   "give a session a title; an empty one gives it back its first words",
		Example: "  agent sessions rename 1ng2j0n the parser that hangs",
		Args:    atLeast(2, "the ID of a session and its title: agent sessions rename ID TITLE"),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := openStore()
			if err != nil {
				return err
			}
			title := strings.Join(strings.Fields(strings.Join(args[1:], " ")), " ")
			return rename(store, args[0], title)
		},
	}
}

// rename appends a title to a session that nobody else holds.
func rename(store *history.Store, id, title string) error {
	record, err := event.Encode(&event.Renamed{Meta: event.Meta{Time: time.Now()}, Title: title})
	if err != nil {
		return err
	}
	log, problems, err := store.ResumeTail(id)
	if err != nil {
		return lookedFor(err)
	}
	for _, p := range problems {
		warn("%s", p.Text)
	}
	return errors.Join(log.Append(record, true), log.Close())
}

// removeCommand is `agent sessions remove`.
func removeCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:     "remove ID...",
		Short:   "remove sessions for good, with all that belongs to them",
		Example: "  agent sessions remove 1ng2j0n 1ng3q8v",
		Args:    atLeast(1, "the IDs of sessions: agent sessions remove ID..."),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := openStore()
			if err != nil {
				return err
			}
			ids, err := whole(args)
			if err != nil {
				return err
			}
			if !yes {
				if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stderr.Fd()) {
					return errors.New("nothing is removed: nobody can be asked here. Allow it with --yes")
				}
				if !confirmed(os.Stdin, fmt.Sprintf("Remove %s for good? [y/N] ", phrase.Count(len(ids), "session"))) {
					return errors.New("nothing is removed: you said no")
				}
			}
			var failed error
			for _, id := range ids {
				failed = errors.Join(failed, store.Remove(id))
			}
			return failed
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// whole returns the whole IDs of sessions that are there, each once, and tells
// on standard error which they are.
func whole(short []string) ([]string, error) {
	var ids []string
	seen := map[string]bool{}
	for _, s := range short {
		v, err := view(s)
		if err != nil {
			return nil, err
		}
		id := v.Header().ID
		if !seen[id] {
			warn("%s  %s", id, session.OutlineOf(v.From(0)).Title)
			ids = append(ids, id)
		}
		seen[id] = true
		if err := v.Close(); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// confirmed asks a question on standard error.
func confirmed(in io.Reader, question string) bool {
	fmt.Fprint(os.Stderr, question)
	answer, _ := bufio.NewReader(in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// repairCommand is `agent sessions repair`.
func repairCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "repair ID | --all",
		Short: "check sessions for damage, and cut torn ends",
		Long: `Repair reads a session whole and says what is damaged. A torn end, as a power
failure leaves it, is cut off and kept beside the session. Other damage is passed
over whenever the session is read, and hides nothing that follows.`,
		Args: func(_ *cobra.Command, args []string) error {
			if all != (len(args) == 0) {
				return usage("give it the IDs of sessions, or --all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := openStore()
			if err != nil {
				return err
			}
			if all {
				infos, err := store.List("")
				if err != nil {
					return err
				}
				for _, i := range infos {
					args = append(args, i.ID)
				}
			}
			return repair(store, args, newConsole(os.Stdout))
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "all sessions")
	return cmd
}

// repair repairs sessions and prints what was wrong.
func repair(store *history.Store, ids []string, out console) error {
	var failed error
	wrong := 0
	for _, id := range ids {
		problems, err := store.Repair(id)
		if err != nil {
			failed = errors.Join(failed, lookedFor(err))
			continue
		}
		if len(problems) > 0 {
			wrong++
		}
		for _, p := range problems {
			out.say(id + ": " + p.Text + "\n")
		}
	}
	fmt.Fprintf(out, "%s read, %d with damage\n", phrase.Count(len(ids), "session"), wrong)
	return failed
}
