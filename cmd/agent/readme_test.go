package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
	keymap "agent/internal/tui/keys"
	"agent/internal/tui/slash"
)

// The tables of the README are those of the program. UPDATE=1 writes them.
func TestReadmeTables(t *testing.T) {
	const path = "../../README.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(b)
	for name, table := range map[string]string{
		"commands": commandTable(), "keys": keyTable(), "typed": typedTable(), "providers": providerTable(), "settings": settingTable(),
		"tools": toolTable(t),
	} {
		var err error
		if want, err = withTable(want, name, table); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(b), want); d != "" {
		t.Errorf("the README is not what the program is (UPDATE=1 writes it):\n%s", d)
	}
}

// withTable returns text with a table in the place that is kept for it.
func withTable(text, name, table string) (string, error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	head, rest, ok := strings.Cut(text, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("the README has no place for %s", name)
	}
	return head + begin + table + end + tail, nil
}

func commandTable() string {
	var b strings.Builder
	b.WriteString("| command | what it does |\n|---|---|\n")
	root := rootCommand(&shutdown{})
	fmt.Fprintf(&b, "| `%s` | open the terminal program, here |\n", root.Use)
	for _, c := range root.Commands() {
		if !c.Hidden {
			fmt.Fprintf(&b, "| `agent %s` | %s |\n", c.Use, c.Short)
		}
	}
	b.WriteString("\n| flag of all that start a session | what it does |\n|---|---|\n")
	b.WriteString(flagTable(root))
	return b.String()
}

func flagTable(c *cobra.Command) string {
	var b strings.Builder
	for line := range strings.Lines(c.PersistentFlags().FlagUsagesWrapped(0)) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), "   ")
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.TrimSpace(what))
	}
	return b.String()
}

func keyTable() string {
	var b strings.Builder
	b.WriteString("| keys | what they do | name |\n|---|---|---|\n")
	for _, k := range keymap.Table(nil) {
		name := "fixed"
		if k.Action != "" {
			name = "`" + k.Action + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", k.Keys, k.What, name)
	}
	return b.String()
}

func typedTable() string {
	var b strings.Builder
	b.WriteString("| typed | what it does |\n|---|---|\n")
	for _, c := range slash.Table() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(c.Usage, "|", `\|`), c.What)
	}
	return b.String()
}

func settingTable() string {
	var b strings.Builder
	b.WriteString("| setting | what it is |\n|---|---|\n")
	for _, s := range settings.All() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", s.Name, s.What)
	}
	return b.String()
}

func providerTable() string {
	var b strings.Builder
	b.WriteString("| provider | key | default model |\n|---|---|---|\n")
	for _, r := range catalog.Providers() {
		key := "none: a server on this machine"
		switch {
		case len(r.KeyNames) > 0:
			key = "`" + strings.Join(r.KeyNames, "`, `") + "`"
		case r.Dialect == catalog.Builtin:
			key = "none: built in"
		}
		model := r.Default
		if model != "" {
			model = "`" + model + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, key, model)
	}
	return b.String()
}
