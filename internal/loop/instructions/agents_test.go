package instructions

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Agents are read from the user's directories and the repository's. A file of the user
// wins, then the nearest one, and notices name those that are not used.
func TestAgents(t *testing.T) {
	p, _, _ := newProject(t, map[string]string{
		".config/agent/agents/tester.md":         "---\ndescription: mine\ntools:\n  - Read\n  # runs the tests\n  - \"Bash\"\n\n---\nRun the tests.\n",
		".claude/agents/tester.md":               "---\nname: tester\n---\nTheirs.",
		".claude/agents/writer.md":               "---\r\nname: docs-writer\r\ntools: [Read, Write]\r\ncolor: blue\r\n---\r\nWrite.\r\n",
		".claude/agents/nested/deep.md":          "Not read.",
		"src/shop/.agents/agents/docs-writer.md": "Not used.",
		"src/shop/.agents/agents/plain.md":       "# Says hello\n",
		"src/shop/.claude/agents/plain.md":       "Not used.",
		"src/shop/.claude/agents/lists.md":       "---\ntools:\n- Read\n- Grep\nmodel: haiku\nhooks:\n  Stop:\n    - command: touch canary\n---\n",
	})
	all := p.Agents()
	want := []AgentFile{
		{Name: "tester", Source: "~/.config/agent/agents/tester.md", Values: map[string]string{"description": "mine", "tools": "Read, Bash"}, Body: "Run the tests.\n"},
		{Name: "docs-writer", Source: "~/.claude/agents/writer.md", Values: map[string]string{"name": "docs-writer", "tools": "[Read, Write]", "color": "blue"}, Body: "Write.\n"},
		{Name: "plain", Source: ".agents/agents/plain.md", FromRepository: true, Body: "# Says hello\n"},
		{Name: "lists", Source: ".claude/agents/lists.md", FromRepository: true, Values: map[string]string{"tools": "Read, Grep", "model": "haiku", "hooks": "Stop: - command: touch canary"}},
	}
	if d := cmp.Diff(all, want, cmpopts.IgnoreFields(AgentFile{}, "Text")); d != "" {
		t.Error(d)
	}
	wantNotices(t, p.Notices(), "~/.claude/agents/tester.md is not used: ~/.config/agent/agents/tester.md has the same name",
		".agents/agents/docs-writer.md is not used: ~/.claude/agents/writer.md has the same name",
		".claude/agents/plain.md is not used: .agents/agents/plain.md has the same name")
}

// The text, which the user confirms, is the front matter and the body.
func TestAgentTextIsTheFile(t *testing.T) {
	for _, text := range []string{"---\ntools: Read\n---\nBody.\n", "---\ntools: Read, Bash\n---\nBody.\n", "---\ntools: Read\n---\nBody!\n", "---\ntools: Read\nmodel: x/y\n---\nBody.\n", ""} {
		p, _, work := newProject(t, map[string]string{"src/shop/.agents/agents/a.md": text})
		all := p.Agents()
		if len(all) != 1 || all[0].Text != text {
			t.Fatalf("got %+v in %s", all, work)
		}
	}
}

