package dotenv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                 {},
		"A=1\nB=2":                         {"A=1", "B=2"},
		"\ufeffA=1\r\nB='2'\r\n":           {"A=1", "B=2"},
		"export A=1\n export\tB = 2 \n":    {"A=1", "B=2"},
		"exported=1\nexport=2\n":           {"exported=1", "export=2"},
		"# A comment\n#A=1\n  # B=2\n":     {"A=1", "B=2"},
		"A=1 # one\nB=x#y\nC=#\nD=\n":      {"A=1 # one", "A=1", "B=x#y", "B=x", "C=#"},
		"A='x # y' # z\nB=\"it's\"\n":      {"A=x # y' # z", "A=x", "A=x # y", "B=it's"},
		"A=`x\"y`\nB='x\\'\nC=1":           {`A=x"y`, "A=xy", "B=x", "C=1"},
		`A="x\"y\\z"`:                      {`A=x\"y\\z`, `A=x"y\z`, "A=x", `A=x"yz`},
		"A=\"one\r\ntwo\"\nB=3":            {"A=one", "A=one\ntwo", "A=one\r\ntwo", "B=3"},
		"A=\"open\nB=2":                    {"A=open", "B=2"},
		"A=postgres://a:${P}@h\nB='${P}'":  {},
		"A=\"${P}\"\nB=$x1":                {"B=$x1"},
		"text\ntwo words=1\n[x]\nA: 1\n=1": {"words=1", "A=1"},
		"a.b-c=x==":                        {"a.b-c=x=="},
		"A=1; B=2\nA=1":                    {"A=1; B=2", "A=1", "B=2"},
	} {
		if d := cmp.Diff(want, parse(text), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", text, d)
		}
	}
}

// A value is found in all forms that some program reads.
func TestParseForms(t *testing.T) {
	const secret = "q7Vx2mLr9TzB4wKc"
	for _, form := range []string{
		"A=%", "A=  %  # x", "A=\"%\"", "A='%';", "A=\"% # x", "A='%' # it's", "A=%#x # y", "A=%;export A", "  A : %",
		"A=$'%'", `A="""%"""`, "A=`%`", "A=\"%\"; B=1", "export B=1 A=%", "B=1; A=%", "B=1;A=%", "declare -x A=%",
		"set A=%", "set -gx A %", "setenv A %", "typeset -x B=1 A=%", "env A=% run", `: "${A:=%}"`, "B=${A:-%}", "A+=%",
		"A[0]=%", "B=1\rA=%\rC=2", "\x0bA=%", "\u200bA=%", "\u00a0A=%", "\x00A=%", "#A=%", "# such as A=%", "# A: %",
		"{\"a\": 1,\n\"A\": \"%\",", "A=%${B}", "A=\"%${B}kkk\"", "A=${B}%$C", "A=xyz${B}% # x",
		"# X=\"\nA=%\nB=\"x\"", "#X='don\nA=%\nB='x'", "X='it\nA=%\nB='x'", "# it = 'quoted\nA=%\n# it's",
		"A=\"x\n%\ny\"", "A=\"x\r\n%\r\ny\"", "A='''\n%\n'''", `A="x\n%\ny"`, "A=x\\\n%\nB=1", "A=x\\\ny\\\n%",
	} {
		if got := parse(strings.ReplaceAll(form, "%", secret)); !slices.Contains(got, "A="+secret) {
			t.Errorf("%q: got %q", form, got)
		}
	}
	for form, want := range map[string]string{
		"A=q7Vx(2m)}":                       "q7Vx(2m)",
		"A=q7Vx2m #Lr9T":                    "q7Vx2m #Lr9T",
		"A=#q7Vx":                           "#q7Vx",
		"A=q7Vx2mLr${x9":                    "q7Vx2mLr${x9",
		"A=q7Vx2mLr${x9}":                   "q7Vx2mLr${x9}",
		"A=q7Vx'2m":                         "q7Vx'2m",
		"A=q7Vx(2m)":                        "q7Vx(2m)",
		`A="abc" q7Vx`:                      `abc" q7Vx`,
		`A='ab\'q7Vx'`:                      "ab'q7Vx",
		`A='ab'\''q7Vx'`:                    "ab'q7Vx",
		`A=q7Vx\$2m\&`:                      "q7Vx$2m&",
		"A=\"q7Vx\\`2m\"":                   "q7Vx`2m",
		`A=q7Vx"2m TzB"`:                    "q7Vx2m TzB",
		"A=abc\\\ndef":                      "abcdef",
		"A=\"line 1\r\nline 2\"\r\nB=1\r\n": "line 1\r\nline 2",
	} {
		if got := parse(form); !slices.Contains(got, "A="+want) {
			t.Errorf("%q: want %q, got %q", form, want, got)
		}
	}
}

// Text that is the same in many files is no value.
func TestParseLeavesOut(t *testing.T) {
	const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAq7Vx2mLr\n-----END RSA PRIVATE KEY-----"
	for _, c := range []struct{ text, value string }{
		{`A="password";`, `"password"`},
		{`A="password",`, `password",`},
		{"A=password; B=1", "password;"},
		{"A=Authorization: Bearer x", "Authorization:"},
		{`A="` + key + `"`, "-----BEGIN RSA PRIVATE KEY-----"},
		{`A="` + key + `"`, "-----END RSA PRIVATE KEY-----"},
		{`A="` + strings.ReplaceAll(key, "\n", `\n`) + `"`, "-----BEGIN"},
		{"A=${HOME}/.ssh/id_rsa", "/.ssh/id_rsa"},
		{"A=https://api.$B/x", "https://api."},
		{"A=Bearer ${B}", "Bearer ${B}"},
		{"A='open\nNODE_ENV=production\n# it's", "NODE_ENV=production"},
	} {
		if got := parse(c.text); slices.Contains(got, "A="+c.value) {
			t.Errorf("%q: got %q", c.text, c.value)
		}
	}
}

// The result is limited also for files in which each line begins a long value.
func TestParseLimits(t *testing.T) {
	for _, line := range []string{"A%d=\"x\n", "A%d=x\\\n", "A%d=\"$'x ${", "A%d=1 ", "A%d: ", "A%d=))))))) "} {
		var text strings.Builder
		for i := 0; text.Len() < maxSize; i++ {
			fmt.Fprintf(&text, line, i)
		}
		size := 0
		for _, v := range parse(text.String() + `"`) {
			size += len(v)
		}
		if size > 2*maxCandidates {
			t.Errorf("%q: got %d bytes", line, size)
		}
	}
}
