package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/cmd/agent/help"
	"agent/cmd/agent/keys"
	"agent/cmd/agent/settings"
	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"

	"github.com/charmbracelet/x/ansi"
)

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const speedPage = "../../internal/speed.md"

func TestDocumentationSize(t *testing.T) {
	for _, f := range []struct {
		path         string
		lines, bytes int
	}{
		{"../../README.md", 140, 12 << 10},
		{"../../AGENTS.md", 150, 6 << 10},
	} {
		text := readText(t, f.path)
		if n := strings.Count(text, "\n"); n > f.lines || len(text) > f.bytes {
			t.Errorf("%s has %d lines and %d bytes; the limits are %d and %d", f.path, n, len(text), f.lines, f.bytes)
		}
	}
}

// The topics stay short enough to be read. Generated tables do not count.
func TestTopicsAreShort(t *testing.T) {
	generated := regexp.MustCompile(`(?ms)^<!-- ([a-z ]+) -->\n.*?^<!-- /[a-z ]+ -->\n`)
	lines := 0
	for _, name := range help.Names() {
		lines += strings.Count(generated.ReplaceAllString(readText(t, topicFile(name)), ""), "\n")
	}
	const limit = 2600
	if lines > limit {
		t.Errorf("the topics have %d lines; the limit is %d", lines, limit)
	}
}

func TestEveryTopicIsListed(t *testing.T) {
	files, err := filepath.Glob("help/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".md"))
	}
	listed := help.Names()
	slices.Sort(listed)
	if !slices.Equal(names, listed) {
		t.Errorf("the files are %v, the topics %v", names, listed)
	}
	out, code := newHome(t, nil).agent(t, "help")
	for _, name := range names {
		if code != 0 || !strings.Contains(out, "\n  "+name+" ") {
			t.Errorf("agent help does not list %s, exit code %d:\n%s", name, code, out)
		}
	}
}

func TestTopicsAreInSixGroups(t *testing.T) {
	var groups []string
	for _, g := range help.Groups() {
		groups = append(groups, g.Name)
	}
	if got, want := groups, []string{"Start", "Safety", "Work", "Extend", "Automate", "Project"}; !slices.Equal(got, want) {
		t.Errorf("the groups are %v, want %v", got, want)
	}
}

// topicTable is the list of topics in the README.
func topicTable() string {
	var b strings.Builder
	for _, g := range help.Groups() {
		var links []string
		for _, t := range g.Topics {
			links = append(links, fmt.Sprintf("[%s](cmd/agent/help/%s.md)", t.Name, t.Name))
		}
		fmt.Fprintf(&b, "- **%s:** %s\n", g.Name, strings.Join(links, " · "))
	}
	return b.String()
}

// documents returns the paths of the README, AGENTS.md and the topics.
func documents() []string {
	paths := []string{"../../README.md", "../../AGENTS.md", "../../CHANGELOG.md", "../../SECURITY.md", "../../internal/design.md", speedPage}
	for _, name := range help.Names() {
		paths = append(paths, topicFile(name))
	}
	return paths
}

func TestDocumentationLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"`)
	for _, path := range documents() {
		found := link.FindAllStringSubmatch(readText(t, path), -1)
		for _, m := range found {
			target, heading, _ := strings.Cut(m[1]+m[2], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := path
			if target != "" {
				file = filepath.Join(filepath.Dir(path), filepath.FromSlash(target))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", path, err)
			} else if heading != "" && !slices.Contains(headings(readText(t, file)), heading) {
				t.Errorf("%s: no heading of %s is #%s", path, target, heading)
			}
		}
	}
}

// headings returns the headings of Markdown in the form in which links name them.
func headings(text string) (all []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}

// Paths in code spans that begin with a directory of the repository exist, and
// topics named by agent help TOPIC too. NAME is a placeholder.
func TestDocumentationNames(t *testing.T) {
	span := regexp.MustCompile("`((?:cmd|internal|testdata)/[^`*\\s]*|agent help [a-z-]+)`")
	for _, path := range documents() {
		for _, m := range span.FindAllStringSubmatch(readText(t, path), -1) {
			if strings.Contains(m[1], "NAME") {
				continue
			}
			if topic, ok := strings.CutPrefix(m[1], "agent help "); ok {
				if _, ok := help.Text(topic); !ok {
					t.Errorf("%s names the topic %s, which does not exist", path, topic)
				}
			} else if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s names %s: %v", path, m[1], err)
			}
		}
	}
}

func TestTopicsAreRendered(t *testing.T) {
	for _, name := range help.Names() {
		text, ok := help.Text(name)
		if !ok || !strings.HasPrefix(text, "# ") || strings.Contains(text, "<!--") {
			t.Errorf("%s begins with %.40q", name, text)
		}
		m := markdown.New(ink.Look{NoColor: true}.Styles())
		m.SetText(text)
		m.Finish()
		lines := m.Lines(80)
		if len(lines) < 10 {
			t.Errorf("%s has only %d lines", name, len(lines))
		}
		for _, line := range lines {
			if ansi.StringWidth(line) > 80 {
				t.Errorf("%s: %q is wider than 80 columns", name, line)
			}
		}
	}
}