// A repository's file reads nothing outside the repository, hides no text and gets
// no name that means a path.
func TestHostileAgents(t *testing.T) {
	p, home, work := newProject(t, map[string]string{
		"notes.md":                            "own notes",
		"theirs/outside.md":                   "Outside.",
		"src/shop/.agents/agents/hidden.md":   "---\ndescription: \"\x1b]0;owned\x07safe\u202e\"\n---\n\x1b[2JHidden.\n",
		"src/shop/.agents/agents/slash.md":    "---\nname: ../../etc/passwd\n---\n",
		"src/shop/.agents/agents/blank.md":    "---\nname: \"two words\"\n---\n",
		"src/shop/.agents/agents/long.md":     "---\nname: " + strings.Repeat("a", maxAgentName+1) + "\n---\n",
		"src/shop/.agents/agents/UPPER.md":    "",
		"src/shop/.agents/agents/large.md":    strings.Repeat("x", maxAgent+1),
		"src/shop/.agents/agents/binary.md":   "a\x00b",
		"src/shop/.agents/agents/key.md":      "-----BEGIN RSA PRIVATE KEY-----\n",
		"src/shop/.agents/agents/dir.md/a.md": "A directory.",
	})
	link(t, filepath.Join(home, "notes.md"), filepath.Join(work, ".agents/agents/leak.md"))
	link(t, filepath.Join(home, "theirs"), filepath.Join(work, ".claude/agents"))
	all := p.Agents()
	if len(all) != 1 || all[0].Values["description"] != "]0;ownedsafe" || all[0].Body != "[2JHidden.\n" {
		t.Errorf("got %+v", all)
	}
	wantNotices(t, p.Notices(), "leak.md is not used: it is a symbolic link that leads out of the repository", ".claude/agents is not used: it is a symbolic link that leads out",
		"hidden.md: 4 invisible or control characters removed", `slash.md is not used: invalid name "../../etc/passwd"`, `blank.md is not used: invalid name "two words"`,
		"long.md is not used: its name is longer than 64 characters", `UPPER.md is not used: invalid name "UPPER"`, "large.md is not used: larger than", "binary.md is not used: it is not a text file",
		"key.md is not used: it is withheld from the model: it contains a private key")
}

// Very many agents of a repository cost a limited number of reads and notices, and do
// not displace those of the user.
func TestManyAgents(t *testing.T) {
	files := map[string]string{".claude/agents/zz.md": "Mine."}
	for i := range maxAgents {
		files[fmt.Sprintf("src/shop/.agents/agents/a%03d.md", i)] = ""
		files[fmt.Sprintf("src/shop/.claude/agents/b%03d.md", i)] = ""
	}
	p, _, _ := newProject(t, files)
	if all := p.Agents(); len(all) != maxAgents || all[0].Name != "zz" || all[maxAgents-1].Name != "a098" {
		t.Errorf("got %d agents, the first one %+v", len(all), all[0])
	}
	wantNotices(t, p.Notices(), "Only the first 100 agents are used: .agents/agents/a099.md and later ones are not.")
}

// Very many bad files of a repository cause a limited number of notices.
func TestManyBadAgents(t *testing.T) {
	files := map[string]string{}
	for i := range maxAgents + 50 {
		files[fmt.Sprintf("src/shop/.agents/agents/a%03d.md", i)] = "---\nname: Bad\n---\n"
	}
	p, _, _ := newProject(t, files)
	if all := p.Agents(); len(all) != 0 {
		t.Errorf("got %d agents", len(all))
	}
	notices := p.Notices()
	if n := len(notices); n != maxNotices+1 || !strings.HasPrefix(notices[n-1], "More problems with") {
		t.Errorf("got %d notices: %q", n, notices)
	}
}

// The values of a front matter are scalars, also of several lines, and lists.
func TestFrontMatterLists(t *testing.T) {
	for text, want := range map[string]string{
		"k: a\n":                     "a",
		"k: [a, b]":                  "[a, b]",
		"k: [\n  a,\n  b\n]":         "[ a, b",
		"k:\n  - a\n  - 'b'\n":       "a, b",
		"k:\n- a\n- b\n":             "a, b",
		"k:\n\n  # note\n  - a\n- b": "a, b",
		"k:\n  -\n  - a":             "a",
		"k:\n  text\n  - a":          "text - a",
		"k: |\n  - a\n  - b":         "- a - b",
		"k: x\n- a":                  "x",
		"- a\nk: x":                  "x",
		"# k: y\nk: x":               "x",
		"k:\n  - a: b\n":             "a: b",
	} {
		if values, _ := frontMatter("---\n" + text + "\n---\nBody"); values["k"] != want {
			t.Errorf("%q: got %q, want %q", text, values["k"], want)
		}
	}
}
