//go:build unix

package command_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"agent/internal/loop/policy/command"
)

// messages are the words of a command that reads a text, in which BODY stands for a document.
var messages = []string{
	"git commit -m \"$(cat <<'EOF'\nBODY\nEOF\n)\"", "git add . && git commit -qm \"$(cat <<\"EOF\"\nBODY\nEOF\n)\"", "git commit -F - <<'EOF'\nBODY\nEOF\n", "git commit -qF- <<\\EOF\nBODY\nEOF\n",
	"git commit --file=- <<'EOF' && git log -1\nBODY\nEOF\n", "git tag -a v1 -F - <<'EOF'\nBODY\nEOF\n", "git tag v1 -m \"$(cat <<'E O F'\nBODY\nE O F\n)\"", "git notes add -F - <<-'EOF'\n\tBODY\n\tEOF\n",
	"gh pr create --title x --body \"$(cat <<'EOF'\nBODY\nEOF\n)\"", "gh pr create --body-file - <<'EOF'\nBODY\nEOF\n", "gh issue comment 1 -F - <<'EOF'\nBODY\nEOF\n", "gh release create v1 --notes-file - <<'EOF'\nBODY\nEOF\n",
	"cat <<'EOF' | git commit -F -\nBODY\nEOF\n",
}

// A here-document that bash does not expand is a text. A rule for the program that takes
// the text covers the line.
func TestDocumentsAreText(t *testing.T) {
	env := workspace(t)
	covers := func(p *command.Part) bool {
		return p.Covered([]string{"git", "add"}) || p.Covered([]string{"git", "commit"}) || p.Covered([]string{"git", "tag"}) || p.Covered([]string{"git", "notes"}) || p.Covered([]string{"gh"})
	}
	for _, message := range append(messages, "git commit -F - <<EOF\nplain text\nEOF\n", "git commit -F - <<< 'fix: it'", "git commit -F - <<<fix") {
		line := strings.ReplaceAll(message, "BODY", "Add it\n\nIt's \"the\" `first`; see $HOME, $(touch PWNED) & <<X \\")
		c := command.Judge(line, env)
		script, ok := c.Script("agent_git")
		if !c.Covered(covers) || !ok || c.Automatic() {
			t.Errorf("%s\nis not covered: %s%s, script %s", line, c.Form, c.Reason, script)
		}
	}
	for _, line := range []string{
		"git commit -m \"$(cat <<EOF\n$(touch PWNED)\nEOF\n)\"", "git commit -m \"$(cat <<EOF\n`touch PWNED`\nEOF\n)\"", "git commit -F - <<EOF\n$HOME\nEOF\n", "git commit -F - <<EOF\na \\\nEOF\nEOF\n",
		"git commit -F - <<< \"$(touch PWNED)\"", "git commit -m $(cat <<'EOF'\n-x *\nEOF\n)", "git commit -m \"$(cat x <<'EOF'\nx\nEOF\n)\"", "git commit -m \"$(tee PWNED <<'EOF'\nx\nEOF\n)\"",
		"git commit -m \"$(cat <<'EOF' >PWNED\nx\nEOF\n)\"", "git commit -m \"$(cat <<'EOF'\nx\nEOF\ntouch PWNED)\"", "git commit -m \"$(cat <<'EOF' | sh\ntouch PWNED\nEOF\n)\"", "git commit -m \"$(X=1 cat <<'EOF'\nx\nEOF\n)\"",
		"git commit -m \"$(cat <<'EOF'\nx\nEOF\n)$(touch PWNED)\"", "git commit -m $\"$(cat <<'EOF'\nx\nEOF\n)\"", "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\" && touch PWNED", "git commit --pathspec-from-file=- <<'EOF'\nx\nEOF\n",
		"git commit -m \"$(cat 3<<'EOF'\nx\nEOF\n)\"", "git apply <<'EOF'\nx\nEOF\n", "git update-ref --stdin <<'EOF'\nx\nEOF\n", "git commit -m \"${x:-$(cat <<'EOF'\nx\nEOF\n)}\"",
		"bash <<'EOF'\ntouch PWNED\nEOF\n", "bash -c \"$(cat <<'EOF'\ntouch PWNED\nEOF\n)\"", "eval \"$(cat <<'EOF'\ntouch PWNED\nEOF\n)\"", "python3 - <<'EOF'\nimport os\nEOF\n", "cat <<'EOF' | sh\ntouch PWNED\nEOF\n", "xargs touch <<'EOF'\nPWNED\nEOF\n",
		"gh api --input - <<'EOF'\nx\nEOF\n", "gh secret set x <<'EOF'\nx\nEOF\n", "tee PWNED <<'EOF'\nx\nEOF\n", "read 'a[$(touch PWNED)]' <<'EOF'\nx\nEOF\n", "test -v \"$(cat <<'EOF'\na[$(touch PWNED)]\nEOF\n)\"",
	} {
		c := command.Judge(line, env)
		_, ok := c.Script("agent_git")
		if c.Automatic() || ok && c.Covered(covers) {
			t.Errorf("%s\nis covered", line)
		}
	}
	for line, trait := range map[string]command.Trait{
		"bash -c \"$(cat <<'EOF'\nrm -rf src\nEOF\n)\"": command.Destroys, "eval \"$(cat <<'EOF'\nrm -rf src\nEOF\n)\"": command.Destroys,
	} {
		if c := command.Judge(line, env); c.Traits&trait == 0 {
			t.Errorf("%s: the traits are %s, without %s", line, c.Traits, trait)
		}
	}
}

// The script gives a program the same text as the line.
func TestDocumentsInScripts(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	env := workspace(t)
	output := func(script string) string {
		cmd := exec.Command(bash, "-c", script)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	for _, form := range []string{
		"cat <<'EOF'\nBODY\nEOF\n", "cat <<'EOF'\nEOF\n", "cat <<-'EOF'\n\tBODY\n\tEOF\n", "cat <<'EOF' | cat -A\n\nBODY\n\nEOF\n", "echo \"$(cat <<'EOF'\nBODY\n\n\nEOF\n)\"", "echo \"x $(cat <<\\EOF\nBODY\nEOF\n) y\"",
		"echo \"$(cat <<-\"EOF\"\n\t\tBODY\n\t x\n\tEOF\n)\"", "cat <<< 'a b'", "cat <<< ''", "cat <<<\"a\\$b\" && echo x", "cat <<EOF\na 'b' \"c\"\nEOF\n", "wc -c <<'A' && cat <<'B'\none\nA\ntwo\nB\n",
	} {
		for _, body := range []string{"x", "It's \"a\" `b`; $HOME $(c) \\ \\n \\\\", "\ttab\t\n  EOF\nEOFX", "é *?[a] {1,2} ~ !", "a # b\n\\$x"} {
			line := strings.ReplaceAll(form, "BODY", body)
			c := command.Judge(line, env)
			script, ok := c.Script("agent_git")
			if !ok || !c.Automatic() {
				t.Errorf("%s: %s", line, c.Reason)
				continue
			}
			if got, want := output(script), output(line); got != want {
				t.Errorf("%s\nas %s\ngot  %q\nwant %q", line, script, got, want)
			}
		}
	}
}