func TestHelpOnATerminal(t *testing.T) {
	s := newHome(t, nil, "PAGER=cat").open(t, 60, 260, "help", "sessions")
	s.wait("Sessions\n", "agent help models")
	if screen := s.screen(); strings.Contains(screen, "models.md") || strings.Contains(screen, "## ") {
		t.Errorf("the screen is\n%s", screen)
	}
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestHelpOnATerminalUsesThePager(t *testing.T) {
	h := newHome(t, nil, "PAGER=sed -n 's/^/page: /p;3q'")
	s := h.open(t, 60, 24, "help", "sessions")
	s.wait("page: Sessions\n")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if out, code := h.agent(t, "help", "sessions"); code != 0 || strings.Contains(out, "page: ") {
		t.Errorf("exit code %d, a pipe got:\n%.200s", code, out)
	}
	s = newHome(t, nil, "PAGER=no-such-pager").open(t, 60, 260, "help", "sessions")
	s.wait("no-such-pager", "Sessions\n", "but not continued.")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d without the pager", code)
	}
}

func TestHelpOnATerminalIsASCIIWhereNeeded(t *testing.T) {
	s := newHome(t, nil, "LC_ALL=C", "PAGER=").open(t, 80, 1000, "help", "permissions")
	s.wait("Permissions\n", "mode          | file edits")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestHelpInAPipeIsMarkdown(t *testing.T) {
	out, code := newHome(t, nil).agent(t, "help", "sessions")
	want, _ := help.Text("sessions")
	if out != want || code != 0 {
		t.Errorf("exit code %d, %d bytes instead of %d", code, len(out), len(want))
	}
}

func TestHelpForUnknownNames(t *testing.T) {
	h := newHome(t, nil)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"run", 0, "agent run [PROMPT...]"},
		{"sessions export", 0, "agent sessions export ID"},
		{"Permissions", 0, "# Permissions"},
		{"perm", 2, `there is no help topic "perm". Did you mean "permissions"?`},
		{"halp", 2, `there is no help topic "halp". Did you mean "help"?`},
		{"permisions", 2, `there is no help topic "permisions". Did you mean "permissions"?`},
		{"proxy", 2, `there is no help topic "proxy". These topics mention it: `},
		{"exit code", 2, `These topics mention it: tools, hooks, limits, headless`},
		{"frobnicate", 2, `there is no help topic "frobnicate". Run 'agent help' for a list`},
	} {
		if out, code := h.agent(t, append([]string{"help"}, strings.Fields(c.args)...)...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("agent help %s: exit code %d, want %d and %q in:\n%s", c.args, code, c.code, c.want, out)
		}
	}
}

func TestCompletionOffersTopics(t *testing.T) {
	out, _ := newHome(t, nil).agent(t, "__complete", "help", "")
	for _, name := range append(help.Names(), "run", "login") {
		if strings.Count("\n"+out, "\n"+name+"\t") != 1 {
			t.Errorf("%s is not offered once:\n%s", name, out)
		}
	}
	if out, _ := newHome(t, nil).agent(t, "__complete", "help", "sessions", ""); !strings.HasPrefix(out, "delete\t") {
		t.Errorf("the commands of sessions are not offered:\n%s", out)
	}
}

// Every constant of exit/exit.go has a row in the table of exit codes.
func TestExitCodesAreDocumented(t *testing.T) {
	text, _ := help.Text("headless")
	codes := regexp.MustCompile(`(?m)^\t[A-Z]\w+ += (\d+)`).FindAllStringSubmatch(readText(t, filepath.Join("exit", "exit.go")), -1)
	if rows := strings.Count(exitCodeTable(), "\n") - 2; len(codes) != rows {
		t.Errorf("exit.go has %d codes, the table %d", len(codes), rows)
	}
	for _, m := range codes {
		if !strings.Contains(text, "\n| "+m[1]+" | ") {
			t.Errorf("exit code %s is missing", m[1])
		}
	}
}

// The blocks of JSON in the topics are valid: one with modes is a system policy, every
// other one a configuration.
func TestExamplesOfConfigurationAreValid(t *testing.T) {
	block := regexp.MustCompile("(?s)```json\n(.*?)```")
	configurations, policies := 0, 0
	for _, name := range help.Names() {
		text, _ := help.Text(name)
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			dir := filepath.Join(t.TempDir(), "agent")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "example.json")
			if err := os.WriteFile(path, []byte(m[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(m[1], `"modes"`) {
				policies++
				if _, err := (settings.SystemFile{Path: path, Owner: os.Geteuid()}).Read(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			configurations++
			if file, err := settings.Read(path); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if _, err := keys.Check(file); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if configurations == 0 || policies == 0 {
		t.Errorf("%d configurations and %d system policies, want some of both", configurations, policies)
	}
}
