package gitconfig_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/tools/gitconfig"
)

// texts are configuration files that are easily read differently from git.
var texts = []string{
	"", "\n", "[core]", "[core]\n\tx = y", "[core]\n\tx", "[core] x = y", "[core]x=y", "[user] [include] path = a", "[user][include]path=a\n[core]y=z",
	"[user]\n\t# note \\\n[include]\n\tpath = a\n", "[user]\n\t; note \\\n[include]\n\tpath = a\n", "[user]\n\tx = C:\\\\a\\\\\n[include]\n\tpath = a\n",
	"[user]\n\tx = y # note \\\n[include]\n\tpath = a\n", "[a]\n\tx = one\\\n two\n", "[a]\n\tx = one \\\n  two \\\n", "[a]\n\tx = \\\n\n\ty = z\n", "[a]\n\tx = y\\",
	"[a]\n\tx = \"te\\tam\\n\\b\\\\\\\"\"\n", "[a]\n\tx = \"a # b ; c\" # d\n", "[a]\n\tx = a\"b c\"d  \n", "[a]\n\tx = \" a \" \n", "[a]\n\tx = a  b\n", "[a]\n\tx = a\tb\n",
	"[a]\n\tx = \"a\n", "[a]\n\tx = a\\q\n", "[a]\n\tx = \"\"\n", "[a]\n\tx =\n", "[a]\n\tx = \"a\\\nb\"\n", "[a \"b]c\"]\n\tx = y\n", "[a \"b\\\"c\\\\d\\e\"]\n\tx = y\n", "[a \"b\n\"]\n\tx = y\n",
	"[A.B.c]\n\tX = y\n", "[A \"B.c\"]\n\tX = y\n", "[a \t\"b\"]\n\tx = y\n", "[a \"b\" ]\n\tx = y\n", "[ a]\n\tx = y\n", "[a ]\n\tx = y\n", "[]\n\tx = y\n", "[a_b]\n\tx = y\n", "[a\n]x = y\n",
	"x = y\n", "[a]\n\t1x = y\n", "[a]\n\t-x = y\n", "[a]\n\tx-1 = y\n", "[a]\n\tx_1 = y\n", "[a]\n\tx y = z\n", "[a]\n\tx # c\n\ty = z\n", "[a]\n\tx : y\n",
	"\ufeff[a]\n\tx = y\n", "[a]\n\ufeffx = y\n", "\xef\xbb[a]\n\tx = y\n", "[a]\r\n\tx = y\r\n", "[a]\r\tx = y\rz\r\n\tw = v\n", "[a]\n\tx = y \\\r\n z\n", "[a]\n\tx\r = y\n", "[a]\n\tx = \v\f y\n",
	"[core \"hookspath\x00\"]\n\tx = y\n", "[a]\n\tx = y\x00z\n", "[a]\n\tx\x00 = y\n", "[a \"b\xff\"]\n\tx = \xff\n", "[.a]\n\tx = y\n", "[a.]\n\tx = y\n", "[a.b \"c\"]\n\tx = y\n", "[a \"\"]\n\tx = y\n",
}

// Parse reads the same as git.
func TestParseReadsTheSameAsGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	all := slices.Clone(texts)
	parts := []string{
		"[", "]", "[a]", "[core]", "[Inc \"x\"]", "\"", "\\", "\\\\", "\\n", "\n", "\n", "\r", "\r\n", " ", "\t", "#", ";", "=", "= ", "x", "key", "path = a", "~/b", "-", ".", "1", "\x00", "é",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		text := ""
		for range 1 + r.IntN(16) {
			text += parts[r.IntN(len(parts))]
		}
		all = append(all, text, "[a]\n"+text, "[a]\n\tx = "+text)
	}
	for i, text := range all {
		want, wantOK := listed(t, git, text)
		variables, ok := gitconfig.Parse(text)
		if ok != wantOK {
			t.Errorf("%q: Parse says %v, git says %v", text, ok, wantOK)
			continue
		}
		var got []string
		for _, v := range variables {
			name := v.Key
			if v.Section != "" || v.Subsection != "" {
				name = v.Section + "." + v.Key
			}
			if v.Subsection != "" {
				name = v.Section + "." + v.Subsection + "." + v.Key
			}
			got = append(got, name+"\n"+v.Value)
		}
		if ok && !slices.Equal(normalized(got), normalized(want)) {
			t.Errorf("%d: %q:\ngot  %q\nwant %q", i, text, got, want)
		}
	}
}

// normalized returns variables without the differences between versions of git in white
// space, and without those between a variable with an empty value and one without a value.
func normalized(variables []string) (out []string) {
	for _, v := range variables {
		out = append(out, strings.TrimSuffix(strings.NewReplacer("..", ".", "\t", " ", "\r", " ").Replace(v), "\n"))
	}
	return slices.Compact(out)
}

// listed returns the variables of a configuration file that git lists; false if git
// cannot read it.
func listed(t *testing.T, git, text string) (out []string, ok bool) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(git, "config", "--list", "-z", "--file", file)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
	b, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(b) == 0 {
		return nil, true
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), true
}
