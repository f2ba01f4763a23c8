package sessions

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/loop/event"
)

// parse returns the options that a command parses from args.
func parse[O any](newCmd func(*command.Factory, command.RunFunc[O]) *cobra.Command, args ...string) (O, error) {
	var got O
	cmd := newCmd(&command.Factory{Version: "1.2"}, func(_ context.Context, opts *O) error {
		got = *opts
		return nil
	})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return got, cmd.ExecuteContext(context.Background())
}

// takes checks the options that a command parses from args, except its streams and
// its store.
func takes[O any](t *testing.T, newCmd func(*command.Factory, command.RunFunc[O]) *cobra.Command, want O, args ...string) {
	t.Helper()
	got, err := parse(newCmd, args...)
	if err != nil {
		t.Errorf("%q: %v", args, err)
	}
	if d := cmp.Diff(got, want, cmpopts.IgnoreTypes(command.IO{})); d != "" {
		t.Errorf("%q: %s", args, d)
	}
}

func TestOptionsOfCommands(t *testing.T) {
	t.Parallel()
	takes(t, NewCmdList, ListOptions{})
	takes(t, NewCmdList, ListOptions{All: true}, "--all")
	takes(t, NewCmdTree, ListOptions{Tree: true, Dir: "/d"}, "--dir", "/d")
	takes(t, NewCmdShow, ShowOptions{ID: "1a"}, "1a")
	takes(t, NewCmdSearch, SearchOptions{Words: []string{"a", "b c"}, Limit: 100}, "a", "b c")
	takes(t, NewCmdSearch, SearchOptions{Words: []string{"a"}, Regexp: true, Dir: ".", Limit: 5}, "-E", "a", "--dir", ".", "-n", "5")
	takes(t, NewCmdRename, RenameOptions{ID: "1a", Title: "two words"}, "1a", " two", "words ")
	takes(t, NewCmdRename, RenameOptions{ID: "1a"}, "1a", "")
	takes(t, NewCmdDelete, DeleteOptions{IDs: []string{"1a", "1b"}, Yes: true}, "1a", "1b", "-y")
	takes(t, NewCmdRepair, RepairOptions{IDs: []string{"1a"}}, "1a")
	takes(t, NewCmdRepair, RepairOptions{IDs: []string{}, All: true}, "--all")
	takes(t, NewCmdExport, ExportOptions{ID: "1a", Format: "md"}, "1a")
	takes(t, NewCmdExport, ExportOptions{ID: "1a", Format: "html", File: "a.HTM"}, "1a", "-o", "a.HTM")
	takes(t, NewCmdExport, ExportOptions{ID: "1a", Format: "json", File: "a.html"}, "1a", "-o", "a.html", "--format", "json")
	takes(t, NewCmdImport, ImportOptions{Version: "1.2", Files: []string{"a", "-"}, Dir: "/d"}, "a", "-", "--dir", "/d")
	schema := func(f *command.Factory, runF command.RunFunc[SchemaOptions]) *cobra.Command {
		return NewCmdSchema(f, nil, runF)
	}
	takes(t, schema, SchemaOptions{})
	takes(t, schema, SchemaOptions{Of: "input"}, "input")
}

func TestWrongCalls(t *testing.T) {
	t.Parallel()
	wrong := func(name string, err error) {
		t.Helper()
		if _, ok := errors.AsType[*command.UsageError](err); !ok {
			t.Errorf("%s: got %v, want a usage error", name, err)
		}
	}
	_, err := parse(NewCmdList, "--all", "--dir", ".")
	wrong("list --all --dir", err)
	_, err = parse(NewCmdList, "x")
	wrong("list x", err)
	_, err2 := parse(NewCmdShow)
	wrong("show", err2)
	_, err3 := parse(NewCmdSearch, "a", "--limit", "-1")
	wrong("search --limit -1", err3)
	_, err4 := parse(NewCmdRename, "1a")
	wrong("rename 1a", err4)
	_, err5 := parse(NewCmdRepair, "1a", "--all")
	wrong("repair 1a --all", err5)
	_, err6 := parse(NewCmdRepair)
	wrong("repair", err6)
	wrong("export --format pdf", exportRun(t.Context(), &ExportOptions{Format: "pdf"}))
	wrong("search --regexp (", searchRun(t.Context(), &SearchOptions{Words: []string{"("}, Regexp: true}))
	wrong("search of no word", searchRun(t.Context(), &SearchOptions{Words: []string{`""`}}))
	wrong("import --dir", importRun(t.Context(), &ImportOptions{Store: storeOf(history.Open(t.TempDir())), Dir: "/nowhere/at/all"}))
}

func storeOf(s *history.Store) func() (*history.Store, error) {
	return func() (*history.Store, error) { return s, nil }
}

// TestRunWithOptions runs the commands with the streams and the store of their
// options.
func TestRunWithOptions(t *testing.T) {
	t.Parallel()
	store := history.Open(t.TempDir())
	var out, stderr bytes.Buffer
	streams := command.IO{Out: command.Console{Writer: &out, Terminal: true}, Err: command.Console{Writer: &stderr}}
	if err := listRun(t.Context(), &ListOptions{IO: streams, Store: storeOf(store), All: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stderr.String(), "There are no sessions in this directory") || out.Len() > 0 {
		t.Errorf("got %q and %q", &out, &stderr)
	}
	begun := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	records := encodeAll([]event.Durable{&event.UserSaid{Meta: event.Meta{Time: begun}, Text: "red \x1b[31mherrings"}})
	for _, id := range []string{"k1", "k2"} {
		h := history.Header{ID: id, Dir: "/d", Time: begun}
		if id == "k2" {
			h.Parent = "k1"
		}
		log, err := store.CreateFrom(h, records)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := listRun(t.Context(), &ListOptions{IO: streams, Store: storeOf(store), Dir: "/d", Tree: true}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[1], "k1 ") || !strings.HasPrefix(lines[2], "└ k2 ") {
		t.Errorf("got the tree\n%s", &out)
	}
	out.Reset()
	if err := searchRun(t.Context(), &SearchOptions{IO: streams, Store: storeOf(store), Words: []string{"HERRINGS"}, Limit: 1}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "you") || strings.Contains(out.String(), "\x1b[31m") || !strings.Contains(stderr.String(), "There are more matches") {
		t.Errorf("found %q and %q", &out, &stderr)
	}
	out.Reset()
	if err := Show(t.Context(), &ShowOptions{IO: streams, Store: storeOf(store), ID: "k2"}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "k2 · /d · ") || !strings.Contains(got, "› red ␛[31mherrings") {
		t.Errorf("got %q", got)
	}
	err := Show(t.Context(), &ShowOptions{IO: streams, Store: storeOf(store), ID: "none"})
	if !errors.Is(err, history.ErrNotFound) || !strings.Contains(err.Error(), "To list all sessions: agent sessions --all") {
		t.Errorf("got %v", err)
	}
}
