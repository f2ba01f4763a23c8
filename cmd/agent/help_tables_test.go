package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agent/cmd/agent/exit"
	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
	"agent/internal/loop/event"
	keymap "agent/internal/tui/keys"
	"agent/internal/tui/slash"
)

// The generated blocks of the help topics and of the README match the program. UPDATE=1 writes
// them, as make generate does.
func TestHelpTables(t *testing.T) {
	root := rootCommand(&exit.Signals{})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, block := range []struct{ topic, name, text string }{
		{"commands", "commands", commandTable(t, root)}, {"commands", "slash", slashTable()},
		{"keys", "keys", keyTable()}, {"models", "providers", providerTable()},
		{"configuration", "settings", settingTable()}, {"tools", "tools", toolTable(t)},
		{"sessions", "usage", usage(t, root, "sessions")}, {"undo", "usage", usage(t, root, "undo")}, {"undo", "diff", usage(t, root, "diff")}, {"keys", "usage", usage(t, root, "keys")},
		{"models", "usage", usage(t, root, "models")}, {"tools", "usage", usage(t, root, "tool")},
		{"protocol", "commands", vocabularyTable("command", event.Commands())}, {"protocol", "events", vocabularyTable("event", event.Durables())},
		{"protocol", "previews", vocabularyTable("event", event.Previews())},
		{"../../../internal/design", "packages", packageTable(t)},
		{"", "topics", topicTable()}, {"headless", "exit codes", exitCodeTable()}, {"configuration", "usage", usage(t, root, "config")}, {"headless", "usage", usage(t, root, "run")},
		{"headless", "eval", usage(t, root, "eval")}, {"agents", "usage", usage(t, root, "agents")}, {"permissions", "usage", usage(t, root, "permit")}, {"editors", "usage", usage(t, root, "acp")},
	} {
		path := topicFile(block.topic)
		if block.topic == "" {
			path = "../../README.md"
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := withBlock(string(b), block.name, block.text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if d := cmp.Diff(string(b), want); d != "" {
			t.Errorf("%s differs from the program; run make generate:\n%s", path, d)
		}
	}
}

func topicFile(name string) string { return filepath.Join("help", name+".md") }

// withBlock returns text with the generated block of that name replaced.
func withBlock(text, name, block string) (string, error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	head, rest, ok := strings.Cut(text, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("the markers of the block %s are missing", name)
	}
	return head + begin + block + end + tail, nil
}

// usage returns the usage of a command, of its subcommands and of its own flags.
func usage(t *testing.T, root *cobra.Command, name string) string {
	t.Helper()
	c, _, err := root.Find([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	const width = 76
	lines := [][2]string{{"agent " + c.Use, c.Short}}
	for _, sub := range listedCommands(c) {
		lines = append(lines, [2]string{"agent " + name + " " + sub.Use, sub.Short})
	}
	left := 0
	for _, l := range lines {
		left = max(left, len(l[0])+2)
	}
	var b strings.Builder
	for _, l := range lines {
		indent := "\n" + strings.Repeat(" ", left)
		fmt.Fprintf(&b, "%-*s%s\n", left, l[0], strings.ReplaceAll(ansi.Wordwrap(l[1], width-left, ""), "\n", indent))
	}
	c.InitDefaultHelpFlag()
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden || f.Name == "help" })
	if flags := c.LocalNonPersistentFlags().FlagUsagesWrapped(width); flags != "" {
		b.WriteString("\n" + flags)
	}
	return "```\n" + b.String() + "```\n"
}

func commandTable(t *testing.T, root *cobra.Command) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| command | description |\n|---|---|\n")
	fmt.Fprintf(&b, "| `%s` | open the interactive program in the current directory |\n", root.Use)
	for _, c := range root.Commands() {
		if !c.Hidden {
			fmt.Fprintf(&b, "| `agent %s` | %s |\n", cell(c.Use), c.Short)
		}
	}
	b.WriteString("\n| session flag | description |\n|---|---|\n")
	b.WriteString(flagTable(t, root))
	return b.String()
}

// cell escapes text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// flagTable lists the flags that agent and agent run share.
func flagTable(t *testing.T, root *cobra.Command) string {
	t.Helper()
	run, _, err := root.Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	shared := pflag.NewFlagSet("shared", pflag.ContinueOnError)
	root.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && run.Flag(f.Name) != nil {
			f.NoOptDefVal = strings.TrimSuffix(f.NoOptDefVal, pickResume)
			shared.AddFlag(f)
		}
	})
	var b strings.Builder
	for line := range strings.Lines(shared.FlagUsagesWrapped(0)) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), "   ")
		fmt.Fprintf(&b, "| `%s` | %s |\n", cell(name), strings.TrimSpace(what))
	}
	return b.String()
}

// keyTable returns a table for each scope.
func keyTable() string {
	rows := map[keymap.Scope]string{}
	var scopes []keymap.Scope
	for _, k := range keymap.New(nil).Listed() {
		if rows[k.Where] == "" {
			scopes = append(scopes, k.Where)
		}
		name := "fixed"
		if k.Action != keymap.Fixed {
			name = "`" + string(k.Action) + "`"
		}
		rows[k.Where] += fmt.Sprintf("| %s | %s | %s |\n", k.Pressed(), k.What, name)
	}
	var b strings.Builder
	for _, s := range scopes {
		title := string(s)
		if s == keymap.Anywhere {
			title = "everywhere"
		}
		fmt.Fprintf(&b, "\n### %s\n\n| keys | action | name |\n|---|---|---|\n%s", strings.ToUpper(title[:1])+title[1:], rows[s])
	}
	return strings.TrimPrefix(b.String(), "\n") + "\n"
}

func exitCodeTable() string {
	var b strings.Builder
	b.WriteString("| code | meaning |\n|---|---|\n")
	for _, m := range regexp.MustCompile(`(?m)^ +(\d+) +(.+)$`).FindAllStringSubmatch(exit.Codes, -1) {
		fmt.Fprintf(&b, "| %s | %s |\n", m[1], m[2])
	}
	return b.String()
}

func slashTable() string {
	var b strings.Builder
	b.WriteString("| command | description |\n|---|---|\n")
	for _, c := range slash.Table() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", cell(c.Usage), c.What)
	}
	return b.String()
}

// vocabularyTable lists commands or events with their descriptions.
func vocabularyTable(kind string, all []event.Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | description |\n|---|---|\n", kind)
	for _, d := range all {
		fmt.Fprintf(&b, "| `%s` | %s |\n", d.Name, d.What)
	}
	return b.String()
}

func settingTable() string {
	var b strings.Builder
	b.WriteString("| setting | description |\n|---|---|\n")
	for _, s := range settings.All() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", s.Name, s.What)
	}
	return b.String()
}

func providerTable() string {
	var b strings.Builder
	b.WriteString("| provider | API key | default model |\n|---|---|---|\n")
	for _, r := range catalog.Providers() {
		key := "none (local server)"
		switch {
		case len(r.KeyNames) > 0:
			key = "`" + strings.Join(r.KeyNames, "`, `") + "`"
		case r.Dialect == catalog.Builtin:
			key = "none (built in)"
		}
		model := r.Models.Default
		if model != "" {
			model = "`" + model + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, key, model)
	}
	return b.String()
}
