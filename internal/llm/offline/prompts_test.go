package offline_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPromptsBecomeCalls(t *testing.T) {
	tests := []struct{ prompt, want string }{
		{"read main.go", `read {"path":"main.go"}`},
		{"Please show the file `main.go`.", `read {"path":"main.go"}`},
		{"open @docs/a.md", `read {"path":"docs/a.md"}`},
		{"cat 'my file.txt'", `read {"path":"my file.txt"}`},
		{"read main.go lines 10-20", `read {"path":"main.go","offset":10,"limit":11}`},
		{"read main.go lines 3 to 5", `read {"path":"main.go","offset":3,"limit":3}`},
		{"read main.go line 7", `read {"path":"main.go","offset":7,"limit":1}`},
		{"list files", `list {"path":"."}`},
		{"ls", `list {"path":"."}`},
		{"list the files in internal/llm.", `list {"path":"internal/llm"}`},
		{"list files in .", `list {"path":"."}`},
		{"ls cmd", `list {"path":"cmd"}`},
		{"find files named *.go", `glob {"pattern":"**/*.go"}`},
		{"find files named *_test.go in internal", `glob {"pattern":"**/*_test.go","path":"internal"}`},
		{"find TODO", `search {"pattern":"TODO"}`},
		{"search for func main() in *.go", `search {"pattern":"func main\\(\\)","glob":"*.go"}`},
		{"grep \"error in parse\" in internal/llm", `search {"pattern":"error in parse","path":"internal/llm"}`},
		{"find /func \\w+Test/", `search {"pattern":"func \\w+Test"}`},
		{"find salt and pepper", `search {"pattern":"salt and pepper"}`},
		{"replace foo with bar in main.go", `edit {"path":"main.go","old":"foo","new":"bar"}`},
		{`replace all "a in b" with "" in 'x y.txt'.`, `edit {"path":"x y.txt","old":"a in b","new":"","replace_all":true}`},
		{"create notes.md with Hello, world.", `edit {"path":"notes.md","old":"","new":"Hello, world.\n"}`},
		{`create a file "a b.txt" with "x; then y"`, `edit {"path":"a b.txt","old":"","new":"x; then y\n"}`},
		{"create list.txt with:\none\n\nread two", `edit {"path":"list.txt","old":"","new":"one\n\nread two\n"}`},
		{"run go test ./...", `shell {"command":"go test ./..."}`},
		{"!ls -la; pwd", `shell {"command":"ls -la; pwd"}`},
		{"run `git log --oneline | head`", `shell {"command":"git log --oneline | head"}`},
		{"run echo a; ls", `shell {"command":"echo a; ls"}`},
		{"what is this project?", `list {"path":".","depth":2}`},
		{"Explain this codebase", `list {"path":".","depth":2}`},

		{"find a; b", `search {"pattern":"a; b"}`},
		{"read a.go\n\n+run rm -rf /\n+read secret", `read {"path":"a.go"}`},
		{"tell me about this:\nrun rm -rf /", ``},

		{"", ``},
		{"hello", ``},
		{"help", ``},
		{"delete main.go", ``},
		{"show me a joke", ``},
		{"write a test in main.go", ``},
		{"add a test to main.go", ``},
		{"make it faster", ``},
		{"don't touch what's here", ``},
	}
	for _, tt := range tests {
		_, calls := newTalk(t).say(tt.prompt)
		var got []string
		for _, c := range calls {
			got = append(got, c.Name+" "+string(c.Input))
		}
		if diff := cmp.Diff(strings.Join(got, "\n"), tt.want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", tt.prompt, diff)
		}
	}
}

// TestNewcomers checks the first prompts of newcomers in testdata/guide.txt.
func TestNewcomers(t *testing.T) {
	table, err := os.ReadFile("../../../testdata/guide.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		prompt, want, ok := strings.Cut(line, "|")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		rows++
		prompt, want = strings.TrimSpace(prompt), strings.TrimSpace(want)
		answer, calls := newTalk(t).say(prompt)
		switch {
		case len(calls) > 0 && calls[0].Name != want:
			t.Errorf("%q calls %s %s, want %q", prompt, calls[0].Name, calls[0].Input, want)
		case len(calls) == 0 && !strings.Contains(answer, want):
			t.Errorf("%q is answered with\n%s\nwant %q in it", prompt, answer, want)
		case strings.Count(answer, "/connect") > 1:
			t.Errorf("%q: the answer says twice how to connect:\n%s", prompt, answer)
		}
	}
	if rows < 60 {
		t.Errorf("only %d rows", rows)
	}
}

// FuzzGuide checks that every reply and turn ends, for any prompt and any
// result.
func FuzzGuide(f *testing.F) {
	f.Add("replace a with b in \"c d\"; run `x`", "     1\tx\n", false)
	f.Add("what is this project?\n\nrun x", "README.md\ngo.mod\n", true)
	f.Add("create a with ```\nx\n``` ; find /(/ in *.go", "```", false)
	f.Add("create ü.txt with é", "1\té\n2\t\xff\nMakefile", false)
	guide := newTalk(f).guide
	f.Fuzz(func(t *testing.T, prompt, result string, isError bool) {
		k := newTalk(t)
		k.guide = guide // it keeps no state
		_, calls := k.say(prompt)
		for n := 0; len(calls) > 0; n++ {
			if n > 70 {
				t.Fatalf("no end after %d steps", n)
			}
			for _, c := range calls {
				if !json.Valid(c.Input) {
					t.Fatalf("arguments %q", c.Input)
				}
				k.result(c, result, isError)
			}
			_, calls = k.step()
		}
	})
}
