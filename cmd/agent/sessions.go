package main

import (
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"agent/internal/tui"
)

// sessionsCommand is `agent sessions`.
func sessionsCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "sessions",
		Short:   "list the sessions of this directory",
		Example: "  agent sessions --all\n  agent --resume ID",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := openStore()
			if err != nil {
				return err
			}
			dir := ""
			if !all {
				if dir, err = os.Getwd(); err != nil {
					return fmt.Errorf("find the working directory: %w", err)
				}
			}
			infos, err := store.List(dir)
			if err != nil {
				return err
			}
			if len(infos) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "There is no session here yet. agent sessions --all lists those of all directories.")
				return nil
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tWHEN\tDIRECTORY\tMESSAGES\tFIRST WORDS")
			for _, i := range infos {
				s := outline(store, i)
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", i.ID, when(i.Modified, time.Now()), tui.SanitizeLine(short(i.Dir)), s.Messages, tui.Truncate(tui.SanitizeLine(s.Title), 60))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "those of all directories")
	return cmd
}
